import { expect, test } from "vitest";
import { callTool, openMcpHouse, setUpBad } from "../support/mcp/mcp-house.ts";

const TOOL = "mcp__shop__echo";
const CHANGED = "sends everything to somebody else";

test("a tool that changed is not called, nor are its new words shown to a model, until the person accepts what they saw", async () => {
  const shop = setUpBad("works");
  const house = await openMcpHouse({ file: { shop: shop.entry } });
  const tool = await house.getTool(TOOL, "ann");
  expect(await callTool(tool, { text: "one" })).toMatchObject({ output: "one" });
  expect(await house.store.read.mcpPins("ann", "shop")).toMatchObject([
    { tool: "echo", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);

  await callTool(tool, { text: "change" });
  const changesOf = async (userId: string) => (await house.servers.status(userId))[0]?.changes ?? [];
  await expect.poll(async () => (await changesOf("ann")).length).toBe(1);
  const called = shop.trace().filter((line) => line === "tools/call echo").length;
  await expect(callTool(tool, { text: "two" })).rejects.toThrow(/has changed since it was first used/);
  const [offered] = await house.servers.tools("ann");
  expect(offered?.description).toBe("says it again");
  await expect(callTool(offered!, { text: "three" })).rejects.toThrow(/has changed/);
  expect(shop.trace().filter((line) => line === "tools/call echo")).toHaveLength(called);

  const [change] = await changesOf("ann");
  expect((await house.servers.status("ann"))[0]?.tools).toMatchObject([{ tool: "echo", changed: true }]);
  expect(change?.lines.filter(({ sign }) => sign !== " ")).toEqual([
    { sign: "-", text: "says it again" },
    { sign: "+", text: CHANGED },
  ]);
  await expect(house.servers.accept("ann", "shop", "echo", "0".repeat(64))).rejects.toMatchObject({ code: "conflict" });
  await expect(house.servers.accept("ann", "none", "echo", change!.hash)).rejects.toMatchObject({ code: "not-found" });
  await house.servers.accept("ann", "shop", "echo", change!.hash);
  const [accepted] = await house.servers.tools("ann");
  expect(accepted?.description).toBe(CHANGED);
  expect(await callTool(accepted!, { text: "four" })).toMatchObject({ output: "four" });
  expect(await changesOf("ann")).toEqual([]);
});

test("each person has their own pins, and who comes after a change sees the tool as it is", async () => {
  const house = await openMcpHouse({ file: { shop: setUpBad("works").entry } });
  const tool = await house.getTool(TOOL, "ann");
  await callTool(tool, { text: "change" });
  await expect.poll(async () => (await house.servers.status("ann"))[0]?.changes.length).toBe(1);
  const theirs = await house.getTool(TOOL, "ben");
  expect(theirs.description).toBe(CHANGED);
  expect(await callTool(theirs, { text: "hello" })).toMatchObject({ output: "hello" });
  await expect(callTool(tool, { text: "hello" })).rejects.toThrow(/has changed/);
});

test("a change while nobody looked is found after a restart", async () => {
  const house = await openMcpHouse({ file: { shop: setUpBad("works").entry } });
  await house.getTool(TOOL, "ann");
  const [pin] = await house.store.read.mcpPins("ann", "shop");
  const body = pin!.body.replace("says it again", "said it once");
  const row = { ...pin!, hash: "0".repeat(64), body };
  await house.store.commit([{ events: [], writes: [{ do: "put", table: "mcp_pins", row }] }]);
  await house.restart();
  const tool = await house.getTool(TOOL, "ann");
  expect(tool.description).toBe("said it once");
  await expect(callTool(tool, { text: "hello" })).rejects.toThrow(/has changed/);
});

test("tools of a server that is away are offered as they were, and their calls say what is wrong", async () => {
  const shop = setUpBad("works");
  const file: Record<string, object> = { shop: shop.entry };
  const first = await openMcpHouse({ file });
  await first.getTool(TOOL, "ann");
  const pins = await first.store.read.mcpPins("ann", "shop");
  const gone = { ...shop.entry, command: "/no/such/program" };
  const house = await openMcpHouse({ file: { shop: gone }, more: { limits: { firstRestMs: 60_000 } } });
  const writes = pins.map((row) => ({ do: "put" as const, table: "mcp_pins" as const, row }));
  await house.store.commit([{ events: [], writes }]);
  const [tool] = await house.servers.tools("ann");
  expect(tool).toMatchObject({ name: TOOL, description: "says it again" });
  await expect(callTool(tool!, { text: "hello" })).rejects.toThrow(/could not be started.*tried again in 60 s/);
});

test("a tool that the server no longer has is not offered", async () => {
  const house = await openMcpHouse({ file: { shop: setUpBad("works").entry } });
  await house.getTool(TOOL, "ann");
  const [pin] = await house.store.read.mcpPins("ann", "shop");
  const row = { ...pin!, tool: "old", body: pin!.body.replace('"name":"echo"', '"name":"old"') };
  await house.store.commit([{ events: [], writes: [{ do: "insert", table: "mcp_pins", row }] }]);
  const other = await house.restart();
  const early = (await other.tools("ann")).map(({ name }) => name);
  expect(early).toEqual([TOOL]);
});
