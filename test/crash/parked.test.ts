import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { query } from "../support/server/database.ts";
import { readEffects } from "../support/server/effects.ts";
import { followThread } from "../support/server/event-stream.ts";
import { openThreadClient, type ThreadClient } from "../support/server/thread-client.ts";
import { until } from "../support/server/until.ts";
import { startNodes } from "./nodes/two-nodes.ts";

/** A step that crashes its process is tried three times. Then its run is parked until the user retries or discards it. */
const isParked = (chat: ThreadClient) => chat.follower.until(({ run }) => run?.state === "parked");
const executions = ({ dataDir }: ServerProcess, token: string): number =>
  readEffects(dataDir).filter((effect) => effect.token === token).length;

const poison = (tool: string, token: string, times: number): string =>
  `say one then call ${tool} ${JSON.stringify({ token, times })} then say two`;

/** PostgreSQL uses the same recovery code, so all cases run on it only in deep runs. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";

describe.each(["SQLite", "PostgreSQL"])("a step that crashes its process, on %s", (kind) => {
  let server: ServerProcess;
  beforeAll(async () => {
    const databaseUrl = kind === "PostgreSQL" ? await createDatabase() : undefined;
    const env = { STONECHAT_LEASE_MS: "500", STONECHAT_GRACE_SECONDS: "0" };
    server = await startServer({ spare: true, env, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
  });
  afterAll(async () => {
    await server?.close();
  });

  const testFully = test.runIf(kind === "SQLite" || isDeep);

  /** Resolves when the run is parked, with the number of crashes until then. */
  const crashUntilParked = async (chat: ThreadClient): Promise<number> => {
    const parked = isParked(chat);
    for (let deaths = 0; ; deaths += 1) {
      const next = await Promise.race([parked, server.exited()]);
      if ("run" in next) return deaths;
      await server.restart();
    }
  };
  /** Queues both messages before the first is claimed. */
  const sendBoth = async (chat: ThreadClient, first: string, second: string): Promise<readonly [string, string]> => {
    await chat.send("hang");
    await chat.follower.until(({ run }) => run?.state === "running");
    const ids = [await chat.send(first), await chat.send(second)] as const;
    // The response may be lost, because the process stops as soon as the next message is claimed.
    await chat.stop().catch(() => {});
    return ids;
  };
  const retry = ({ threadId }: ThreadClient) =>
    server.client.retryRun({ params: { threadId }, body: { id: randomUUID() } });

  test("is parked after three crashes, stays parked over restarts, and ends after Retry with the queued messages", async () => {
    const chat = await openThreadClient(server);
    const token = `exit ${kind}`;
    const [asked, queued] = await sendBoth(chat, poison("effect_exit", token, 3), "say later");
    expect(await crashUntilParked(chat)).toBe(3);
    expect(executions(server, token)).toBe(3);
    const { run, thread, queue } = chat.follower.view();
    expect(run?.reason?.code).toBe("parked");
    expect(run?.reason?.text).toContain("The server stopped three times while running `effect_exit`.");
    expect(thread?.status).toBe("waiting");
    expect(queue.map(({ id }) => id)).toEqual([queued]);
    // Other threads get answers, and this one stays parked, also after another restart.
    await server.restart();
    const other = await openThreadClient(server);
    expect((await other.answered(await other.send("say hello"))).run.outcome).toBe("done");
    expect(executions(server, token)).toBe(3);
    await retry(chat);
    const { run: ended, message } = await chat.answered(asked);
    expect(ended).toMatchObject({ outcome: "done", reason: null });
    expect(textOf(message.parts)).toBe("one\n\ntwo");
    expect(executions(server, token)).toBe(4);
    expect(textOf((await chat.answered(queued)).message.parts)).toBe("later");
    await expect(retry(chat)).rejects.toMatchObject({ code: "conflict" });
    for (const one of [chat, other]) one.close();
  });

  testFully("is parked alone: answers that ran beside it go on", async () => {
    const tokens = [1, 2].map((n) => `innocent ${n} ${kind}`);
    const others = await Promise.all(tokens.map(() => openThreadClient(server)));
    const slow = (token: string): string =>
      `say one then call effect_pure ${JSON.stringify({ token, afterMs: 2_500 })} then say two`;
    const asked = await Promise.all(others.map((chat, n) => chat.send(slow(tokens[n] ?? ""))));
    await until("both tools run", async () => tokens.every((token) => executions(server, token) > 0));
    const chat = await openThreadClient(server);
    const input = JSON.stringify({ token: `guilty ${kind}`, times: 99, beforeMs: 800 });
    await chat.send(`call effect_exit ${input} then say two`);
    expect(await crashUntilParked(chat)).toBe(3);
    for (const [n, other] of others.entries()) {
      const { run, message } = await other.answered(asked[n] ?? "");
      expect(run.outcome).toBe("done");
      expect(textOf(message.parts)).toBe("one\n\ntwo");
    }
    for (const one of [chat, ...others]) one.close();
  });

  testFully("control: two crashes are recovered from without asking anybody", async () => {
    const chat = await openThreadClient(server);
    const token = `twice ${kind}`;
    const [asked] = await sendBoth(chat, poison("effect_exit", token, 2), "say later");
    for (let deaths = 0; deaths < 2; deaths += 1) {
      await server.exited();
      await server.restart();
    }
    expect((await chat.answered(asked)).run.outcome).toBe("done");
    expect(executions(server, token)).toBe(3);
    chat.close();
  });

  testFully(
    "is parked after it blocked the event loop three times; Discard ends it and the queue continues",
    async () => {
      const chat = await openThreadClient(server);
      const token = `block ${kind}`;
      const [asked, queued] = await sendBoth(chat, poison("effect_block", token, 99), "say later");
      for (let blocked = 1; blocked <= 3; blocked += 1) {
        await until("the event loop is blocked", async () => executions(server, token) === blocked);
        await server.restart();
      }
      await isParked(chat);
      expect(chat.follower.view().run?.reason?.text).toContain("while running `effect_block`");
      await chat.stop();
      const { run, message } = await chat.answered(asked);
      expect(run.outcome).toBe("stopped");
      expect(message.parts.find(({ kind: part }) => part === "tool")).toMatchObject({ state: "cancelled" });
      expect((await chat.answered(queued)).run.outcome).toBe("done");
      expect(executions(server, token)).toBe(3);
      chat.close();
    },
  );

  testFully("a parked thread can be deleted, and nothing of it is left", async () => {
    const chat = await openThreadClient(server);
    await sendBoth(chat, poison("effect_exit", `delete ${kind}`, 99), "say later");
    await crashUntilParked(chat);
    const { threadId } = chat;
    await server.client.deleteThread({ params: { threadId } });
    expect(await query(server, "select id from runs where thread = ?", [threadId])).toEqual([]);
    await server.restart();
    await expect(server.client.getThread({ params: { threadId } })).rejects.toMatchObject({ code: "not-found" });
    chat.close();
  });

  testFully("a model call is parked after three kills; orderly shutdowns are not counted", async () => {
    const chat = await openThreadClient(server);
    await chat.send("say one then hang");
    const begun = (attempts: number) =>
      chat.follower.until(({ messages }) => {
        const parts = messages.at(-1)?.parts ?? [];
        // A continued answer first repeats its last words, which are removed, so it has no new text before it hangs.
        const hasText = attempts > 1 || parts.at(-1)?.kind === "text";
        return parts.filter((part) => part.kind === "step").length === attempts && hasText;
      });
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      await begun(attempt);
      await server.kill("SIGTERM");
      await server.restart();
    }
    for (let attempt = 4; attempt <= 6; attempt += 1) {
      await begun(attempt);
      await server.restart();
    }
    const { run } = await isParked(chat);
    expect(run?.reason?.text).toContain("while Scripted was answering");
    chat.close();
  });
});

