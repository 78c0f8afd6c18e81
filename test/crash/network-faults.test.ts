import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { attach } from "../support/attachments/attach.ts";
import { finish, text as toChunk, toSse } from "../support/chat-wire.ts";
import { createInstance, type Instance } from "../support/instance.ts";
import { startFaultProxy, type Fault, type FaultCounts, type FaultProxy } from "../support/net/fault-proxy.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { createProviderServer, type ProviderServer } from "../support/provider-server.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { followThread } from "../support/server/event-stream.ts";
import { until } from "../support/server/until.ts";
import { SECRET_KEY } from "../scenarios/settings/on-both.ts";
import { asNode } from "./nodes/audit.ts";
import { readMetric } from "./nodes/two-nodes.ts";

/** Test B4: after a fault of the network nothing is stuck, and every acknowledged message is answered. */
const isDeep = process.env["STONECHAT_DEEP"] === "1";
/** How long a fault lasts once it has disturbed something. */
const FAULT_MS = isDeep ? 60_000 : 600;

type Mode = { readonly fault: Fault; readonly seen: (counts: FaultCounts) => number };
const modes: readonly (readonly [string, Mode])[] = [
  ["latency", { fault: { kind: "latency", ms: 200 }, seen: ({ delayed }) => delayed }],
  ["a bandwidth limit", { fault: { kind: "bandwidth", bytesPerSecond: 3_000 }, seen: ({ delayed }) => delayed }],
  ["a blackhole", { fault: { kind: "blackhole" }, seen: ({ withheld }) => withheld }],
  ["a blackhole of replies", { fault: { kind: "blackhole-reply" }, seen: ({ withheld }) => withheld }],
  ["resets", { fault: { kind: "reset" }, seen: ({ resets }) => resets }],
  ["a half-close", { fault: { kind: "half-close" }, seen: ({ halfCloses }) => halfCloses }],
  ["a half-close of replies", { fault: { kind: "half-close-reply" }, seen: ({ halfCloses }) => halfCloses }],
];

const someModes = modes.filter((_, n) => n % 2 === 0);

/** Switches the fault on, and off again some time after it has disturbed something. */
async function disturb(proxy: FaultProxy, { fault, seen }: Mode): Promise<void> {
  const before = seen({ ...proxy.counts });
  proxy.set(fault);
  await until("the fault has disturbed something", async () => seen(proxy.counts) > before);
  await pause(FAULT_MS);
  proxy.set({ kind: "none" });
}

const isIdle = async (url: string): Promise<boolean> =>
  (await readMetric({ url } as ServerProcess, "runs_driving")) === 0;

describe("between the server and the provider", () => {
  const WORDS = 60;
  const words = Array.from({ length: WORDS }, (_, n) => `w${n + 1} `);
  let provider: ProviderServer;
  let proxy: FaultProxy;
  let instance: Instance;
  beforeAll(async () => {
    provider = await createProviderServer({
      next: () => ({
        name: "slow",
        respond: async (_, res) => {
          res.writeHead(200, { "content-type": "text/event-stream" });
          for (const word of words) {
            if (res.destroyed) return;
            res.write(`data: ${JSON.stringify(toChunk(word))}\n\n`);
            await pause(15);
          }
          res.end(toSse([finish()]));
        },
      }),
    });
    proxy = await startFaultProxy({ port: Number(new URL(provider.url).port) });
    instance = await createInstance({
      env: {
        STONECHAT_MODEL: "compatible/m",
        STONECHAT_COMPATIBLE_URL: `http://127.0.0.1:${proxy.port}`,
        STONECHAT_COMPATIBLE_MODELS: "m",
        STONECHAT_IDLE_TIMEOUT_MS: "400",
        STONECHAT_FIRST_TOKEN_TIMEOUT_MS: "2000",
      },
    });
  });
  afterAll(async () => {
    await instance?.close();
    await until("every connection is closed", async () => proxy.open() === 0);
    await proxy?.close();
    await provider?.close();
  });

  test.each(isDeep ? modes : someModes)(
    "%s in the middle of an answer: it ends, and the next message is answered",
    async (_, mode) => {
      const threadId = await instance.start({ model: "compatible/m" });
      const live = instance.follow(threadId);
      await instance.send(threadId, "first");
      await live.until(({ messages }) =>
        messages.some(({ role, parts }) => role === "assistant" && textOf(parts) !== ""),
      );
      await disturb(proxy, mode);
      const { outcome } = await live.ended(1);
      expect(["done", "failed"]).toContain(outcome);
      await instance.send(threadId, "second");
      const next = await live.ended(2);
      expect(next.outcome).toBe("done");
      expect(textOf(live.view().messages.at(-1)?.parts ?? []).trim()).toBe(words.join("").trim());
      await until("no run is left", () => isIdle(instance.url));
      live.close();
    },
  );
});

