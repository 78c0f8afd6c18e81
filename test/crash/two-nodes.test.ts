import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf, type ThreadView } from "../../protocol/fold.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { readEffects } from "../support/server/effects.ts";
import { followThread } from "../support/server/event-stream.ts";
import { openThreadClient } from "../support/server/thread-client.ts";
import { until } from "../support/server/until.ts";
import { findStaleWrites, readAudit, type AuditRow } from "./nodes/audit.ts";
import { LEASE_MS, other, readMetric, startNodes, type Nodes } from "./nodes/two-nodes.ts";

/** Two processes on one database: each run has one writer at a time, and a node that lost its lease writes nothing more. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
const [threads, rounds] = isDeep ? [300, 20] : [12, 1];
const WORDS = 60;
const answer = Array.from({ length: WORDS }, (_, n) => `w${n + 1}`).join(" ");

describe.skipIf(!findPostgres())("two nodes on one PostgreSQL", () => {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await startNodes(await createDatabase());
  });
  afterAll(async () => {
    await nodes?.close();
  });

  /** Freezes the node that writes an answer until the other node has finished it, then resumes the first one. */
  const freezeHolder = async ({ databaseUrl, all: [first, second], byName, ...rest }: Nodes) => {
    const chat = await openThreadClient(first);
    const asked = await chat.send(`say ${WORDS} words every 40ms`);
    const watched = { threadId: chat.threadId };
    const followers = [first, second].map(({ url }) => followThread({ url, ...watched }));
    await Promise.all(followers.map((one) => one.until(hasBegun)));
    const written = await readAudit(databaseUrl, chat.threadId);
    const holder = byName(written.at(-1)!.node);
    const taker = other({ databaseUrl, all: [first, second], byName, ...rest }, holder);
    const failedBefore = await readMetric(holder, "runs_failed");
    holder.signal("SIGSTOP");
    const frozenAt = performance.now();
    const seen = followers[taker === first ? 0 : 1]!;
    await seen.until(({ messages }) => messages.some(({ parts }) => parts.some((part) => part.kind === "notice")));
    const takeoverMs = performance.now() - frozenAt;
    await seen.until(({ run }) => run?.state === "ended");
    holder.signal("SIGCONT");
    await until("the stale holder has given up", async () => (await readMetric(holder, "runs_driving")) === 0);
    const { message, run } = await chat.answered(asked);
    for (const one of [...followers, chat]) one.close();
    return {
      takeoverMs,
      outcome: run.outcome,
      text: textOf(message.parts),
      refused: (await readMetric(holder, "runs_failed")) - failedBefore,
      stale: findStaleWrites(await readAudit(databaseUrl, chat.threadId)),
    };
  };

  test("compete for runs: each run is finished by one node, and every effect happens an allowed number of times", async () => {
    const chats = await Promise.all(
      Array.from({ length: threads }, (_, n) => openThreadClient(nodes.all[n % 2]!, `race-${n}`)),
    );
    await Promise.all(
      chats.map(async (chat, n) => {
        const asked: string[] = [];
        for (let turn = 0; turn < 3; turn += 1) {
          const id = `race-${n}-${turn}`;
          const text = `say 3 words then call effect_once {"token":"${id}"} then say 3 words`;
          const node = nodes.all[(n + turn) % 2]!;
          await node.client.sendMessage({ params: { threadId: chat.threadId }, body: { id, text } });
          asked.push(id);
          // Half of the threads get all messages at once, half turn by turn, so that leases are both contested and handed over.
          if (n % 4 > 1) await chat.answered(id);
        }
        for (const id of asked) expect((await chat.answered(id)).run.outcome).toBe("done");
        chat.close();
      }),
    );
    const written = await readAudit(nodes.databaseUrl);
    expect(findStaleWrites(written)).toEqual([]);
    const tokens = readEffects(nodes.dataDir).map(({ token }) => token);
    expect(new Set(tokens).size).toBe(tokens.length);
    expect(tokens.length).toBe(threads * 3);
    const writers = Map.groupBy(written, ({ stream }) => stream);
    expect([...writers.values()].filter((rows) => countNodes(rows) > 1)).not.toEqual([]);
  });

  test("a node frozen longer than its lease loses it, and writes nothing when it resumes", async () => {
    for (let round = 1; round <= rounds; round += 1) {
      const { takeoverMs, ...frozen } = await freezeHolder(nodes);
      console.log(`takeover ${round}: ${Math.round(takeoverMs)} ms after the freeze, with a lease of ${LEASE_MS} ms`);
      expect(frozen).toEqual({ outcome: "done", text: answer, refused: 1, stale: [] });
    }
  });

  test("control: without the fence stale writes are detected", async () => {
    const unfenced = await startNodes(await createDatabase(), "no-fence");
    const { stale } = await freezeHolder(unfenced);
    await unfenced.close();
    expect(stale).not.toEqual([]);
  });
});

const hasBegun = ({ messages }: ThreadView): boolean =>
  messages.some(({ role, parts }) => role === "assistant" && textOf(parts) !== "");

const countNodes = (rows: readonly AuditRow[]): number => new Set(rows.map(({ node }) => node)).size;
