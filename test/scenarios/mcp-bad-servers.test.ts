import { expect, test } from "vitest";
import { callTool, isRunning, openMcpHouse, pidsIn, setUpBad } from "../support/mcp/mcp-house.ts";

/**
 * Servers that hang, die, flood and lie. For each: its tool fails with a reason, a good server beside it goes on working, and
 * no process is left. `exercised` counts what really reached the bad one.
 */
const exercised = new Set<string>();

type Case = [way: string, reason: RegExp, entry?: object];
const inCalls: Case[] = [
  ["hangs in a call", /did not answer in time/, { timeoutMs: 300 }],
  ["hangs and blocks", /did not answer in time/, { timeoutMs: 300 }],
  ["dies in a call", /ended with code 7/],
  ["dies half way through a line", /ended with code 0/],
  ["answers with broken JSON", /not valid JSON/],
  ["answers with the wrong id", /what was not asked/],
  ["answers with no known shape", /not what the protocol asks for/],
  ["answers with an error", /it is broken inside/],
  ["says that it failed", /^no such file$/],
  ["sends 100 MB", /more than 8388608 bytes/],
  ["floods with notifications", /more than can be read/],
  ["floods with noise", /other things than messages/],
  ["lies about its result", /otherwise than it declares: count expected number/],
];

test.each<Case>(inCalls)("a server that %s fails its own call only", async (way, reason, more = {}) => {
  const [bad, good] = [setUpBad(way, more), setUpBad("works")];
  const house = await openMcpHouse({ file: { bad: bad.entry, good: good.entry } });
  const tool = await house.getTool("mcp__bad__echo");
  const other = await house.getTool("mcp__good__echo");
  const failed = callTool(tool, { text: "hello" });
  await expect(failed).rejects.toThrow(reason);
  expect(await callTool(other, { text: "and you?" })).toMatchObject({ output: "and you?" });
  expect(bad.trace()).toContain("tools/call echo");
  exercised.add(way);
  await house.servers.close();
  expect([...pidsIn(bad.trace()), ...pidsIn(good.trace())].filter(isRunning)).toEqual([]);
});

const atStart: Case[] = [
  ["says nothing", /did not answer in time/],
  ["never lists", /did not answer in time/],
  ["dies at once", /ended with code 3/],
  ["greets with rubbish", /not what the protocol asks for/],
  ["cannot be found", /could not be started \(ENOENT\)/, { command: "/no/such/program" }],
];

test.each<Case>(atStart)("a server that %s is told of and holds up nobody", async (way, why, more = {}) => {
  const [bad, good] = [setUpBad(way, more), setUpBad("works")];
  const house = await openMcpHouse({
    file: { bad: bad.entry, good: good.entry },
    more: { limits: { connectMs: 1500 } },
  });
  const other = await house.getTool("mcp__good__echo");
  expect(await callTool(other, { text: "hello" })).toMatchObject({ output: "hello" });
  expect((await house.servers.tools("u")).map(({ name }) => name)).toEqual(["mcp__good__echo"]);
  const statusOf = async () => (await house.servers.status("u")).find(({ server }) => server === "bad");
  await expect.poll(statusOf).toMatchObject({ state: "resting", why: expect.stringMatching(why), tools: [] });
  exercised.add(way);
  await house.servers.close();
  expect([...pidsIn(bad.trace()), ...pidsIn(good.trace())].filter(isRunning)).toEqual([]);
});

const inLists: [way: string, offered: number][] = [
  ["lists rubbish", 1],
  ["lists too much", 500],
  ["lists without end", 1],
];

test.each(inLists)("of a server that %s what can be used is offered", async (way, offered) => {
  const bad = setUpBad(way);
  const house = await openMcpHouse({ file: { bad: bad.entry } });
  await expect.poll(async () => (await house.servers.tools("u")).length).toBe(offered);
  const [status] = await house.servers.status("u");
  expect(status?.problems.length).toBeGreaterThan(0);
  const [tool] = await house.servers.tools("u");
  expect(await callTool(tool!, { text: "hello" })).toMatchObject({ output: "hello" });
  exercised.add(way);
});