test.skipIf(!findPostgres())("a run that crashes one node after another is parked, and other answers end", async () => {
  const nodes = await startNodes(await createDatabase());
  const [first, second] = nodes.all;
  const other = await openThreadClient(second);
  const asked = await other.send(
    `say one then call effect_pure ${JSON.stringify({ token: "other", afterMs: 2_500 })} then say two`,
  );
  await until("its tool runs", async () => executions(second, "other") > 0);
  const chat = await openThreadClient(first);
  await chat.send(`call effect_exit ${JSON.stringify({ token: "guilty", times: 99 })} then say two`).catch(() => {});
  await first.exited();
  await second.exited();
  await first.restart();
  await first.exited();
  await second.restart();
  const parked = followThread({ url: second.url, threadId: chat.threadId });
  const { run } = await parked.until(({ run: one }) => one?.state === "parked");
  expect(run?.reason?.text).toContain("The server stopped three times while running `effect_exit`.");
  const stopped = readEffects(nodes.dataDir).filter(({ token }) => token === "guilty");
  expect(new Set(stopped.map(({ pid }) => pid)).size).toBe(3);
  expect((await other.answered(asked)).run.outcome).toBe("done");
  for (const one of [chat, other, parked]) one.close();
  await nodes.close();
});

test("a process with a blocked event loop is ended although it cannot handle SIGTERM", async () => {
  const server = await startServer({ env: { STONECHAT_BLOCKED_SECONDS: "4" } });
  const chat = await openThreadClient(server);
  void chat.send(poison("effect_block", "watchdog", 1)).catch(() => {});
  await until("the event loop is blocked", async () => executions(server, "watchdog") === 1);
  server.signal("SIGTERM");
  expect(await server.exited()).toEqual({ code: null, signal: "SIGKILL" });
  expect(server.output()).toContain("its event loop was blocked");
  await server.restart();
  await chat.follower.until(({ run }) => run?.state === "ended");
  expect(executions(server, "watchdog")).toBe(2);
  chat.close();
  await server.close();
});
