import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PartOf } from "../../protocol/parts.ts";
import type { Answers } from "../../protocol/question.ts";
import { systemClock } from "../../server/lib/clock.ts";
import type { Script } from "../../server/model/scripted.ts";
import { call, mintId, say, startInstance, type Follower, type Instance } from "../support/instance.ts";
import { callTool, openMcpSetup, packageFile, setUpBad } from "../support/mcp/mcp-setup.ts";
import { startModernServer } from "../support/mcp/modern-server.ts";

const toEnv = (servers: object): Record<string, string> => {
  const path = join(mkdtempSync(join(tmpdir(), "stonechat-mcp-")), "mcp.json");
  writeFileSync(path, JSON.stringify({ mcpServers: servers }));
  return { STONECHAT_MCP: path, STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1" };
};

const findTool = (live: Follower): PartOf<"tool"> | undefined =>
  live
    .view()
    .messages.flatMap(({ parts }) => parts)
    .find((part): part is PartOf<"tool"> => part.kind === "tool");

/** The tool call when it waits for an approval or an answer. */
async function untilAsks(live: Follower, code: string): Promise<PartOf<"tool">> {
  await live.until(({ run }) => run?.state === "waiting" && findTool(live)?.asks?.code === code);
  return findTool(live) as PartOf<"tool">;
}

const approve = ({ client }: Instance, threadId: string, partId: string) =>
  client.decideCall({ params: { threadId }, body: { id: mintId(), partId, decision: "once" } });

const answer = ({ client }: Instance, threadId: string, partId: string, answers: Answers | null) =>
  client.answerQuestion({
    params: { threadId },
    body: { id: mintId(), partId, answers: answers as Record<string, string> },
  });

/** Calls the tool, then answers with its result. */
const script =
  (name: string, input: object): Script =>
  ({ messages }) =>
    messages.at(-1)?.role === "tool" ? say("Done.") : call({ name, input: JSON.stringify(input) });

test("a question of a server waits as a form in the thread, also over a restart, and the call continues with the answer", async () => {
  const server = await startModernServer();
  const options = { env: toEnv({ web: { url: server.url } }), script: script("mcp__web__book", { name: "Ada" }) };
  const first = await startInstance(options);
  await expect
    .poll(async () => (await first.client.listTools({ params: {} })).tools.map(({ name }) => name))
    .toContain("mcp__web__book");
  const threadId = await first.start();
  const live = first.follow(threadId);
  await first.send(threadId, "Book a table");
  const { id: partId } = await untilAsks(live, "irreversible");
  await approve(first, threadId, partId);
  const { asks } = await untilAsks(live, "question");
  expect(asks).toMatchObject({
    text: "web",
    question: {
      question: "How many for Ada?",
      fields: [
        { type: "number", required: true },
        { type: "choice", options: ["garden", "hall"] },
      ],
    },
  });
  const dataDir = await first.leave();

  const second = await startInstance({ ...options, dataDir });
  const later = second.follow(threadId);
  await untilAsks(later, "question");
  await expect(answer(second, threadId, partId, { field_2: "garden" })).rejects.toMatchObject({ code: "invalid" });
  await answer(second, threadId, partId, { field_1: 4, field_2: "garden" });
  expect(await later.ended()).toMatchObject({ outcome: "done" });
  expect(findTool(later)).toMatchObject({
    state: "ok",
    output: "4 seats, garden, table-7",
    untrusted: ["the MCP server web"],
  });
  expect(findTool(later)?.asks).toBeUndefined();
  expect(server.calls).toEqual(["book Ada first", "book Ada accept"]);

  const other = await second.start();
  const skipped = second.follow(other);
  await second.send(other, "Book a table");
  await approve(second, other, (await untilAsks(skipped, "irreversible")).id);
  await answer(second, other, (await untilAsks(skipped, "question")).id, null);
  await skipped.ended();
  expect(findTool(skipped)).toMatchObject({ state: "ok", output: "not booked" });
});

test("a question of a 2025 server is answered while its call is open, and fails after a restart", async () => {
  const everything = packageFile("@modelcontextprotocol/server-everything/dist/index.js");
  const name = "mcp__all__trigger-elicitation-request";
  const options = {
    env: toEnv({ all: { command: process.execPath, args: [everything, "stdio"] } }),
    script: script(name, {}),
  };
  const first = await startInstance(options);
  await expect
    .poll(async () => (await first.client.listTools({ params: {} })).tools.map((tool) => tool.name))
    .toContain(name);
  const ask = async (instance: Instance) => {
    const threadId = await instance.start();
    const live = instance.follow(threadId);
    await instance.send(threadId, "Ask me");
    await approve(instance, threadId, (await untilAsks(live, "irreversible")).id);
    return { threadId, live, part: await untilAsks(live, "question") };
  };
  const { threadId, live, part } = await ask(first);
  const asked = part.asks?.question as
    | { fields: { name: string; label: string; type: string; required: boolean }[] }
    | undefined;
  const given = Object.fromEntries(
    (asked?.fields ?? []).flatMap((field) =>
      field.required || field.type === "text" ? [[field.name, field.type === "yes_no" ? true : "granite"]] : [],
    ),
  );
  await answer(first, threadId, part.id, given as Answers);
  await live.ended();
  expect(findTool(live)).toMatchObject({ state: "ok", output: expect.stringContaining("granite") });

  const parked = await ask(first);
  const dataDir = await first.leave();
  const second = await startInstance({ ...options, dataDir });
  await expect
    .poll(async () => (await second.client.listTools({ params: {} })).tools.map((tool) => tool.name))
    .toContain(name);
  const later = second.follow(parked.threadId);
  await untilAsks(later, "question");
  await answer(second, parked.threadId, parked.part.id, null);
  await later.ended();
  expect(findTool(later)).toMatchObject({ state: "error", errorText: expect.stringContaining("connection was lost") });
});

test("a call that waits for an answer is cancelled when its run is stopped", async () => {
  const bad = setUpBad("asks in a call");
  const name = "mcp__local__echo";
  const instance = await startInstance({ env: toEnv({ local: bad.entry }), script: script(name, { text: "hello" }) });
  await expect
    .poll(async () => (await instance.client.listTools({ params: {} })).tools.map((tool) => tool.name))
    .toContain(name);
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "Ask me");
  await approve(instance, threadId, (await untilAsks(live, "irreversible")).id);
  await untilAsks(live, "question");
  expect(bad.trace()).not.toContain("notifications/cancelled");
  await instance.client.stopRun({ params: { threadId }, body: { id: mintId() } });
  await live.ended();
  await expect.poll(bad.trace).toContain("notifications/cancelled");
  await expect.poll(bad.trace).toContain("answer 9000");
});

