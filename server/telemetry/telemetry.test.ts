import { expect, onTestFinished, test, vi } from "vitest";
import { systemClock } from "../lib/clock.ts";
import type { OpenStream } from "../net/open-stream.ts";
import { createTelemetry } from "./telemetry.ts";

test("the queue is bounded: later spans are dropped and counted while nothing can be sent, and the first ones arrive later", async () => {
  const sent: string[] = [];
  const notes: string[] = [];
  let isUp = false;
  const stream: OpenStream = async (url, { body }) => {
    if (!isUp) throw new Error("The receiver is down.");
    if (url.endsWith("/v1/traces")) sent.push(String(body));
    return { status: 200, headers: {}, body: (async function* () {})() };
  };
  const telemetry = createTelemetry({
    ...{ endpoint: "http://127.0.0.1:4318", headers: {}, name: "stonechat", version: "0", contents: false },
    ...{ stream, clock: systemClock, onNote: (note: string) => notes.push(note) },
  });
  for (let n = 0; n < 2_500; n += 1)
    telemetry.observe({ kind: "commit", runId: `run-${n}` })({ outcome: "ok", isFailure: false });
  expect(telemetry.stats()).toEqual({ dropped: 500 });
  isUp = true;
  await telemetry.close();
  const runs = sent.flatMap((body) => [...body.matchAll(/run-(\d+)/g)].map(([, n]) => Number(n)));
  expect(runs).toHaveLength(2_000);
  expect(Math.max(...runs)).toBe(1_999);
  expect(sent.length).toBe(4);
});

test("the series of durations are bounded, whatever names tools have", async () => {
  const bodies: string[] = [];
  const telemetry = createTelemetry({
    ...{ endpoint: "http://127.0.0.1:4318", headers: {}, name: "stonechat", version: "0", contents: false },
    ...{ clock: systemClock, onNote: () => {} },
    stream: async (url, { body }) => {
      if (url.endsWith("/v1/metrics")) bodies.push(String(body));
      return { status: 200, headers: {}, body: (async function* () {})() };
    },
  });
  for (let n = 0; n < 700; n += 1) {
    const work = {
      kind: "tool",
      runId: "run",
      name: `tool-${n}`,
      callId: "c",
      isTemporary: false,
      input: () => "",
    } as const;
    telemetry.observe(work)({ outcome: "ok", isFailure: false });
  }
  await telemetry.close();
  expect(bodies).toHaveLength(1);
  expect(bodies[0]?.match(/"bucketCounts"/g)).toHaveLength(500);
});

test("a receiver that does not respond gets one request at a time, is reported once, and delays closing by two seconds at most", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const notes: string[] = [];
  let [requests, open, mostOpen] = [0, 0, 0];
  const telemetry = createTelemetry({
    ...{ endpoint: "http://127.0.0.1:4318", headers: {}, name: "stonechat", version: "0", contents: false },
    ...{ clock: systemClock, onNote: (note: string) => notes.push(note) },
    stream: async (_, { signal, lifeMs }) => {
      requests += 1;
      mostOpen = Math.max(mostOpen, (open += 1));
      return new Promise((_resolve, reject) => {
        const fail = () => reject(new Error(`No response. ${(open -= 1)}`));
        signal?.addEventListener("abort", fail, { once: true });
        setTimeout(fail, lifeMs);
      });
    },
  });
  telemetry.observe({ kind: "commit", runId: "run" })({ outcome: "ok", isFailure: false });
  await vi.advanceTimersByTimeAsync(61_000);
  expect({ notes: notes.length, mostOpen }).toEqual({ notes: 1, mostOpen: 1 });
  expect(requests).toBeGreaterThan(3);
  const closed = telemetry.close().then(() => "closed");
  await vi.advanceTimersByTimeAsync(2_000);
  expect(await Promise.race([closed, Promise.resolve("open")])).toBe("closed");
});
