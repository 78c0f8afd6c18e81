import { expect, test } from "vitest";
import { agree, startHttpServer, type Way } from "../support/mcp/http-server.ts";
import { callTool, openMcpHouse } from "../support/mcp/mcp-house.ts";

const exercised = new Set<string>();

test.each<[Way, RegExp]>([
  ["cuts the stream", /cut before the answer came/],
  ["ends the stream", /cut before the answer came/],
  ["breaks the connection", /closed without an answer|closed before/],
  ["sends 100 MB", /more than 8388608 bytes/],
  ["streams 100 MB", /cut before the answer came/],
  ["floods the stream", /cut before the answer came/],
  ["answers with a page", /Unexpected content type/],
  ["answers in gzip", /encoded in a way/],
  ["fails with 500", /^web: It answered with status 500\.$/],
])("a server that %s fails its own call, and the next one works", async (way, reason) => {
  const server = await startHttpServer();
  const house = await openMcpHouse({ file: { web: { url: server.url } } });
  const tool = await house.getTool("mcp__web__echo");
  server.way = way;
  await expect(callTool(tool, { text: "one" })).rejects.toThrow(reason);
  expect(server.visits).toContain("POST /mcp tools/call");
  exercised.add(way);
  server.way = "works";
  expect(await callTool(tool, { text: "two" })).toMatchObject({ output: "two" });
});

test("a redirect to another origin is not followed, and nothing of the request goes there", async () => {
  const elsewhere = await startHttpServer();
  const server = await startHttpServer({ elsewhere: elsewhere.url });
  const headers = { "x-api-key": "the operator's key" };
  const house = await openMcpHouse({ file: { web: { url: server.url, headers } } });
  const tool = await house.getTool("mcp__web__echo");
  expect(server.headers.every((one) => one["x-api-key"] === "the operator's key")).toBe(true);
  server.way = "redirects elsewhere";
  await expect(callTool(tool, { text: "hello" })).rejects.toThrow(/status 307/);
  expect(elsewhere.visits).toEqual([]);
});

test("a session that the server forgot is opened again, and the call is answered", async () => {
  const server = await startHttpServer();
  const house = await openMcpHouse({ file: { web: { url: server.url } } });
  const tool = await house.getTool("mcp__web__echo");
  server.way = "forgets the session";
  expect(await callTool(tool, { text: "still there?" })).toMatchObject({ output: "still there?" });
  expect(server.counts.sessions).toBe(2);
});

test("an answer that streams brings its progress", async () => {
  const server = await startHttpServer();
  const house = await openMcpHouse({ file: { web: { url: server.url } } });
  const tool = await house.getTool("mcp__web__echo");
  server.way = "streams";
  expect(await callTool(tool, { text: "bit by bit" })).toMatchObject({ output: "bit by bit", progress: [{ done: 1 }] });
});

test("a server that ends its stream of news at once is not asked for it without end", async () => {
  const server = await startHttpServer();
  const house = await openMcpHouse({ file: { web: { url: server.url } } });
  const tool = await house.getTool("mcp__web__echo");
  const countGets = () => server.visits.filter((visit) => visit === "GET /mcp").length;
  await expect.poll(countGets).toBeGreaterThanOrEqual(5);
  for (let count = 0; count < 50; count += 1) await callTool(tool, { text: "again" });
  expect(countGets()).toBe(5);
});

test("stopping a call that hangs tells the server", async () => {
  const server = await startHttpServer();
  const house = await openMcpHouse({ file: { web: { url: server.url } } });
  const tool = await house.getTool("mcp__web__echo");
  server.way = "hangs";
  const stop = new AbortController();
  const call = callTool(tool, { text: "hello" }, { signal: stop.signal });
  await expect.poll(() => server.visits).toContain("POST /mcp tools/call");
  stop.abort();
  await expect(call).rejects.toThrow("stopped");
  await expect.poll(() => server.visits).toContain("POST /mcp notifications/cancelled");
  exercised.add("hangs");
});

test("an address inside this network is reached only where the operator allows it", async () => {
  const server = await startHttpServer();
  const { createStream } = await import("../../server/net/open-stream.ts");
  const { systemClock } = await import("../../server/lib/clock.ts");
  const stream = createStream({ userAgent: "Stonechat/0", clock: systemClock });
  const house = await openMcpHouse({ file: { web: { url: server.url } }, more: { stream } });
  await house.servers.tools("u");
  const statusOf = async () => (await house.servers.status("u"))[0];
  await expect.poll(statusOf).toMatchObject({ state: "resting", why: expect.stringContaining("public internet") });
  expect(server.visits).toEqual([]);
});