test("closes an unused connection, and not one with a running call", async () => {
  const [busy, unused] = [await startModernServer(), await startModernServer()];
  let passedMs = 0;
  const setup = await openMcpSetup({
    file: { busy: { url: busy.url }, unused: { url: unused.url } },
    more: {
      clock: { ...systemClock, monotonic: () => systemClock.monotonic() + passedMs },
      limits: { sweepMs: 5 },
    },
  });
  const wait = await setup.getTool("mcp__busy__wait");
  await setup.getTool("mcp__unused__wait");
  const stop = new AbortController();
  const seen: unknown[] = [];
  const waiting = callTool(wait, {}, { signal: stop.signal, progress: (progress) => void seen.push(progress) });
  await expect.poll(() => seen.length).toBe(1);
  passedMs = 11 * 60_000;
  const readStates = async () =>
    Object.fromEntries((await setup.servers.status("u")).map(({ server, state }) => [server, state]));
  await expect.poll(readStates).toEqual({ busy: "ready", unused: "idle" });
  stop.abort();
  await expect(waiting).rejects.toThrow("stopped");
  await busy.aborted;
  passedMs += 11 * 60_000;
  await expect.poll(readStates).toEqual({ busy: "idle", unused: "idle" });
});

test("a current server reports progress, and sees that a call was stopped", async () => {
  const server = await startModernServer();
  const setup = await openMcpSetup({ file: { web: { url: server.url } } });
  const wait = await setup.getTool("mcp__web__wait");
  const stop = new AbortController();
  const seen: unknown[] = [];
  const waiting = callTool(wait, {}, { signal: stop.signal, progress: (progress) => void seen.push(progress) });
  await expect.poll(() => seen).toMatchObject([{ text: "half", done: 1, of: 2 }]);
  stop.abort();
  await expect(waiting).rejects.toThrow("stopped");
  await server.aborted;
});

test("a current server announces a changed tool, which is not called until the user accepts it", async () => {
  const server = await startModernServer();
  const setup = await openMcpSetup({ file: { web: { url: server.url } } });
  const book = await setup.getTool("mcp__web__book");
  server.change();
  await expect.poll(async () => (await setup.servers.status("u"))[0]?.changes).toMatchObject([{ tool: "book" }]);
  await expect(callTool(book, { name: "Ada" })).rejects.toThrow("has changed since it was first used");
  expect(server.calls).toEqual([]);
});

test("sends the headers that a user entered to that server, stores them encrypted and never returns them", async () => {
  const server = await startModernServer();
  const { client, server: instance } = await startInstance({ env: { STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1" } });
  const body = { name: "mine", url: server.url, headers: { Authorization: "Bearer the-secret-key" } };
  const { servers } = await client.addServer({ params: {}, body });
  expect(servers).toMatchObject([{ server: "mine", headers: ["Authorization"] }]);
  expect(JSON.stringify(servers)).not.toContain("the-secret-key");
  await expect
    .poll(async () => (await client.listTools({ params: {} })).tools.map(({ name }) => name))
    .toContain("mcp__mine__book");
  expect(server.headers.every((headers) => headers.get("authorization") === "Bearer the-secret-key")).toBe(true);
  expect(await instance.store.read.meta("mcp-servers:local")).not.toContain("the-secret-key");
  const reserved = { ...body, headers: { Host: "evil.example" } };
  await expect(client.addServer({ params: {}, body: reserved })).rejects.toMatchObject({ code: "invalid" });
});
