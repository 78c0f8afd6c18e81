import { expect, test } from "vitest";
import { callTool, openMcpSetup, setUpBad } from "../support/mcp/mcp-setup.ts";

const TOOL = "mcp__shop__echo";
const CHANGED = "sends everything to another host";

test("a changed tool is neither called nor shown to a model until the user accepts it", async () => {
  const shop = setUpBad("works");
  const setup = await openMcpSetup({ file: { shop: shop.entry } });
  const tool = await setup.getTool(TOOL, "ann");
  expect(await callTool(tool, { text: "one" })).toMatchObject({ output: "one" });
  expect(await setup.store.read.mcpPins("ann", "shop")).toMatchObject([
    { tool: "echo", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);

  await callTool(tool, { text: "change" });
  const changesOf = async (userId: string) => (await setup.servers.status(userId))[0]?.changes ?? [];
  await expect.poll(async () => (await changesOf("ann")).length).toBe(1);
  const called = shop.trace().filter((line) => line === "tools/call echo").length;
  await expect(callTool(tool, { text: "two" })).rejects.toThrow(/has changed since it was first used/);
  const [offered] = await setup.servers.tools("ann");
  expect(offered?.description).toBe("says it again");
  await expect(callTool(offered!, { text: "three" })).rejects.toThrow(/has changed/);
  expect(shop.trace().filter((line) => line === "tools/call echo")).toHaveLength(called);

  const [change] = await changesOf("ann");
  expect((await setup.servers.status("ann"))[0]?.tools).toMatchObject([{ tool: "echo", changed: true }]);
  expect(change?.lines.filter(({ sign }) => sign !== " ")).toEqual([
    { sign: "-", text: "says it again" },
    { sign: "+", text: CHANGED },
  ]);
  await expect(setup.servers.accept("ann", "shop", "echo", "0".repeat(64))).rejects.toMatchObject({ code: "conflict" });
  await expect(setup.servers.accept("ann", "none", "echo", change!.hash)).rejects.toMatchObject({ code: "not-found" });
  await setup.servers.accept("ann", "shop", "echo", change!.hash);
  const [accepted] = await setup.servers.tools("ann");
  expect(accepted?.description).toBe(CHANGED);
  expect(await callTool(accepted!, { text: "four" })).toMatchObject({ output: "four" });
  expect(await changesOf("ann")).toEqual([]);
});

test("pins are per user: a new user gets the changed tool as it is", async () => {
  const setup = await openMcpSetup({ file: { shop: setUpBad("works").entry } });
  const tool = await setup.getTool(TOOL, "ann");
  await callTool(tool, { text: "change" });
  await expect.poll(async () => (await setup.servers.status("ann"))[0]?.changes.length).toBe(1);
  const theirs = await setup.getTool(TOOL, "ben");
  expect(theirs.description).toBe(CHANGED);
  expect(await callTool(theirs, { text: "hello" })).toMatchObject({ output: "hello" });
  await expect(callTool(tool, { text: "hello" })).rejects.toThrow(/has changed/);
});

test("detects a change made during a restart", async () => {
  const setup = await openMcpSetup({ file: { shop: setUpBad("works").entry } });
  await setup.getTool(TOOL, "ann");
  const [pin] = await setup.store.read.mcpPins("ann", "shop");
  const body = pin!.body.replace("says it again", "said it once");
  const row = { ...pin!, hash: "0".repeat(64), body };
  await setup.store.commit([{ events: [], writes: [{ do: "put", table: "mcp_pins", row }] }]);
  await setup.restart();
  const tool = await setup.getTool(TOOL, "ann");
  expect(tool.description).toBe("said it once");
  await expect(callTool(tool, { text: "hello" })).rejects.toThrow(/has changed/);
});

test("offers the pinned tools of a disconnected server; their calls fail with the reason", async () => {
  const shop = setUpBad("works");
  const file: Record<string, object> = { shop: shop.entry };
  const first = await openMcpSetup({ file });
  await first.getTool(TOOL, "ann");
  const pins = await first.store.read.mcpPins("ann", "shop");
  const gone = { ...shop.entry, command: "/no/such/program" };
  const setup = await openMcpSetup({ file: { shop: gone }, more: { limits: { minRetryMs: 60_000 } } });
  const writes = pins.map((row) => ({ do: "put" as const, table: "mcp_pins" as const, row }));
  await setup.store.commit([{ events: [], writes }]);
  const [tool] = await setup.servers.tools("ann");
  expect(tool).toMatchObject({ name: TOOL, description: "says it again" });
  await expect(callTool(tool!, { text: "hello" })).rejects.toThrow(/could not be started.*Try again in 60 s/);
});

test("a tool that the server no longer has is not offered", async () => {
  const setup = await openMcpSetup({ file: { shop: setUpBad("works").entry } });
  await setup.getTool(TOOL, "ann");
  const [pin] = await setup.store.read.mcpPins("ann", "shop");
  const row = { ...pin!, tool: "old", body: pin!.body.replace('"name":"echo"', '"name":"old"') };
  await setup.store.commit([{ events: [], writes: [{ do: "insert", table: "mcp_pins", row }] }]);
  const other = await setup.restart();
  const early = (await other.tools("ann")).map(({ name }) => name);
  expect(early).toEqual([TOOL]);
});
