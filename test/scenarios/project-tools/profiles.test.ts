import { expect, test } from "vitest";
import type { BodyInput } from "../../../protocol/api.ts";
import { call, mintId, say, startInstance } from "../../support/instance.ts";
import { toolParts } from "../../support/server/loop-tools.ts";

const workspaceTools = [
  "add_dependency",
  "delete_file",
  "replace_lines",
  "read_console_logs",
  "read_network_requests",
  "remove_dependency",
  "rename_file",
  "search_files",
  "view_file",
  "write_file",
];
const projectTools = [
  "create_entities",
  "delete_entities",
  "get_entity",
  "link_entities",
  "list_entities",
  "update_entities",
];

/** A model that never stops calling tools. */
const startRestless = async (
  profile: BodyInput<"createThread">["profile"],
  env: Readonly<Record<string, string>> = {},
) => {
  const requests: { readonly choice: string; readonly tools: readonly string[]; readonly system: string }[] = [];
  const instance = await startInstance({
    env,
    script: (request, index) => {
      const tools = request.tools.map(({ name }) => name);
      requests.push({ choice: String(request.toolChoice), tools, system: request.system });
      const entities = [{ kind: "note", title: `Note ${index}` }];
      return request.toolChoice === "none"
        ? say("so far")
        : call({ name: "create_entities", input: JSON.stringify({ entities }) });
    },
  });
  const projectId = mintId("project");
  await instance.client.createProject({ body: { id: projectId, name: "Harbour" } });
  const threadId = await instance.start({ profile, projectId });
  const live = instance.follow(threadId);
  await instance.send(threadId, "make it green");
  return { ...instance, requests, threadId, live, projectId };
};

test("a builder answers after ten steps and takes ten more when continued", async () => {
  const { live, requests, client, threadId } = await startRestless("builder");
  expect(await live.ended()).toMatchObject({ outcome: "limit", reason: { code: "limit-steps" } });
  expect(requests.map(({ choice }) => choice)).toEqual([...Array.from({ length: 10 }, () => "auto"), "none"]);
  expect(toolParts(live)).toHaveLength(10);
  await client.continueRun({ params: { threadId }, body: { id: mintId() } });
  expect(await live.ended(2)).toMatchObject({ outcome: "limit" });
  expect(toolParts(live)).toHaveLength(20);
  expect(live.view().messages).toHaveLength(2);
});

test("a builder is offered the workspace and project tools with instructions", async () => {
  const { live, requests } = await startRestless("builder");
  await live.ended();
  expect(requests[0]?.tools).toEqual(expect.arrayContaining([...workspaceTools, ...projectTools]));
  expect(requests[0]?.system).toContain("replace_lines");
});

test("the project profile has its own limits for steps and calls", async () => {
  const steps = await startRestless("project");
  expect(await steps.live.ended()).toMatchObject({ outcome: "limit", reason: { code: "limit-steps" } });
  expect(toolParts(steps.live)).toHaveLength(8);
  expect(steps.requests[0]?.tools).toEqual(expect.arrayContaining(projectTools));
  expect(steps.requests[0]?.tools).not.toContain("write_file");
  const calls = await startRestless("project", { FASTCHAT_MAX_TOOL_CALLS: "3" });
  expect(await calls.live.ended()).toMatchObject({ outcome: "limit", reason: { code: "limit-calls" } });
  expect(toolParts(calls.live)).toHaveLength(3);
});

test("the project profile ends after 40 calls unless it is set otherwise", async () => {
  const { start, send, follow, client } = await startInstance({
    script: ({ toolChoice }, index) => {
      const calls = Array.from({ length: 10 }, (_, n) => ({
        name: "calculate",
        input: `{"expression":"${index}+${n}"}`,
      }));
      return toolChoice === "none" ? say("so far") : call(...calls);
    },
  });
  const threadId = await start({ profile: "project" });
  const live = follow(threadId);
  await send(threadId, "add everything up");
  expect(await live.ended()).toMatchObject({ outcome: "limit", reason: { code: "limit-calls" } });
  expect(toolParts(live).filter(({ state }) => state === "ok")).toHaveLength(40);
  const { profiles } = await client.listProfiles({});
  expect(profiles.find(({ id }) => id === "project")?.limits).toMatchObject({ steps: 8, calls: 40 });
  const other = await startInstance({ env: { FASTCHAT_MAX_TOOL_CALLS: "55" }, script: () => say("yes") });
  const set = (await other.client.listProfiles({})).profiles.find(({ id }) => id === "project");
  expect(set?.limits).toMatchObject({ steps: 8, calls: 55 });
});

test.each([
  ["project", "snapshot"],
  ["autopilot", "replay"],
  ["builder", "messages"],
] as const)("%s uses the policy stone, and %s when that is chosen", async (profile, policy) => {
  const { start, send, follow, client } = await startInstance({ script: () => say("yes") });
  const threadId = await start({ profile });
  const live = follow(threadId);
  await send(threadId, "hello");
  await live.ended();
  await client.changeThread({ params: { threadId }, body: { id: mintId(), policy } });
  await send(threadId, "and now?");
  await live.ended(2);
  const { receipts } = await client.listReceipts({ params: { threadId }, query: {} });
  expect(receipts.map((receipt) => receipt.policy).toReversed()).toEqual(["stone", policy]);
});

test.each([
  [{}, { stone: 10, research: 12, autopilot: 10, project: 8, builder: 10, assistant: 10 }],
  [{ STONECHAT_MAX_STEPS: "3" }, { stone: 3, research: 3, autopilot: 3, project: 3, builder: 3, assistant: 3 }],
  [{ STONECHAT_MAX_STEPS: "15" }, { stone: 15, research: 15, autopilot: 15, project: 15, builder: 15, assistant: 15 }],
  [
    { STONECHAT_MAX_STEPS: "3", FASTCHAT_MAX_TOOL_ROUNDS: "2" },
    { research: 3, project: 2, assistant: 3 },
  ],
  [{ FASTCHAT_MAX_TOOL_ROUNDS: "2" }, { research: 12, project: 2, assistant: 10 }],
] as const)("with %j a run takes the documented number of steps of its profile", async (env, expected) => {
  const requests: string[] = [];
  const { start, send, follow, client } = await startInstance({
    env,
    script: (request, index) => {
      requests.push(String(request.toolChoice));
      return request.toolChoice === "none" ? say("so far") : call({ name: "no_such_tool", input: `{"n":${index}}` });
    },
  });
  const { profiles } = await client.listProfiles({});
  for (const [profile, steps] of Object.entries(expected)) {
    requests.length = 0;
    const threadId = await start({ profile });
    const live = follow(threadId);
    await send(threadId, "go");
    expect(await live.ended()).toMatchObject({ outcome: "limit", reason: { code: "limit-steps" } });
    expect({ [profile]: requests.filter((choice) => choice === "auto").length }).toEqual({ [profile]: steps });
    expect(profiles.find(({ id }) => id === profile)?.limits.steps).toBe(steps);
  }
});
