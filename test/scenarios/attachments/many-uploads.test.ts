import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Agent, request } from "node:http";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { attach, tryAttach } from "../../support/attachments/attach.ts";
import type { Batch, BatchResult, Store } from "../../../server/store/contract.ts";
import { mintId, say } from "../../support/instance.ts";
import { startServer } from "../../support/server-process.ts";
import { describeOnBoth } from "../settings/on-both.ts";

const isDeep = process.env["STONECHAT_DEEP"] === "1";
const UPLOADS = 40;
const SIZE_BYTES = isDeep ? attachmentLimits.fileBytes : 2_000_000;
/** Enough for ten texts of two million characters, but not for the bytes of 40 files. */
const MOST_RISE_KB = 128 * 1024;

/** Peak memory of a process, in kB. */
const peakOf = (pid: number): number =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);

type UploadResult = { readonly status: number; readonly retryAfter: string | undefined; readonly code: string };

/** Random text, different for each file, so that no content is shared. */
const toText = (n: number, sizeBytes: number): Buffer => Buffer.alloc(sizeBytes, `file ${n} says: granite, basalt. `);

/** Keep-alive as in browsers, so that the server can answer before it has read the whole body. */
const agent = new Agent({ keepAlive: true });
afterAll(() => agent.destroy());

/** Uses a separate connection and reads the response to its end, even if it comes before the body is sent. */
const send = (url: string, name: string, bytes: Buffer): Promise<UploadResult> =>
  new Promise((resolve, reject) => {
    const headers = { "content-type": "application/octet-stream", "content-length": bytes.length };
    const outgoing = request(`${url}/api/attachments?name=${name}`, { method: "POST", headers, agent });
    outgoing.once("response", (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.once("end", () => {
        const code = (JSON.parse(text) as { error?: { code: string } }).error?.code ?? "stored";
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers["retry-after"], code });
      });
    });
    outgoing.once("error", reject);
    outgoing.end(bytes);
  });

test.runIf(process.platform === "linux")(
  "of 40 concurrent uploads at most 10 are stored, the rest get Retry-After, and memory stays bounded",
  async () => {
    const server = await startServer();
    onTestFinished(server.close);
    const { client, url } = server;
    // Warm up with as many files of this size, one after another, and other writes.
    for (let n = 0; n < 10; n += 1) {
      const warm = await attach(url, { name: "warm.txt", bytes: toText(100 + n, SIZE_BYTES) });
      await client.removeAttachment({ params: { attachmentId: warm.id } });
    }
    for (let n = 0; n < 100; n += 1) await client.createThread({ body: { id: mintId("thread") } });
    const before = peakOf(server.pid());

    let isSending = true;
    const others: Promise<number[]> = (async () => {
      const statuses: number[] = [];
      while (isSending) {
        statuses.push((await fetch(`${url}/healthz`)).status);
        statuses.push((await client.createThread({ body: { id: mintId("thread") } })).id === "" ? 0 : 201);
      }
      return statuses;
    })();
    const sent = await Promise.all(
      Array.from({ length: UPLOADS }, (_, n) => send(url, `file-${n}.txt`, toText(n + 1, SIZE_BYTES))),
    );
    isSending = false;
    const statuses = await others;

    const { attachments } = await client.listAttachments({ query: {} });
    expect(attachments).toHaveLength(attachmentLimits.perMessage);
    const stored = sent.filter(({ status }) => status === 201);
    expect(stored).toHaveLength(attachmentLimits.perMessage);
    const refused = sent.filter(({ status }) => status !== 201);
    expect([...new Set(refused.map(({ status }) => status))]).toEqual([429]);
    expect(refused.filter(({ retryAfter }) => retryAfter !== undefined).length).toBeGreaterThan(0);
    expect(statuses.length).toBeGreaterThan(4);
    expect([...new Set(statuses)].toSorted()).toEqual([200, 201]);
    const riseKb = peakOf(server.pid()) - before;
    if (isDeep)
      console.log(`${UPLOADS} x ${SIZE_BYTES} bytes: the server's peak rose by ${Math.round(riseKb / 1024)} MB`);
    expect(riseKb).toBeLessThan(MOST_RISE_KB);
    expect(readdirSync(join(server.dataDir, "uploads"))).toEqual([]);

    const last = attachments.at(-1);
    const file = await fetch(`${url}/api/attachments/${last?.id}/file`);
    expect(file.headers.get("content-length")).toBe(String(SIZE_BYTES));
    const n = Number(/\d+/.exec(last?.name ?? "")?.[0]) + 1;
    expect(Buffer.from(await file.arrayBuffer()).equals(toText(n, SIZE_BYTES))).toBe(true);
  },
  isDeep ? 240_000 : 90_000,
);

