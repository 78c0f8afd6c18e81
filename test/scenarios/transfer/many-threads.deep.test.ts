import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createApiClient } from "../../../protocol/api-client.ts";
import { startServer } from "../../support/server-process.ts";
import { exportArchive, waitForImport } from "../../support/transfer.ts";
import { until } from "../../support/server/until.ts";

const COUNT = Number(process.env["STONECHAT_DEEP_COUNT"] ?? 10_000);
const words = "granite slate marble basalt limestone and what they are good for in walls and roofs ".repeat(6);

const toConversation = (n: number): object => {
  const mapping: Record<string, object> = { root: { id: "root", parent: null, children: ["n0"], message: null } };
  for (let m = 0; m < 8; m += 1)
    mapping[`n${m}`] = {
      id: `n${m}`,
      parent: m === 0 ? "root" : `n${m - 1}`,
      children: m < 7 ? [`n${m + 1}`] : [],
      message: {
        author: { role: m % 2 === 0 ? "user" : "assistant" },
        create_time: 1_700_000_000 + n + m,
        content: { content_type: "text", parts: [`${n} ${m} ${words}`] },
      },
    };
  return {
    conversation_id: `many-${n}`,
    title: `Thread ${n}`,
    create_time: 1_700_000_000 + n,
    mapping,
    current_node: "n7",
  };
};

const megabytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1000;

test(
  `imports and exports ${COUNT} threads with flat memory, and no request waits for it`,
  { timeout: 3_600_000 },
  async () => {
    const server = await startServer();
    try {
      const api = createApiClient({ baseUrl: server.url });
      const text = `[${Array.from({ length: COUNT }, (_, n) => JSON.stringify(toConversation(n))).join(",\n")}]`;
      const { id } = await api.uploadImport({
        query: { name: "conversations.json" },
        body: new TextEncoder().encode(text),
      });
      const count = async (): Promise<number> =>
        (await api.getImport({ params: { importId: id }, query: { limit: 1 } })).import.counts.threads;
      await until("a tenth is imported", async () => (await count()) >= COUNT / 10);
      const early = megabytes(server.pid());
      await server.loopDelay(true);
      // In steps, since each wait has a limit.
      for (let share = 2; share <= 20; share += 1)
        await until(`${share * 5} % are imported`, async () => (await count()) >= (COUNT * share) / 20);
      const { heldMs, cpuMs, maxMs, p99Ms } = await server.loopDelay();
      // Without a measurement there is nothing to compare.
      expect(cpuMs).toBeGreaterThan(0);
      expect(heldMs).toBeLessThan(50);
      const { import: ended } = await waitForImport(api, id);
      expect(ended).toMatchObject({ state: "done", counts: { threads: COUNT, messages: COUNT * 8, notes: 0 } });
      const after = megabytes(server.pid());
      expect(after).toBeLessThan(early + 200);
      // The heap grows with the first exports, and then no more.
      const archive = await exportArchive(server.url);
      expect(archive.length).toBeGreaterThan(COUNT * 500);
      await exportArchive(server.url);
      const warm = megabytes(server.pid());
      expect((await exportArchive(server.url)).equals(archive)).toBe(true);
      expect(megabytes(server.pid())).toBeLessThan(warm + 50);
      console.log({ COUNT, early, after, warm, end: megabytes(server.pid()), heldMs, cpuMs, maxMs, p99Ms });
    } finally {
      await server.close();
    }
  },
);