test("a person signs in, and their tokens are theirs, sealed, and outlive a restart", async () => {
  const server = await startHttpServer({ signIn: true });
  const house = await openMcpHouse({ file: { web: { url: server.url } } });
  expect(await house.servers.tools("ann")).toEqual([]);
  expect(await house.servers.status("ann")).toMatchObject([{ state: "signed-out", why: "It asks you to sign in." }]);
  expect(server.counts.registered).toBe(0);

  const address = await house.servers.signIn("ann", "web");
  expect(new URL(address).pathname).toBe("/authorize");
  const answer = agree(server, address);
  await expect(house.servers.finishSignIn("ben", answer)).rejects.toMatchObject({ code: "forbidden" });
  await expect(house.servers.finishSignIn("ann", { ...answer, state: "made-up" })).rejects.toMatchObject({
    code: "forbidden",
  });
  await house.servers.finishSignIn("ann", answer);
  await expect(house.servers.finishSignIn("ann", answer)).rejects.toMatchObject({ code: "conflict" });

  const tool = await house.getTool("mcp__web__echo", "ann");
  expect(await callTool(tool, { text: "hello" })).toMatchObject({ output: "hello" });
  expect(await house.servers.tools("ben")).toEqual([]);

  const kept = await house.store.read.meta('mcp-sign-in:["ann","web"]');
  expect(kept).toEqual(expect.any(String));
  for (const token of [...server.valid.access, ...server.valid.refresh]) expect(kept).not.toContain(token);

  const again = await house.restart();
  const [later] = await again.tools("ann");
  expect(await callTool(later!, { text: "after the restart" })).toMatchObject({ output: "after the restart" });
  expect(server.counts.registered).toBe(1);
  await again.signOut("ann", "web");
  const [left] = await again.tools("ann");
  await expect(callTool(left!, { text: "signed out" })).rejects.toThrow("asks you to sign in");
});

test("a stale token is renewed once, however many calls find it stale together", async () => {
  const server = await startHttpServer({ signIn: true });
  const house = await openMcpHouse({ file: { web: { url: server.url } } });
  await house.servers.finishSignIn("ann", agree(server, await house.servers.signIn("ann", "web")));
  const tool = await house.getTool("mcp__web__echo", "ann");
  server.valid.access.clear();
  const texts = ["a", "b", "c", "d", "e"];
  const answers = await Promise.all(texts.map((text) => callTool(tool, { text })));
  expect(answers.map(({ output }) => output)).toEqual(texts);
  expect(server.counts).toMatchObject({ refreshed: 1, refusedRefreshes: 0 });

  server.valid.access.clear();
  server.valid.refresh.clear();
  await expect(callTool(tool, { text: "too late" })).rejects.toThrow("asks you to sign in");
  expect(await house.servers.status("ann")).toMatchObject([{ state: "signed-out" }]);
  await house.servers.finishSignIn("ann", agree(server, await house.servers.signIn("ann", "web")));
  expect(await callTool(tool, { text: "signed in again" })).toMatchObject({ output: "signed in again" });
});

test("the operator's headers go to the server itself, and not to the authorization server it names", async () => {
  const authority = await startHttpServer({ signIn: true });
  const server = await startHttpServer({ signIn: true, authorizationServer: authority.origin });
  const house = await openMcpHouse({ file: { web: { url: server.url, headers: { "x-api-key": "k" } } } });
  const address = await house.servers.signIn("ann", "web");
  expect(new URL(address).origin).toBe(authority.origin);
  await house.servers.finishSignIn("ann", agree(authority, address));
  expect(authority.visits).toContain("POST /token");
  expect(authority.otherHeaders.filter((one) => one["x-api-key"] !== undefined)).toEqual([]);
  expect(server.headers.filter((one) => one["x-api-key"] === "k")).not.toEqual([]);
});

test("tokens of one address are not sent to another of the same name", async () => {
  const [server, other] = [await startHttpServer({ signIn: true }), await startHttpServer({ signIn: true })];
  const house = await openMcpHouse();
  await house.servers.add("ann", { name: "mine", url: server.url });
  await house.servers.finishSignIn("ann", agree(server, await house.servers.signIn("ann", "mine")));
  await house.getTool("mcp__mine__echo", "ann");
  await house.servers.add("ann", { name: "mine", url: other.url });
  await house.servers.tools("ann");
  await expect.poll(async () => (await house.servers.status("ann"))[0]?.state).toBe("signed-out");
  expect(other.headers.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  expect(other.headers).not.toEqual([]);
});

test("a server that a person adds is theirs alone, is an address, and is never trusted", async () => {
  const server = await startHttpServer();
  const house = await openMcpHouse({ file: { web: { url: server.url, trust: true } } });
  await expect(house.servers.add("ann", { name: "web", url: server.url })).rejects.toMatchObject({ code: "conflict" });
  for (const url of ["http://example.com/mcp", "file:///bin/sh", "node server.js", "https://u:p@example.com/"])
    await expect(house.servers.add("ann", { name: "mine", url })).rejects.toMatchObject({ code: "invalid" });
  await house.servers.add("ann", { name: "mine", url: server.url });
  const tool = await house.getTool("mcp__mine__echo", "ann");
  expect(await callTool(tool, { text: "hello" })).toMatchObject({ output: "hello" });
  expect(tool.repeat).toBe("once");
  expect((await house.servers.tools("ben")).map(({ name }) => name)).toEqual(["mcp__web__echo"]);
  await house.servers.remove("ann", "mine");
  expect((await house.servers.tools("ann")).map(({ name }) => name)).toEqual(["mcp__web__echo"]);
});

test("each of these faults has really reached a call", () => {
  expect(exercised.size).toBe(10);
});
