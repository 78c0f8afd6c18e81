import { expect, test } from "vitest";
import { callTool, isRunning, openMcpSetup, pidsIn, setUpBad } from "../support/mcp/mcp-setup.ts";

/**
 * Servers that hang, crash, flood and send wrong data. In each case the tool fails with a reason, a working server next to it is
 * unaffected, and no process is left. `exercised` records the cases that really reached the bad server.
 */
const exercised = new Set<string>();

type Case = [way: string, reason: RegExp, entry?: object];
const inCalls: Case[] = [
  ["hangs in a call", /did not respond in time/, { timeoutMs: 300 }],
  ["hangs and blocks", /did not respond in time/, { timeoutMs: 300 }],
  ["dies in a call", /exited with code 7/],
  ["dies half way through a line", /exited with code 0/],
  ["answers with broken JSON", /not valid JSON/],
  ["answers with the wrong id", /request that was not sent/],
  ["answers with no known shape", /does not follow the protocol/],
  ["answers with an error", /it is broken inside/],
  ["says that it failed", /^no such file$/],
  ["sends 100 MB", /more than 8388608 bytes/],
  ["floods with notifications", /too much data/],
  ["floods with noise", /text that is not a message/],
  ["lies about its result", /does not match its output schema: count expected number/],
];

test.each<Case>(inCalls)("a server that %s fails its own call only", async (way, reason, more = {}) => {
  const [bad, good] = [setUpBad(way, more), setUpBad("works")];
  const setup = await openMcpSetup({ file: { bad: bad.entry, good: good.entry } });
  const tool = await setup.getTool("mcp__bad__echo");
  const other = await setup.getTool("mcp__good__echo");
  const failed = callTool(tool, { text: "hello" });
  await expect(failed).rejects.toThrow(reason);
  expect(await callTool(other, { text: "and you?" })).toMatchObject({ output: "and you?" });
  expect(bad.trace()).toContain("tools/call echo");
  exercised.add(way);
  await setup.servers.close();
  expect([...pidsIn(bad.trace()), ...pidsIn(good.trace())].filter(isRunning)).toEqual([]);
});

const atStart: Case[] = [
  ["says nothing", /did not respond in time/],
  ["never lists", /did not respond in time/],
  ["dies at once", /exited with code 3/],
  ["greets with rubbish", /does not follow the protocol/],
  ["cannot be found", /could not be started \(ENOENT\)/, { command: "/no/such/program" }],
];

test.each<Case>(atStart)("a server that %s is reported and does not delay others", async (way, why, more = {}) => {
  const [bad, good] = [setUpBad(way, more), setUpBad("works")];
  const setup = await openMcpSetup({
    file: { bad: bad.entry, good: good.entry },
    more: { limits: { connectMs: 1500 } },
  });
  const other = await setup.getTool("mcp__good__echo");
  expect(await callTool(other, { text: "hello" })).toMatchObject({ output: "hello" });
  expect((await setup.servers.tools("u")).map(({ name }) => name)).toEqual(["mcp__good__echo"]);
  const statusOf = async () => (await setup.servers.status("u")).find(({ server }) => server === "bad");
  await expect.poll(statusOf).toMatchObject({ state: "resting", why: expect.stringMatching(why), tools: [] });
  exercised.add(way);
  await setup.servers.close();
  expect([...pidsIn(bad.trace()), ...pidsIn(good.trace())].filter(isRunning)).toEqual([]);
});

const inLists: [way: string, offered: number][] = [
  ["lists rubbish", 1],
  ["lists too much", 500],
  ["lists without end", 1],
];

test.each(inLists)("offers the usable tools of a server that %s", async (way, offered) => {
  const bad = setUpBad(way);
  const setup = await openMcpSetup({ file: { bad: bad.entry } });
  await expect.poll(async () => (await setup.servers.tools("u")).length).toBe(offered);
  const [status] = await setup.servers.status("u");
  expect(status?.problems.length).toBeGreaterThan(0);
  const [tool] = await setup.servers.tools("u");
  expect(await callTool(tool!, { text: "hello" })).toMatchObject({ output: "hello" });
  exercised.add(way);
});

