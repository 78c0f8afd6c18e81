import { expect, test } from "vitest";
import { agree, startHttpServer, type Way } from "../support/mcp/http-server.ts";
import { callTool, openMcpSetup } from "../support/mcp/mcp-setup.ts";

const exercised = new Set<string>();

test.each<[Way, RegExp]>([
  ["cuts the stream", /cut before the response arrived/],
  ["ends the stream", /cut before the response arrived/],
  ["breaks the connection", /closed without a response|closed before/],
  ["sends 100 MB", /more than 8388608 bytes/],
  ["streams 100 MB", /cut before the response arrived/],
  ["floods the stream", /cut before the response arrived/],
  ["answers with a page", /Unexpected content type/],
  ["answers in gzip", /unsupported encoding/],
  ["fails with 500", /^web: It responded with HTTP status 500\.$/],
])("a server that %s fails that call only, and the next one works", async (way, reason) => {
  const server = await startHttpServer();
  const setup = await openMcpSetup({ file: { web: { url: server.url } } });
  const tool = await setup.getTool("mcp__web__echo");
  server.way = way;
  await expect(callTool(tool, { text: "one" })).rejects.toThrow(reason);
  expect(server.visits).toContain("POST /mcp tools/call");
  exercised.add(way);
  server.way = "works";
  expect(await callTool(tool, { text: "two" })).toMatchObject({ output: "two" });
});

test("does not follow a redirect to another origin", async () => {
  const elsewhere = await startHttpServer();
  const server = await startHttpServer({ elsewhere: elsewhere.url });
  const headers = { "x-api-key": "the operator's key" };
  const setup = await openMcpSetup({ file: { web: { url: server.url, headers } } });
  const tool = await setup.getTool("mcp__web__echo");
  expect(server.headers.every((one) => one["x-api-key"] === "the operator's key")).toBe(true);
  server.way = "redirects elsewhere";
  await expect(callTool(tool, { text: "hello" })).rejects.toThrow(/status 307/);
  expect(elsewhere.visits).toEqual([]);
});

test("reopens a session that the server lost and repeats the call", async () => {
  const server = await startHttpServer();
  const setup = await openMcpSetup({ file: { web: { url: server.url } } });
  const tool = await setup.getTool("mcp__web__echo");
  server.way = "forgets the session";
  expect(await callTool(tool, { text: "still there?" })).toMatchObject({ output: "still there?" });
  expect(server.counts.sessions).toBe(2);
});

test("a streamed response reports progress", async () => {
  const server = await startHttpServer();
  const setup = await openMcpSetup({ file: { web: { url: server.url } } });
  const tool = await setup.getTool("mcp__web__echo");
  server.way = "streams";
  expect(await callTool(tool, { text: "bit by bit" })).toMatchObject({ output: "bit by bit", progress: [{ done: 1 }] });
});

test("limits reconnects to a server that ends its notification stream at once", async () => {
  const server = await startHttpServer();
  const setup = await openMcpSetup({ file: { web: { url: server.url } } });
  const tool = await setup.getTool("mcp__web__echo");
  const countGets = () => server.visits.filter((visit) => visit === "GET /mcp").length;
  await expect.poll(countGets).toBeGreaterThanOrEqual(5);
  for (let count = 0; count < 50; count += 1) await callTool(tool, { text: "again" });
  expect(countGets()).toBe(5);
});

test("cancelling a hanging call notifies the server", async () => {
  const server = await startHttpServer();
  const setup = await openMcpSetup({ file: { web: { url: server.url } } });
  const tool = await setup.getTool("mcp__web__echo");
  server.way = "hangs";
  const stop = new AbortController();
  const call = callTool(tool, { text: "hello" }, { signal: stop.signal });
  await expect.poll(() => server.visits).toContain("POST /mcp tools/call");
  stop.abort();
  await expect(call).rejects.toThrow("stopped");
  await expect.poll(() => server.visits).toContain("POST /mcp notifications/cancelled");
  exercised.add("hangs");
});

test("a private address is reached only if the operator allows it", async () => {
  const server = await startHttpServer();
  const { createStream } = await import("../../server/net/open-stream.ts");
  const { systemClock } = await import("../../server/lib/clock.ts");
  const stream = createStream({ userAgent: "Stonechat/0", clock: systemClock });
  const setup = await openMcpSetup({ file: { web: { url: server.url } }, more: { stream } });
  await setup.servers.tools("u");
  const statusOf = async () => (await setup.servers.status("u"))[0];
  await expect.poll(statusOf).toMatchObject({ state: "resting", why: expect.stringContaining("public internet") });
  expect(server.visits).toEqual([]);
});