describe("between the server and its client", () => {
  let instance: Instance;
  let proxy: FaultProxy;
  let url: string;
  beforeAll(async () => {
    instance = await createInstance({ env: { STONECHAT_MODEL: "scripted/script", STONECHAT_HOSTS: "127.0.0.1" } });
    proxy = await startFaultProxy({ port: Number(new URL(instance.url).port) });
    url = `http://127.0.0.1:${proxy.port}`;
  });
  afterAll(async () => {
    await instance?.close();
    await proxy?.close();
  });
  const openStreams = () => readMetric({ url: instance.url } as ServerProcess, "streams_open");

  test.each(modes)(
    "%s on an event stream: the client gets every event once, and no stream is left",
    async (_, mode) => {
      const threadId = await instance.start({ model: "scripted/script" });
      const disturbed = followThread({ url, threadId });
      const direct = followThread({ url: instance.url, threadId });
      await instance.send(threadId, "say 60 words every 20ms");
      await disturbed.until(({ messages }) => messages.some(({ role }) => role === "assistant"));
      await disturb(proxy, mode);
      await direct.until(({ run }) => run?.state === "ended");
      await disturbed.until(({ run }) => run?.state === "ended");
      expect(disturbed.received).toEqual(direct.received);
      disturbed.close();
      direct.close();
      await until("no stream is left", async () => (await openStreams()) === 0);
      await until("no connection is left", async () => proxy.open() === 0);
    },
  );

  const faultsOfUploads = modes.filter(([, { fault }]) => isDeep || !fault.kind.startsWith("blackhole"));
  test.each(faultsOfUploads)("%s in an upload: it is stored or not, and another one works", async (_, mode) => {
    const bytes = 200_000;
    const socket = connect({ port: proxy.port, host: "127.0.0.1" });
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {}).resume();
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    const path = `/api/attachments?name=${randomUUID()}.txt`;
    const head = [
      `POST ${path} HTTP/1.1`,
      `host: 127.0.0.1:${proxy.port}`,
      "connection: close",
      "content-type: application/octet-stream",
      `content-length: ${bytes}`,
    ];
    socket.write(`${head.join("\r\n")}\r\n\r\n`);
    socket.write("x".repeat(bytes / 2));
    await until("it has begun", async () => readdirSync(join(instance.dataDir, "uploads")).length > 0);
    const isDisturbed = disturb(proxy, mode);
    socket.write("y".repeat(bytes / 2));
    await isDisturbed;
    await closed;
    await until("nothing is left of it", async () => readdirSync(join(instance.dataDir, "uploads")).length === 0);
    await until("no connection is left", async () => proxy.open() === 0);
    expect((await attach(instance.url, { name: "next.txt", bytes: "text" })).name).toBe("next.txt");
  });
});

describe.skipIf(!findPostgres())("between a node and PostgreSQL", () => {
  let nodes: readonly [ServerProcess, ServerProcess];
  let proxy: FaultProxy;
  beforeAll(async () => {
    const databaseUrl = await createDatabase();
    const behind = new URL(databaseUrl);
    proxy = await startFaultProxy({ port: Number(behind.port) });
    behind.port = String(proxy.port);
    const start = (name: string, to: string) =>
      startServer({
        databaseUrl: asNode(to, name),
        program: "main",
        env: { STONECHAT_LEASE_MS: "2000", STONECHAT_SECRET_KEY: SECRET_KEY },
      });
    nodes = await Promise.all([start("disturbed", behind.href), start("direct", databaseUrl)]);
  });
  afterAll(async () => {
    await Promise.all((nodes ?? []).map((node) => node.kill("SIGTERM")));
    await until("every connection is closed", async () => proxy.open() === 0);
    await Promise.all((nodes ?? []).map((node) => node.close()));
    await proxy?.close();
  });

  /** Sends until it is acknowledged, as the page does. */
  const insist = async ({ client }: ServerProcess, threadId: string, text: string): Promise<string> => {
    const id = randomUUID();
    const send = () => client.sendMessage({ params: { threadId }, body: { id, text } });
    await until("the message is acknowledged", () =>
      send().then(
        () => true,
        () => false,
      ),
    );
    return id;
  };

  test.each(isDeep ? modes : someModes)(
    "%s: every acknowledged message is answered once, on both nodes",
    async (_, mode) => {
      const usual = 12;
      const chats = await Promise.all(
        nodes.map(async (node, n) => {
          const threadId = randomUUID();
          await node.client.createThread({ body: { id: threadId, model: "scripted/script" } });
          // Followed on the other node, which learns of new rows from notifications.
          return { node, threadId, follower: followThread({ url: nodes[1 - n]!.url, threadId }) };
        }),
      );
      const running = chats.map(({ node, threadId }) => insist(node, threadId, "say 40 words every 20ms"));
      await Promise.all(chats.map(({ follower }) => follower.until(({ messages }) => messages.length > 1)));
      const isDisturbed = disturb(proxy, mode);
      const during = chats.map(({ node, threadId }) => insist(node, threadId, "say 5 words every 1ms"));
      await isDisturbed;
      const sent = await Promise.all([...running, ...during]);
      for (const { node, threadId, follower } of chats) {
        sent.push(await insist(node, threadId, "say 3 words every 1ms"));
        const { messages } = await follower.until(
          ({ messages: all, run, queue }) =>
            run?.state === "ended" && queue.length === 0 && textOf(all.at(-1)?.parts ?? []) === "w1 w2 w3",
          60_000,
        );
        expect(messages.map(({ role }) => role)).toEqual(Array.from({ length: 3 }, () => ["user", "assistant"]).flat());
        expect(messages.flatMap(({ id }) => (sent.includes(id) ? [id] : []))).toHaveLength(3);
        follower.close();
      }
      await until("no run is left", async () =>
        (await Promise.all(nodes.map(({ url }) => isIdle(url)))).every(Boolean),
      );
      await until("lost connections are closed", async () => proxy.open() <= usual);
    },
  );
});
