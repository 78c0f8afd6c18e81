import { describe, expect, onTestFinished, test } from "vitest";
import { textOf, type ThreadView } from "../../protocol/fold.ts";
import { createJobs, followDatabaseClock, planJob } from "../../server/jobs/jobs.ts";
import type { Clock } from "../../server/lib/clock.ts";
import { systemIds as ids } from "../../server/lib/ids.ts";
import { createLog } from "../../server/log/log.ts";
import type { Store } from "../../server/store/contract.ts";
import { openPostgres } from "../../server/store/postgres/open.ts";
import { say, startInstance } from "../support/instance.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer } from "../support/server-process.ts";
import { followThread } from "../support/server/event-stream.ts";
import { openThreadClient } from "../support/server/thread-client.ts";
import { until } from "../support/server/until.ts";
import { put } from "../support/store-rows.ts";
import { SECRET_KEY } from "../scenarios/settings/on-both.ts";
import { asNode, findStaleWrites, readAudit, startAudit } from "./nodes/audit.ts";
import { LEASE_MS, readMetric } from "./nodes/two-nodes.ts";

const isDeep = process.env["STONECHAT_DEEP"] === "1";
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const TURNS = 6;

const skewed = (byMs: number) => ({ now: () => Date.now() + byMs, monotonic: () => performance.now() });

/** Test A9. Leases and takeovers use the database's clock, and order is by seq, so a wrong clock changes neither. */
describe.skipIf(!findPostgres())("two nodes whose clocks differ", () => {
  test.each([
    ["a day behind", -DAY_MS],
    ["five minutes behind", -5 * MINUTE_MS],
    ["five minutes ahead", 5 * MINUTE_MS],
    ["a day ahead", DAY_MS],
  ])("answer every message once and in order when one is %s", async (_, byMs) => {
    const databaseUrl = await createDatabase();
    const answered: string[] = [];
    const options = {
      env: { STONECHAT_DATABASE_URL: databaseUrl, STONECHAT_SECRET_KEY: SECRET_KEY },
      script: ({ messages }: { readonly messages: readonly unknown[] }) => {
        const question = /question \d+/g;
        const last = JSON.stringify(messages).match(question)?.at(-1) ?? "";
        answered.push(last);
        return say(`answer to ${last}`);
      },
    };
    const right = await startInstance(options);
    const wrong = await startInstance({ ...options, clock: skewed(byMs), isNodeClock: true });
    const threadId = await right.start({ title: "skewed" });
    const live = right.follow(threadId);
    for (let turn = 0; turn < TURNS; turn += 1) {
      const node = turn % 2 === 0 ? wrong : right;
      await node.send(threadId, `question ${turn}`);
      expect(await live.ended(turn + 1)).toMatchObject({ outcome: "done" });
    }
    live.close();
    const expected = Array.from({ length: TURNS }, (_, turn) => [
      `question ${turn}`,
      `answer to question ${turn}`,
    ]).flat();
    for (const { client } of [right, wrong]) {
      const { messages } = await client.getThread({ params: { threadId } });
      expect(messages.map(({ parts }) => textOf(parts))).toEqual(expected);
    }
    expect(answered).toEqual(expected.filter((text) => text.startsWith("question")));
    const seqs = live.rows.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b));

    // The other node continues the thread after this one has been closed.
    await right.close();
    const rest = wrong.follow(threadId);
    await wrong.send(threadId, `question ${TURNS}`);
    expect(await rest.ended(TURNS + 1)).toMatchObject({ outcome: "done" });
    expect(answered.filter((text) => text === `question ${TURNS}`)).toHaveLength(1);
  });
});

const WORDS = 50;
const answer = Array.from({ length: WORDS }, (_, n) => `w${n + 1}`).join(" ");