test("a user's tokens are private, encrypted and survive a restart", async () => {
  const server = await startHttpServer({ signIn: true });
  const setup = await openMcpSetup({ file: { web: { url: server.url } } });
  expect(await setup.servers.tools("ann")).toEqual([]);
  expect(await setup.servers.status("ann")).toMatchObject([
    { state: "signed-out", why: "Sign in to this server to use its tools." },
  ]);
  expect(server.counts.registered).toBe(0);

  const address = await setup.servers.signIn("ann", "web");
  expect(new URL(address).pathname).toBe("/authorize");
  const answer = agree(server, address);
  await expect(setup.servers.finishSignIn("ben", answer)).rejects.toMatchObject({ code: "forbidden" });
  await expect(setup.servers.finishSignIn("ann", { ...answer, state: "made-up" })).rejects.toMatchObject({
    code: "forbidden",
  });
  await setup.servers.finishSignIn("ann", answer);
  await expect(setup.servers.finishSignIn("ann", answer)).rejects.toMatchObject({ code: "conflict" });

  const tool = await setup.getTool("mcp__web__echo", "ann");
  expect(await callTool(tool, { text: "hello" })).toMatchObject({ output: "hello" });
  expect(await setup.servers.tools("ben")).toEqual([]);

  const stored = await setup.store.read.meta('mcp-sign-in:["ann","web"]');
  expect(stored).toEqual(expect.any(String));
  for (const token of [...server.valid.access, ...server.valid.refresh]) expect(stored).not.toContain(token);

  const again = await setup.restart();
  const [later] = await again.tools("ann");
  expect(await callTool(later!, { text: "after the restart" })).toMatchObject({ output: "after the restart" });
  expect(server.counts.registered).toBe(1);
  await again.signOut("ann", "web");
  const [left] = await again.tools("ann");
  await expect(callTool(left!, { text: "signed out" })).rejects.toThrow("Sign in to this server");
});

test("concurrent calls refresh an expired token once", async () => {
  const server = await startHttpServer({ signIn: true });
  const setup = await openMcpSetup({ file: { web: { url: server.url } } });
  await setup.servers.finishSignIn("ann", agree(server, await setup.servers.signIn("ann", "web")));
  const tool = await setup.getTool("mcp__web__echo", "ann");
  server.valid.access.clear();
  const texts = ["a", "b", "c", "d", "e"];
  const answers = await Promise.all(texts.map((text) => callTool(tool, { text })));
  expect(answers.map(({ output }) => output)).toEqual(texts);
  expect(server.counts).toMatchObject({ refreshed: 1, refusedRefreshes: 0 });

  server.valid.access.clear();
  server.valid.refresh.clear();
  await expect(callTool(tool, { text: "too late" })).rejects.toThrow("Sign in to this server");
  expect(await setup.servers.status("ann")).toMatchObject([{ state: "signed-out" }]);
  await setup.servers.finishSignIn("ann", agree(server, await setup.servers.signIn("ann", "web")));
  expect(await callTool(tool, { text: "signed in again" })).toMatchObject({ output: "signed in again" });
});

test("sends the operator's headers to the server but not to its authorization server", async () => {
  const authority = await startHttpServer({ signIn: true });
  const server = await startHttpServer({ signIn: true, authorizationServer: authority.origin });
  const setup = await openMcpSetup({ file: { web: { url: server.url, headers: { "x-api-key": "k" } } } });
  const address = await setup.servers.signIn("ann", "web");
  expect(new URL(address).origin).toBe(authority.origin);
  await setup.servers.finishSignIn("ann", agree(authority, address));
  expect(authority.visits).toContain("POST /token");
  expect(authority.otherHeaders.filter((one) => one["x-api-key"] !== undefined)).toEqual([]);
  expect(server.headers.filter((one) => one["x-api-key"] === "k")).not.toEqual([]);
});

test("does not send tokens to another URL with the same server name", async () => {
  const [server, other] = [await startHttpServer({ signIn: true }), await startHttpServer({ signIn: true })];
  const setup = await openMcpSetup();
  await setup.servers.add("ann", { name: "mine", url: server.url });
  await setup.servers.finishSignIn("ann", agree(server, await setup.servers.signIn("ann", "mine")));
  await setup.getTool("mcp__mine__echo", "ann");
  await setup.servers.add("ann", { name: "mine", url: other.url });
  await setup.servers.tools("ann");
  await expect.poll(async () => (await setup.servers.status("ann"))[0]?.state).toBe("signed-out");
  expect(other.headers.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  expect(other.headers).not.toEqual([]);
});

test("a server added by a user is private, must be a URL and is never trusted", async () => {
  const server = await startHttpServer();
  const setup = await openMcpSetup({ file: { web: { url: server.url, trust: true } } });
  await expect(setup.servers.add("ann", { name: "web", url: server.url })).rejects.toMatchObject({ code: "conflict" });
  for (const url of ["http://example.com/mcp", "file:///bin/sh", "node server.js", "https://u:p@example.com/"])
    await expect(setup.servers.add("ann", { name: "mine", url })).rejects.toMatchObject({ code: "invalid" });
  await setup.servers.add("ann", { name: "mine", url: server.url });
  const tool = await setup.getTool("mcp__mine__echo", "ann");
  expect(await callTool(tool, { text: "hello" })).toMatchObject({ output: "hello" });
  expect(tool.repeat).toBe("once");
  expect((await setup.servers.tools("ben")).map(({ name }) => name)).toEqual(["mcp__web__echo"]);
  await setup.servers.remove("ann", "mine");
  expect((await setup.servers.tools("ann")).map(({ name }) => name)).toEqual(["mcp__web__echo"]);
});

test("every fault above has really reached a call", () => {
  expect(exercised.size).toBe(10);
});
