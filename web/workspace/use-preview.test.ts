import { expect, test, vi } from "vitest";
import { createReports, readPreviewReport, type PreviewReport } from "./use-preview.ts";

const log = (text: string) => ({ kind: "console", level: "log", text, place: null, at: 5 }) as const;
const told = (logs: readonly string[], more: Partial<PreviewReport> = {}): PreviewReport => ({
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

test("a message of a page is taken as text, within bounds, or not at all", () => {
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

test("what is told in a row goes out together, and a load is not lost among it", async () => {
  const client = createClient();
  const reports = createReports(client, "p");
  reports.add(told(["a"]));
  reports.add(told(["b"], { loaded: true }));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(1));
  expect(client.bodies[0]).toEqual(told(["a", "b"], { loaded: true }));
  reports.add(told([]));
  reports.add(told(["c"], { seq: 2 }));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(2));
  expect(client.bodies[1]).toEqual(told(["c"], { seq: 2 }));
});

test("a load may say so much and no more; the next one may speak again", async () => {
  const client = createClient();
  const reports = createReports(client, "p");
  for (let round = 0; round < 9; round++) reports.add(told(Array.from({ length: 100 }, (_, n) => `${round} ${n}`)));
  reports.begin();
  reports.add(told(["again"], { seq: 2 }));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(6), { timeout: 10_000 });
  expect(client.bodies.map(({ logs }) => logs.length)).toEqual([100, 100, 100, 100, 100, 1]);
  expect(client.bodies[4]?.logs.at(-1)?.text).toBe("4 99");
});

test("a report that cannot be sent holds up none that follow", async () => {
  const client = createClient();
  const reports = createReports(client, "p");
  client.fail();
  reports.add(told(["a"]));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(1));
  reports.add(told(["b"]));
  await vi.waitFor(() => expect(client.bodies).toHaveLength(2));
});

test("a page that reports loads without end has ten reports waiting, the newest", async () => {
  vi.useFakeTimers();
  try {
    const client = createClient();
    const reports = createReports(client, "p");
    for (let seq = 1; seq <= 1_000; seq += 1) reports.add(told([], { seq, loaded: true }));
    await vi.runAllTimersAsync();
    expect(client.bodies.map(({ seq }) => seq)).toEqual(Array.from({ length: 10 }, (_, n) => 991 + n));
  } finally {
    vi.useRealTimers();
  }
});
