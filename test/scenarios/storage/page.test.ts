import { expect, test } from "vitest";
import type { StorageReport } from "../../../protocol/account/storage.ts";
import { formatBytes } from "../../../server/lib/format-bytes.ts";
import { accountsOn, join, send, setUp } from "../../support/accounts/accounts-instance.ts";
import { say } from "../../support/instance.ts";
import { mustRun } from "../../support/server/run-command.ts";
import { describeOnBoth, SECRET_KEY } from "../settings/on-both.ts";

const lineOf = (bytes: number, text: string): string => `${formatBytes(bytes).padStart(10)}  ${text}`;

/** The lines that the command prints for the same amounts, without those of threads. */
const toLines = ({ content, accounts, freeable }: StorageReport): readonly string[] => [
  lineOf(content.messages, "messages"),
  lineOf(content.files, "attached files"),
  lineOf(content.artifacts, "stored pages and tool outputs"),
  lineOf(content.receipts, "what the model saw"),
  lineOf(content.search, "search and recall"),
  lineOf(content.events, "events for open pages"),
  ...accounts.map(({ email, threads, bytes }) =>
    lineOf(bytes, `${email ?? ""}, ${threads} ${threads === 1 ? "thread" : "threads"}`),
  ),
  ...freeable.ages.flatMap(({ days, threads, receipts }) => [
    lineOf(
      threads.bytes,
      `${threads.count} threads not changed for ${days} days (STONECHAT_DELETE_THREADS_DAYS=${days})`,
    ),
    lineOf(receipts.bytes, `what the model saw, older than ${days} days (STONECHAT_DELETE_RECEIPTS_DAYS=${days})`),
  ]),
];

describeOnBoth("GET /api/storage", (start, kind) => {
  const printed = async (instance: Awaited<ReturnType<typeof start>>): Promise<readonly string[]> => {
    const onPostgres = { STONECHAT_DATABASE_URL: instance.databaseUrl, STONECHAT_SECRET_KEY: SECRET_KEY };
    const env = { STONECHAT_DATA: instance.dataDir, ...(kind === "postgres" ? onPostgres : {}) };
    return (await mustRun(["storage"], env)).split("\n");
  };

  test("has the amounts that the command prints, the user's largest threads with titles, and the rules", async () => {
    const instance = await start({
      script: () => say("an answer"),
      env: { STONECHAT_ARCHIVE_THREADS_DAYS: "60", STONECHAT_DELETE_RECEIPTS_DAYS: "14" },
    });
    for (const [title, size] of [
      ["small", 10],
      ["large", 20_000],
    ] as const) {
      const threadId = await instance.start({ title });
      const live = instance.follow(threadId);
      await instance.send(threadId, "word ".repeat(size));
      await live.ended(1);
      live.close();
    }
    // Indexing continues after the answer, so both are read until nothing was stored between them.
    await expect
      .poll(async () => {
        const [lines, report] = [await printed(instance), await instance.client.getStorage({})];
        return toLines(report).filter((line) => !lines.includes(line));
      })
      .toEqual([]);
    const report = await instance.client.getStorage({});
    expect(report.database).toMatchObject({ kind });
    expect(report.content.messages).toBeGreaterThan(100_000);
    expect(report.accounts).toEqual([]);
    expect(report.largestThreads.map(({ own }) => own?.title)).toEqual(["large", "small"]);
    const lines = await printed(instance);
    for (const { own, bytes } of report.largestThreads)
      expect(lines).toContain(
        lineOf(bytes, `${new Date(own?.updatedAt ?? 0).toISOString().slice(0, 10)}  ${own?.id}  ${own?.title}`),
      );
    expect(report.freeable.unusedBytes === null).toBe(kind === "postgres");
    expect(report.rules).toEqual({ archiveThreadsDays: 60, deleteThreadsDays: null, deleteReceiptsDays: 14 });
  });

  test("shows admins the owner and size of others' threads, never titles, ids or contents, and nothing to members", async () => {
    const instance = await start({ env: accountsOn });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com" });
    await ada.client.createThread({ body: { id: "adas", title: "Ada's plan" } });
    await bob.client.createThread({ body: { id: "bobs", title: "Bob's secret plan" } });
    const report = await ada.client.getStorage({});
    expect(report.accounts.map(({ email, threads }) => [email, threads]).sort()).toEqual([
      ["ada@example.com", 1],
      ["bob@example.com", 1],
    ]);
    expect(report.otherAccounts).toEqual({ count: 0, threads: 0, bytes: 0 });
    const [his] = report.largestThreads.filter(({ email }) => email === "bob@example.com");
    expect(his).toEqual({ email: "bob@example.com", bytes: expect.any(Number), own: null });
    expect(report.largestThreads.map(({ own }) => own?.title)).toContain("Ada's plan");
    expect(JSON.stringify(report)).not.toMatch(/secret plan|bobs/);
    const lines = await printed(instance);
    expect(toLines(report).filter((line) => !lines.includes(line))).toEqual([]);
    expect((await send(instance.url, "GET /api/storage", { cookie: bob.cookie })).status).toBe(403);
    expect((await send(instance.url, "GET /api/storage")).status).toBe(401);
  });

  test("lists at most 20 threads, and requests at the same time get one measurement", async () => {
    const instance = await start();
    for (let n = 0; n < 25; n += 1) await instance.client.createThread({ body: { id: `t${n}`, title: `Thread ${n}` } });
    const reports = await Promise.all([1, 2, 3].map(() => instance.client.getStorage({})));
    expect(reports.map(({ largestThreads }) => largestThreads.length)).toEqual([20, 20, 20]);
    expect(new Set(reports.map(({ measuredAt }) => measuredAt)).size).toBe(1);
  });
});