test("a server that prints text between messages or floods stderr keeps working", async () => {
  for (const way of ["greets in words", "floods its error output"]) {
    const bad = setUpBad(way);
    const setup = await openMcpSetup({ file: { bad: bad.entry } });
    const tool = await setup.getTool("mcp__bad__echo");
    const { output } = await callTool(tool, { text: "hello" });
    expect(output).toBe(way === "greets in words" ? "hello" : "still here");
    exercised.add(way);
    await setup.servers.close();
    expect(pidsIn(bad.trace()).filter(isRunning)).toEqual([]);
  }
});

test("closing also ends servers that ignore SIGTERM and their child processes", async () => {
  for (const way of ["does not end", "starts others"]) {
    const bad = setUpBad(way);
    const setup = await openMcpSetup({ file: { bad: bad.entry } });
    await setup.getTool("mcp__bad__echo");
    const pids = pidsIn(bad.trace());
    expect(pids).toHaveLength(way === "starts others" ? 2 : 1);
    expect(pids.filter(isRunning)).toEqual(pids);
    await setup.servers.close();
    await expect.poll(() => pids.filter(isRunning)).toEqual([]);
    exercised.add(way);
  }
});

test("a crashed server is restarted and its calls work", async () => {
  const bad = setUpBad("dies in a call");
  const setup = await openMcpSetup({ file: { bad: bad.entry }, more: { limits: { minRetryMs: 1 } } });
  const tool = await setup.getTool("mcp__bad__echo");
  await expect(callTool(tool, { text: "one" })).rejects.toThrow(/exited with code 7/);
  await expect(callTool(tool, { text: "two" })).rejects.toThrow(/exited with code 7/);
  expect(new Set(pidsIn(bad.trace())).size).toBe(2);
  expect(setup.notes.filter((note) => note.includes("is not available"))).not.toEqual([]);
  expect((await setup.servers.tools("u")).map(({ name }) => name)).toEqual(["mcp__bad__echo"]);
});

test("retry delays grow while a server keeps failing", async () => {
  const bad = setUpBad("dies at once");
  const limits = { minRetryMs: 1, maxRetryMs: 3_600_000 };
  const setup = await openMcpSetup({ file: { bad: bad.entry, good: setUpBad("works").entry }, more: { limits } });
  const restsOf = () => setup.notes.flatMap((note) => /after (\d+) ms/.exec(note)?.[1] ?? []).map(Number);
  await expect
    .poll(async () => {
      await setup.servers.tools("u");
      return restsOf();
    })
    .toEqual(expect.arrayContaining([1, 2, 4, 8, 16]));
});

test("cancelling a call notifies the server and ends one that no longer responds", async () => {
  const bad = setUpBad("hangs in a call");
  const blocked = setUpBad("hangs and blocks");
  const setup = await openMcpSetup({ file: { bad: bad.entry, blocked: blocked.entry } });
  for (const [name, server] of [["bad", bad] as const, ["blocked", blocked] as const]) {
    const tool = await setup.getTool(`mcp__${name}__echo`);
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

test("shows the progress a tool reports", async () => {
  const setup = await openMcpSetup({ file: { slow: setUpBad("works slowly").entry } });
  const tool = await setup.getTool("mcp__slow__echo");
  expect(await callTool(tool, { text: "go" })).toMatchObject({
    output: "done",
    progress: [{ text: "half way", done: 1, of: 2 }],
  });
});

test("a program sees the variables of its entry and none of this process", async () => {
  const good = setUpBad("works");
  const setup = await openMcpSetup({ file: { good: good.entry } });
  await setup.getTool("mcp__good__echo");
  expect(good.trace()).toContain("environment HOME MCP_TRACE PATH");
  expect(Object.keys(process.env).length).toBeGreaterThan(3);
});

test("every case above has really been run", () => {
  expect([...exercised].toSorted()).toEqual(
    [...inCalls, ...atStart, ...inLists]
      .map(([way]) => way)
      .concat("greets in words", "floods its error output", "does not end", "starts others")
      .toSorted(),
  );
});
