import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { startPostgres, type Postgres } from "../support/postgres.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { followThread } from "../support/server/event-stream.ts";
import { until } from "../support/server/until.ts";

/** PostgreSQL crashes and terminated connections fail the requests they interrupt, and never end a node. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
const [restarts, terminations] = isDeep ? [24, 30] : [2, 2];
const THREADS_PER_NODE = 4;
const ANSWERS_PER_ROUND = 6;
const text = "say 5 words every 1ms";

type Load = {
  readonly answered: () => number;
  readonly refused: () => number;
  /** Stops sending. Resolves with the acknowledged messages that have no answer. */
  readonly finish: () => Promise<readonly string[]>;
};

/** Users who send one message after another, repeating each until it is acknowledged. */
function startLoad(nodes: readonly ServerProcess[]): Load {
  let [answered, refused, finishing] = [0, 0, false];
  const insist = async (ask: () => Promise<unknown>): Promise<boolean> => {
    while (!finishing) {
      const took = await ask().then(
        () => true,
        () => false,
      );
      if (took) return true;
      refused += 1;
    }
    return false;
  };
  const chat = async ({ url, client }: ServerProcess): Promise<readonly string[]> => {
    const [threadId, acknowledged] = [randomUUID(), [] as string[]];
    await insist(() => client.createThread({ body: { id: threadId, model: "scripted/script" } }));
    const follower = followThread({ url, threadId });
    while (!finishing) {
      const id = randomUUID();
      if (!(await insist(() => client.sendMessage({ params: { threadId }, body: { id, text } })))) break;
      acknowledged.push(id);
      await follower.until(({ messages, run }) => {
        const answer = messages[messages.findIndex((message) => message.id === id) + 1];
        return answer?.role === "assistant" && run?.state === "ended" && textOf(answer.parts).endsWith("w5");
      });
      acknowledged.pop();
      answered += 1;
      await client.getThread({ params: { threadId } }).catch(() => (refused += 1));
    }
    follower.close();
    return acknowledged;
  };
  const chats = Promise.all(nodes.flatMap((node) => Array.from({ length: THREADS_PER_NODE }, () => chat(node))));
  chats.catch(() => {});
  return {
    answered: () => answered,
    refused: () => refused,
    finish: async () => {
      finishing = true;
      return (await chats).flat();
    },
  };
}

describe.skipIf(!findPostgres())("three nodes on one PostgreSQL", () => {
  let postgres: Postgres;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres?.close());

  const countExits = (nodes: readonly ServerProcess[]) => {
    let exits = 0;
    for (const node of nodes) void node.exited().then(() => (exits += 1));
    return () => exits;
  };
  const terminateAll = async (url: string): Promise<number> => {
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const { rowCount } = await admin.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
    await admin.end();
    return rowCount ?? 0;
  };
  const isReady = async ({ url }: ServerProcess): Promise<boolean> =>
    (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true;

  test(`${restarts} crashes and ${terminations} terminations: no node exits, every message is answered`, async () => {
    const databaseUrl = await postgres.createDatabase();
    const nodes: ServerProcess[] = [];
    for (let n = 0; n < 3; n += 1) {
      nodes.push(await startServer({ databaseUrl, program: "main", env: { STONECHAT_LEASE_MS: "2000" } }));
    }
    try {
      const exits = countExits(nodes);
      const load = startLoad(nodes);
      let terminated = 0;
      for (let round = 0; round < restarts + terminations; round += 1) {
        const before = load.answered();
        await until("answers come", async () => load.answered() >= before + ANSWERS_PER_ROUND || exits() > 0);
        if (round % 2 === 0) await postgres.restart("immediate");
        else terminated += await terminateAll(databaseUrl);
      }
      await until("every node is ready", async () => (await Promise.all(nodes.map(isReady))).every(Boolean));
      const unanswered = await load.finish();
      const unhandled = nodes.map((node) => node.output().split("unhandled promise rejection").length - 1);
      console.log(`answered ${load.answered()}, refused ${load.refused()}, terminated ${terminated} connections`);
      expect({ exits: exits(), unanswered, unhandled }).toEqual({ exits: 0, unanswered: [], unhandled: [0, 0, 0] });
      expect(terminated).toBeGreaterThan(terminations);
      expect(load.refused()).toBeGreaterThan(0);
    } finally {
      await Promise.all(nodes.map((node) => node.close()));
    }
  });

  test("control: an unhandled rejection of a read is detected by its log line or the exit", async () => {
    const node = await startServer({ databaseUrl: await postgres.createDatabase(), fault: "late-listener" });
    try {
      const exits = countExits([node]);
      const isSeen = (): boolean => exits() > 0 || node.output().includes("unhandled promise rejection");
      const load = startLoad([node]);
      await until("answers come", async () => load.answered() >= ANSWERS_PER_ROUND);
      for (let round = 0; round < 5 && !isSeen(); round += 1) {
        const before = load.refused() + load.answered();
        await postgres.restart("immediate");
        await until("it goes on, or is seen", async () => isSeen() || load.refused() + load.answered() > before + 9);
      }
      void load.finish().catch(() => {});
      expect(isSeen()).toBe(true);
    } finally {
      await node.close();
    }
  });
});

/** Runs in the server process and fails on a signal, like a bug would. */
const failOn = (body: string) => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`process.on("SIGUSR2", () => { ${body} })`)}`,
});

test("an unhandled rejection is logged, and the server keeps running", async () => {
  const server = await startServer({ program: "main", env: failOn('Promise.reject(new Error("no handler"))') });
  try {
    server.signal("SIGUSR2");
    await until("it is logged", async () => server.output().includes("no handler"));
    expect(server.output()).toContain("unhandled promise rejection");
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.kill("SIGTERM")).toEqual({ code: 0, signal: null });
  } finally {
    await server.close();
  }
});

test("an uncaught exception is logged, and the server shuts down with exit code 1", async () => {
  const server = await startServer({ program: "main", env: failOn('throw new Error("a bug")') });
  try {
    server.signal("SIGUSR2");
    expect(await server.exited()).toEqual({ code: 1, signal: null });
    expect(server.output()).toContain("uncaught exception: shutting down");
    await server.restart();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  } finally {
    await server.close();
  }
});
