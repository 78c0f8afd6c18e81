import { expect, test, vi } from "vitest";
import { createReports, readPreviewReport, type PreviewReport } from "./use-preview.ts";

const log = (text: string) => ({ kind: "console", level: "log", text, place: null, at: 5 }) as const;
const report = (logs: readonly string[], more: Partial<PreviewReport> = {}): PreviewReport => ({
  ...{ seq: 1, loaded: false, logs: logs.map(log) },
  ...more,
});

function createClient() {
  const bodies: PreviewReport[] = [];
  let isFailing = false;
  return {
    bodies,
    fail: () => void (isFailing = true),
    reportLogs: async ({ body }: { body: unknown }) => {
      bodies.push(body as PreviewReport);
      if (isFailing) throw new TypeError("no network");
      return { kept: 1 };
    },
  };
}

test("accepts valid messages of a page as bounded text and ignores others", () => {
  const message = {
    type: "stonechat-preview",
    seq: 3,
    loaded: true,
    logs: [{ kind: "console", level: "warn", text: "x" }],
  };
  expect(readPreviewReport(message, 5)).toEqual({
    seq: 3,
    loaded: true,
    logs: [{ kind: "console", level: "warn", text: "x", place: null, at: 5 }],
  });
  for (const bad of [
    null,
    1,
    "x",
    {},
    { ...message, type: "other" },
    { ...message, seq: -1 },
    { ...message, logs: {} },
  ]) {
    expect(readPreviewReport(bad, 5)).toBeUndefined();
  }
  const odd = [{ kind: "other", level: "x", text: "x" }, { kind: "console", level: 1, text: "x" }, null, "x"];
  expect(readPreviewReport({ ...message, logs: odd }, 5)?.logs).toEqual([]);
  const huge = Array.from({ length: 300 }, () => ({ kind: "network", level: "l".repeat(99), text: "t".repeat(9999) }));
  const read = readPreviewReport({ ...message, logs: huge }, 5)?.logs ?? [];
  expect([read.length, read[0]?.level.length, read[0]?.text.length]).toEqual([100, 10, 4000]);
});

test("sends consecutive reports together and keeps the load flag", async () => {
  const client = createClient();
  const reports = createReports(client, "p");
  reports.add(report(["a"]));
  reports.add(report(["b"], { loaded: true }));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(1));
  expect(client.bodies[0]).toEqual(report(["a", "b"], { loaded: true }));
  reports.add(report([]));
  reports.add(report(["c"], { seq: 2 }));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(2));
  expect(client.bodies[1]).toEqual(report(["c"], { seq: 2 }));
});

test("limits the messages per load; the next load may report again", async () => {
  const client = createClient();
  const reports = createReports(client, "p");
  for (let round = 0; round < 9; round++) reports.add(report(Array.from({ length: 100 }, (_, n) => `${round} ${n}`)));
  reports.begin();
  reports.add(report(["again"], { seq: 2 }));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(6), { timeout: 10_000 });
  expect(client.bodies.map(({ logs }) => logs.length)).toEqual([100, 100, 100, 100, 100, 1]);
  expect(client.bodies[4]?.logs.at(-1)?.text).toBe("4 99");
});

test("a failed report does not delay later ones", async () => {
  const client = createClient();
  const reports = createReports(client, "p");
  client.fail();
  reports.add(report(["a"]));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(1));
  reports.add(report(["b"]));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(2));
});

test("keeps only the ten newest waiting reports", async () => {
  vi.useFakeTimers();
  try {
    const client = createClient();
    const reports = createReports(client, "p");
    for (let seq = 1; seq <= 1_000; seq += 1) reports.add(report([], { seq, loaded: true }));
    await vi.runAllTimersAsync();
    expect(client.bodies.map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, n) => 991 + n));
  } finally {
    vi.useRealTimers();
  }
});
