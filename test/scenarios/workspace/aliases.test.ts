import Database from "better-sqlite3";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadTools } from "../../../server/tools/load-tools.ts";
import { cardKindOf } from "../../../web/labels/card-kind.ts";
import { call, mintId, say, startInstance } from "../../support/instance.ts";
import { toolParts } from "../../support/server/loop-tools.ts";
import { toolDeps } from "../../support/server/tool-context.ts";
import { startBuilder, toScript, type Call } from "./build.ts";

const oldNames = {
  write_file: "lov-write",
  view_file: "lov-view",
  replace_lines: "lov-line-replace",
  search_files: "lov-search-files",
  rename_file: "lov-rename",
  delete_file: "lov-delete",
  read_console_logs: "lov-read-console-logs",
  read_network_requests: "lov-read-network-requests",
  add_dependency: "lov-add-dependency",
  remove_dependency: "lov-remove-dependency",
} as const;
const isOld = (name: string): boolean => name.startsWith("lov-");

const write: Call = ["lov-write", { file_path: "a.ts", content: "one();\n" }];
const lines = { first_replaced_line: 1, last_replaced_line: 1 };
const replace: Call = ["lov-line-replace", { file_path: "a.ts", search: "one();", replace: "two();", ...lines }];
const view: Call = ["lov-view", { file_path: "a.ts" }];

test("runs calls under the names of 0.1.0, also through use_tool, and keeps those names in the stored parts", async () => {
  const wrapped: Call = ["use_tool", { name: "lov-search-files", input: { query: "two" } }];
  const { live, send, threadId, files } = await startBuilder([[[write], [replace], [view, wrapped]]]);
  await send(threadId, "turn 0");
  await live.ended();
  expect(toolParts(live).map(({ name, state, untrusted }) => [name, state, untrusted])).toEqual([
    ["lov-write", "ok", []],
    ["lov-line-replace", "ok", []],
    ["lov-view", "ok", []],
    ["use_tool", "ok", []],
  ]);
  expect(await files.text("a.ts")).toBe("two();\n");
});

test("continues a stored thread whose last run was offered the tools of 0.1.0", async () => {
  const first = await startBuilder([[[write]]]);
  await first.send(first.threadId, "turn 0");
  await first.live.ended();
  const dataDir = await first.leave();
  const db = new Database(join(dataDir, "stonechat.db"));
  const [run] = db.prepare("select id, body from runs").all() as { id: string; body: string }[];
  const state = JSON.parse(run!.body) as { offered: string[] };
  expect(state.offered).toEqual(expect.arrayContaining(Object.keys(oldNames)));
  const offered = state.offered.map((name) => oldNames[name as keyof typeof oldNames] ?? name);
  db.prepare("update runs set body = ? where id = ?").run(JSON.stringify({ ...state, offered }), run!.id);
  db.close();

  const requested: (readonly string[])[] = [];
  const script = toScript([[], [[view]]]);
  const second = await startInstance({
    dataDir,
    script: (request) => {
      requested.push(request.tools.map(({ name }) => name));
      return script(request);
    },
  });
  const live = second.follow(first.threadId);
  await second.send(first.threadId, "turn 1");
  await live.ended(2);
  expect(toolParts(live).map(({ name, state: ended }) => [name, ended])).toEqual([
    ["lov-write", "ok"],
    ["lov-view", "ok"],
  ]);
  expect(requested).toHaveLength(2);
  for (const names of requested) expect(names).toEqual(state.offered.toSorted());
  expect(requested.flat().filter(isOld)).toEqual([]);
});

test("offers and limits the tools of a user profile that lists the names of 0.1.0", async () => {
  const offered: (readonly string[])[] = [];
  const { client, start, follow, send } = await startInstance({
    script: (request, index) => {
      offered.push(request.tools.map(({ name }) => name));
      return index < 2 ? call({ name: "view_file", input: `{"file_path":"${index}.ts"}` }) : say("done");
    },
  });
  const limits = { perTool: { "lov-view": 1 } };
  const body = { id: "mine", name: "Mine", from: "builder", tools: ["lov-view", "lov-write", "now"], limits };
  await client.createProfile({ body });
  const { profiles } = await client.listProfiles({});
  expect(profiles.find(({ id }) => id === "mine")).toMatchObject({
    tools: ["view_file", "write_file", "now"],
    limits: { perTool: { view_file: 1 } },
  });
  const projectId = mintId("project");
  await client.createProject({ body: { id: projectId, name: "Site" } });
  const threadId = await start({ profile: "mine", projectId });
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  expect(offered[0]).toEqual(expect.arrayContaining(["view_file", "write_file", "now"]));
  expect(offered.flat().filter(isOld)).toEqual([]);
  expect(toolParts(live)[1]?.errorText).toMatch(/limit of view_file calls/);
});

test("a user's command may use a name of 0.1.0", async () => {
  const choices: unknown[] = [];
  const { client, start, follow, send } = await startInstance({
    script: ({ toolChoice }) => {
      choices.push(toolChoice);
      return say("done");
    },
  });
  const projectId = mintId("project");
  await client.createProject({ body: { id: projectId, name: "Site" } });
  const threadId = await start({ profile: "builder", projectId });
  const live = follow(threadId);
  await send(threadId, "@lov-view a.ts");
  await live.ended();
  expect(choices[0]).toEqual({ tool: "view_file" });
});

test("the page shows a call on the same card under every name of its tool", async () => {
  const tools = await loadTools(toolDeps);
  for (const { name, aliases = [] } of tools)
    expect([name, ...aliases.map(cardKindOf)]).toEqual([name, ...aliases.map(() => cardKindOf(name))]);
});