/** Loaded into a server process before anything else, so that its wall clock is wrong from the start. */
const withSkew = (byMs: number) => {
  const source = `const Real = Date;
    globalThis.Date = class extends Real {
      constructor(...given) { if (given.length === 0) super(Real.now() + ${byMs}); else super(...given); }
      static now() { return Real.now() + ${byMs}; }
    };`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(source)}` };
};

const isBegun = ({ messages }: ThreadView): boolean =>
  messages.some(({ role, parts }) => role === "assistant" && textOf(parts) !== "");

/** A lease that one side judges by its own clock would be taken over at once, or never. */
const stops = [
  ["SIGKILL", "a day ahead", DAY_MS],
  ["SIGSTOP", "a day behind", -DAY_MS],
  ["SIGKILL", "a day behind", -DAY_MS],
  ["SIGSTOP", "a day ahead", DAY_MS],
] as const;

describe.skipIf(!findPostgres())("a node with a wrong clock that holds the lease of a run", () => {
  test.each(isDeep ? stops : stops.slice(0, 2))(
    "%s, %s: the other node finishes the answer",
    async (signal, _, byMs) => {
      const databaseUrl = await createDatabase();
      const start = async (name: string, env: Readonly<Record<string, string>>) => {
        const settings = { STONECHAT_LEASE_MS: String(LEASE_MS), STONECHAT_SECRET_KEY: SECRET_KEY, ...env };
        const server = await startServer({ program: "main", databaseUrl: asNode(databaseUrl, name), env: settings });
        onTestFinished(server.close);
        return server;
      };
      const [wrong, right] = await Promise.all([start("wrong", withSkew(byMs)), start("right", {})]);
      await startAudit(databaseUrl);
      const chat = await openThreadClient(wrong);
      const seen = followThread({ url: right.url, threadId: chat.threadId });
      onTestFinished(() => [chat, seen].forEach((one) => one.close()));
      await chat.send(`say ${WORDS} words every 40ms`);
      const begun = await seen.until(isBegun);
      // The clock is really wrong: the node stores its own time with a message.
      const differenceMs = (begun.messages[0]?.createdAt ?? 0) - Date.now();
      expect(Math.abs(differenceMs - byMs)).toBeLessThan(MINUTE_MS);
      wrong.signal(signal);
      const view = await seen.until(({ run }) => run?.state === "ended");
      if (signal === "SIGSTOP") {
        wrong.signal("SIGCONT");
        await until("the stale holder has given up", async () => (await readMetric(wrong, "runs_driving")) === 0);
      }
      expect(view.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
      expect(textOf(view.messages[1]?.parts ?? [])).toBe(answer);
      const written = await readAudit(databaseUrl, chat.threadId);
      expect(findStaleWrites(written)).toEqual([]);
      expect(new Set(written.map(({ node }) => node))).toEqual(new Set(["wrong", "right"]));
      expect(written.filter(({ type }) => type === "run-ended")).toHaveLength(1);
    },
  );
});

describe.skipIf(!findPostgres())("a background job of nodes whose clocks differ", () => {
  const JOB_LEASE_MS = 1_500;

  /** Runs jobs that never end. */
  const createNode = async (databaseUrl: string, createClock: (store: Store) => Promise<Clock>) => {
    const store = await openPostgres({ url: databaseUrl });
    const clock = await createClock(store);
    const log = createLog({ store, clock, onError: () => {} });
    const started: string[] = [];
    let isDead = false;
    const commit: typeof log.commit = (batch) => (isDead ? Promise.reject(new Error("dead")) : log.commit(batch));
    const jobs = createJobs({
      ...{
        read: store.read,
        log: { commit },
        clock,
        random: () => 0.5,
        holder: ids.next(),
        sweepMs: 50,
        onError: () => {},
      },
      kinds: [
        {
          ...{ kind: "endless", leaseMs: JOB_LEASE_MS, maxAttempts: 9 },
          run: ({ id }, signal) =>
            new Promise((_, reject) => {
              started.push(id);
              signal.addEventListener("abort", () => reject(new Error("stopped")));
            }),
        },
      ],
    });
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> =>
      (closing ??= (async () => {
        await jobs.close();
        await log.close();
        await store.close();
      })());
    onTestFinished(close);
    /** As if the process had died: nothing is renewed or released. */
    const die = (): void => void (isDead = true);
    return { store, clock, jobs, started, close, die };
  };
  const plan = (store: Store, now: number) =>
    put(store, ...planJob({ id: "job", kind: "endless", key: "k", threadId: null, ownerId: "", body: {}, now }));
  const byDatabase =
    (byMs: number) =>
    (store: Store): Promise<Clock> =>
      followDatabaseClock(skewed(byMs), store.readTime);

  test.each([
    ["ahead", DAY_MS],
    ["behind", -DAY_MS],
  ])("a day %s: one node runs it, and the other takes over when the first has died", async (_, byMs) => {
    const databaseUrl = await createDatabase();
    const wrong = await createNode(databaseUrl, byDatabase(byMs));
    const right = await createNode(databaseUrl, byDatabase(0));
    await plan(wrong.store, skewed(byMs).now());
    await wrong.jobs.start();
    await until("it runs", async () => wrong.started.length === 1);
    const claimedAt = performance.now();
    await right.jobs.start();
    // The lease is renewed several times.
    const isRenewed = async (): Promise<boolean> => performance.now() - claimedAt > 2 * JOB_LEASE_MS;
    await until("two leases have passed", isRenewed);
    expect(right.started).toEqual([]);
    wrong.die();
    await until("the other node runs it", async () => right.started.length === 1);
    expect(wrong.started).toEqual(["job"]);
  });

  test("control: if each node uses its clock, both run it", async () => {
    const databaseUrl = await createDatabase();
    const wrong = await createNode(databaseUrl, async () => skewed(-DAY_MS));
    const right = await createNode(databaseUrl, async () => skewed(0));
    await plan(wrong.store, skewed(-DAY_MS).now());
    await wrong.jobs.start();
    await until("it runs", async () => wrong.started.length === 1);
    await right.jobs.start();
    await until("both run it", async () => right.started.length === 1);
  });

  test("that is due runs on a server whose clock is a day behind", async () => {
    const env = { STONECHAT_DATABASE_URL: await createDatabase(), STONECHAT_SECRET_KEY: SECRET_KEY };
    const { server } = await startInstance({ env, clock: skewed(-DAY_MS), isNodeClock: true });
    const now = Date.now() - MINUTE_MS;
    const job = { id: "due", kind: "temporary-thread", key: "k", threadId: null, ownerId: "", body: {} };
    await put(server.store, ...planJob({ ...job, now, notBefore: now + 1 }));
    await until("it is done", async () => (await server.store.read.job("due"))?.state === "done");
  });
});