describeOnBoth("concurrent uploads", (start) => {
  test("never exceed the limit per message, separately for each thread", async () => {
    const { client, url, ...instance } = await start({ script: () => say("Read.") });
    const threadId = await instance.start();
    const upload = async (name: string, thread: { threadId?: string }): Promise<number> =>
      (await tryAttach(url, { name, bytes: `This is ${name}.`, ...thread })).status;
    for (const thread of [{ threadId }, {}]) {
      for (let n = 0; n < 5; n += 1) expect(await upload(`early-${n}.txt`, thread)).toBe(201);
      const statuses = await Promise.all(Array.from({ length: 10 }, (_, n) => upload(`late-${n}.txt`, thread)));
      expect(statuses.toSorted()).toEqual([...Array<number>(5).fill(201), ...Array<number>(5).fill(429)]);
    }
    for (const query of [{ threadId }, {}]) {
      expect((await client.listAttachments({ query })).attachments).toHaveLength(attachmentLimits.perMessage);
    }
    // A freed slot can be used again.
    const [first] = (await client.listAttachments({ query: { threadId } })).attachments;
    await client.removeAttachment({ params: { attachmentId: first?.id ?? "" } });
    expect(await upload("again.txt", { threadId })).toBe(201);
    expect(await upload("over.txt", { threadId })).toBe(429);
  });

  test("are stored, like other writes, although a batch in every commit cannot be", async () => {
    const poison: Batch = {
      events: [],
      writes: [{ do: "insert", table: "users", row: { id: "poison", created_at: true as never } }],
    };
    const refused: (BatchResult | undefined)[] = [];
    const wrapStore = (store: Store): Store => ({
      ...store,
      commit: async (batches) => {
        const results = await store.commit([...batches, poison]);
        refused.push(results.at(-1));
        return results.slice(0, -1);
      },
    });
    const { client, url, ...instance } = await start({ script: () => say("Read."), wrapStore });
    const threadId = await instance.start();
    const live = instance.follow(threadId);
    const uploads = Array.from({ length: 8 }, (_, n) =>
      tryAttach(url, { name: `${n}.txt`, bytes: toText(n, 900_000) }),
    );
    const threads = Array.from({ length: 20 }, () => client.createThread({ body: { id: mintId("thread") } }));
    const message = client.sendMessage({ params: { threadId }, body: { id: mintId(), text: "Hello" } });
    expect((await Promise.all(uploads)).map(({ status }) => status)).toEqual(Array<number>(8).fill(201));
    expect(await Promise.all(threads)).toHaveLength(20);
    await message;
    expect(await live.ended()).toMatchObject({ outcome: "done" });
    expect(refused.length).toBeGreaterThan(3);
    expect(new Set(refused.map((result) => result?.ok === false && result.why))).toEqual(new Set(["failed"]));
  });

  test("store, download and export a file of several pieces byte for byte", async () => {
    const { client, url, ...instance } = await start({ script: () => say("Read.") });
    const threadId = await instance.start();
    const bytes = toText(7, 3 * 768 * 1024 + 1);
    const { id } = await attach(url, { name: "long.txt", bytes, threadId });
    const same = await attach(url, { name: "same.txt", bytes, threadId });
    await client.removeAttachment({ params: { attachmentId: same.id } });
    const file = await fetch(`${url}/api/attachments/${id}/file`);
    expect(Buffer.from(await file.arrayBuffer()).equals(bytes)).toBe(true);
    const live = instance.follow(threadId);
    await client.sendMessage({ params: { threadId }, body: { id: mintId(), text: "Read", attachments: [id] } });
    await live.ended();
    const exported = await (await fetch(`${url}/api/threads/${threadId}/export?format=json`)).text();
    expect(exported.includes(bytes.toString("base64"))).toBe(true);
  });
});