test("a server that writes words among its messages, or floods its error output, goes on working", async () => {
  for (const way of ["greets in words", "floods its error output"]) {
    const bad = setUpBad(way);
    const house = await openMcpHouse({ file: { bad: bad.entry } });
    const tool = await house.getTool("mcp__bad__echo");
    const { output } = await callTool(tool, { text: "hello" });
    expect(output).toBe(way === "greets in words" ? "hello" : "still here");
    exercised.add(way);
    await house.servers.close();
    expect(pidsIn(bad.trace()).filter(isRunning)).toEqual([]);
  }
});

test("a server that ignores being asked to end, and what it has started, are gone when all is closed", async () => {
  for (const way of ["does not end", "starts others"]) {
    const bad = setUpBad(way);
    const house = await openMcpHouse({ file: { bad: bad.entry } });
    await house.getTool("mcp__bad__echo");
    const pids = pidsIn(bad.trace());
    expect(pids).toHaveLength(way === "starts others" ? 2 : 1);
    expect(pids.filter(isRunning)).toEqual(pids);
    await house.servers.close();
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    exercised.add(way);
  }
});

test("a server that died is started again, and its calls work", async () => {
  const bad = setUpBad("dies in a call");
  const house = await openMcpHouse({ file: { bad: bad.entry }, more: { limits: { firstRestMs: 1 } } });
  const tool = await house.getTool("mcp__bad__echo");
  await expect(callTool(tool, { text: "one" })).rejects.toThrow(/ended with code 7/);
  await expect(callTool(tool, { text: "two" })).rejects.toThrow(/ended with code 7/);
  expect(new Set(pidsIn(bad.trace())).size).toBe(2);
  expect(house.notes.filter((note) => note.includes("is not there"))).not.toEqual([]);
  expect((await house.servers.tools("u")).map(({ name }) => name)).toEqual(["mcp__bad__echo"]);
});

test("rests grow while a server keeps failing", async () => {
  const bad = setUpBad("dies at once");
  const limits = { firstRestMs: 1, longestRestMs: 3_600_000 };
  const house = await openMcpHouse({ file: { bad: bad.entry, good: setUpBad("works").entry }, more: { limits } });
  const restsOf = () => house.notes.flatMap((note) => /after (\d+) ms/.exec(note)?.[1] ?? []).map(Number);
  await expect
    .poll(async () => {
      await house.servers.tools("u");
      return restsOf();
    })
    .toEqual(expect.arrayContaining([1, 2, 4, 8, 16]));
});

test("stopping a call tells the server, and one that does not even answer then is ended", async () => {
  const bad = setUpBad("hangs in a call");
  const blocked = setUpBad("hangs and blocks");
  const house = await openMcpHouse({ file: { bad: bad.entry, blocked: blocked.entry } });
  for (const [name, server] of [["bad", bad] as const, ["blocked", blocked] as const]) {
    const tool = await house.getTool(`mcp__${name}__echo`);
    const stop = new AbortController();
    const call = callTool(tool, { text: "hello" }, { signal: stop.signal });
    await expect.poll(server.trace).toContain("tools/call echo");
    stop.abort();
    await expect(call).rejects.toThrow("stopped");
  }
  await expect.poll(bad.trace).toContain("notifications/cancelled");
  expect(pidsIn(bad.trace()).filter(isRunning)).toHaveLength(1);
  await expect.poll(() => pidsIn(blocked.trace()).filter(isRunning)).toEqual([]);
});

test("what a tool tells on its way is shown", async () => {
  const house = await openMcpHouse({ file: { slow: setUpBad("works slowly").entry } });
  const tool = await house.getTool("mcp__slow__echo");
  expect(await callTool(tool, { text: "go" })).toMatchObject({
    output: "done",
    progress: [{ text: "half way", done: 1, of: 2 }],
  });
});

test("a program sees the variables of its own entry, and none of this process", async () => {
  const good = setUpBad("works");
  const house = await openMcpHouse({ file: { good: good.entry } });
  await house.getTool("mcp__good__echo");
  expect(good.trace()).toContain("environment HOME MCP_TRACE PATH");
  expect(Object.keys(process.env).length).toBeGreaterThan(3);
});

test("each of these servers has really been run", () => {
  expect([...exercised].toSorted()).toEqual(
    [...inCalls, ...atStart, ...inLists]
      .map(([way]) => way)
      .concat("greets in words", "floods its error output", "does not end", "starts others")
      .toSorted(),
  );
});
