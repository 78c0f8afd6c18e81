import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ThreadView } from "../../protocol/fold.ts";
import { textOf } from "../../protocol/fold.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { query } from "../support/server/database.ts";
import { openThreadClient, type ThreadClient } from "../support/server/thread-client.ts";
import { until } from "../support/server/until.ts";
import { openLoopback } from "../support/web/loopback.ts";
import { checkHistory } from "./chaos/check-history.ts";
import type { Act } from "./chaos/history.ts";
import { readHistory } from "./chaos/read-history.ts";

/** A server that is stopped during many answers shuts down in time, and no answer is damaged. */
const [STREAMS, ROLLING_STREAMS] = process.env["STONECHAT_DEEP"] === "1" ? [200, 40] : [60, 20];
const text = "say 100 words every 20ms";
const noGrace = { STONECHAT_GRACE_SECONDS: "0" };
const nothing = { lost: [], doubled: [], stuck: [], contradicted: [] };

const hasBegun = ({ messages }: ThreadView): boolean =>
  messages.some(({ role, parts }) => role === "assistant" && textOf(parts) !== "");

type Place = Parameters<typeof openThreadClient>[0];

/** Threads with a running answer in each, and the acknowledged messages. */
async function chatInMany(count: number, placeOf: (n: number) => Place) {
  const chats = await Promise.all(Array.from({ length: count }, (_, n) => openThreadClient(placeOf(n), `many-${n}`)));
  const acts = await Promise.all(
    chats.map(async ({ threadId, send }): Promise<Act> => {
      return { threadId, id: await send(text), kind: "message", text, state: "acknowledged" };
    }),
  );
  await Promise.all(chats.map(({ follower }) => follower.until(hasBegun)));
  return { chats, acts };
}

const countEnded = (chats: readonly ThreadClient[]): number =>
  chats.filter(({ follower }) => follower.view().run?.state === "ended").length;

const finishAll = (chats: readonly ThreadClient[], acts: readonly Act[]) =>
  Promise.all(chats.map((chat, n) => chat.answered(acts[n]!.id)));

test("SIGTERM lets running answers finish within the grace period and leaves new messages queued", async () => {
  const server = await startServer({ program: "main", env: { STONECHAT_GRACE_SECONDS: "120" } });
  try {
    const { chats, acts } = await chatInMany(3, () => server);
    const queued = await chats[0]!.send("say queued before");
    server.signal("SIGTERM");
    await until(
      "the server reports that it is not ready",
      async () => (await fetch(`${server.url}/readyz`)).status === 503,
    );
    expect(countEnded(chats)).toBe(0);
    const late = await openThreadClient(server, "late");
    const asked = await late.send("say admitted while draining");
    const answers = await finishAll(chats, acts);
    expect(await server.exited()).toEqual({ code: 0, signal: null });
    expect(answers.map(({ run }) => run.outcome)).toEqual(["done", "done", "done"]);
    // Finished without a second attempt.
    const attempts = answers.map(({ message }) => message.parts.filter(({ kind }) => kind === "step").length);
    expect(attempts).toEqual([1, 1, 1]);
    const waiting = await query<{ id: string }>(server, "select id from inputs where state = ?", ["queued"]);
    expect(waiting.map(({ id }) => id).toSorted()).toEqual([queued, asked].toSorted());
    await server.restart();
    expect((await chats[0]!.answered(queued)).run.outcome).toBe("done");
    expect((await late.answered(asked)).run.outcome).toBe("done");
    for (const chat of [...chats, late]) chat.close();
  } finally {
    await server.close();
  }
});

test(`SIGTERM under ${STREAMS} streams: the server exits in time, and after a restart every answer is finished`, async () => {
  const server = await startServer({ program: "main", env: noGrace });
  try {
    const { chats, acts } = await chatInMany(STREAMS, () => server);
    const askedAt = performance.now();
    const exit = await server.kill("SIGTERM");
    const tookMs = Math.round(performance.now() - askedAt);
    console.log(`left ${tookMs} ms after SIGTERM, with ${STREAMS - countEnded(chats)} answers under way`);
    expect(exit).toEqual({ code: 0, signal: null });
    expect(countEnded(chats)).toBeLessThan(STREAMS / 10);
    await server.restart();
    const answers = await finishAll(chats, acts);
    expect(answers.filter(({ run }) => run.outcome !== "done")).toEqual([]);
    expect(checkHistory(await readHistory(server, { acts, threads: chats }))).toEqual(nothing);
    for (const chat of chats) chat.close();
  } finally {
    await server.close();
  }
});

describe.skipIf(!findPostgres())("two nodes restarted one after the other", () => {
  let nodes: readonly [ServerProcess, ServerProcess];
  beforeAll(async () => {
    const databaseUrl = await createDatabase();
    const first = await startServer({ program: "main", databaseUrl, env: noGrace });
    nodes = [first, await startServer({ program: "main", databaseUrl, env: noGrace })];
  });
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.close()));
  });

  test("reconnecting clients see every answer finish", async () => {
    let connections = 0;
    const url = () => nodes[(connections += 1) % 2]!.url;
    const { chats, acts } = await chatInMany(ROLLING_STREAMS, (n) => ({ url, client: nodes[n % 2]!.client }));
    // Not after the restarts, because they may take longer than the answers.
    expect(countEnded(chats)).toBeLessThan(ROLLING_STREAMS);
    for (const node of nodes) {
      expect(await node.kill("SIGTERM")).toEqual({ code: 0, signal: null });
      await node.restart();
    }
    const answers = await finishAll(chats, acts);
    expect(answers.filter(({ run }) => run.outcome !== "done")).toEqual([]);
    expect(checkHistory(await readHistory(nodes[0], { acts, threads: chats }))).toEqual(nothing);
    for (const chat of chats) chat.close();
  });
});

test("SIGTERM closes the database cleanly while the receiver of telemetry does not respond", async () => {
  const receiver = await openLoopback(() => {});
  const server = await startServer({
    program: "main",
    env: { ...noGrace, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
  });
  try {
    const chat = await openThreadClient(server, "spans");
    await chat.answered(await chat.send("say words"));
    chat.close();
    // A request is open when the server stops.
    await until("telemetry is being sent", async () => receiver.asked.length > 0);
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(await query(server, "select value from meta where key = 'stopped'")).toEqual([{ value: "clean" }]);
  } finally {
    await server.close();
    await receiver.close();
  }
});
