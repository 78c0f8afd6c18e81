import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { follow, type LinkState, type StreamEvent } from "./follow.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Connection = { readonly url: string; send(text: string): void; end(): void; readonly signal: AbortSignal };

/** A server with one answer per request: a status, 0 for no server, or -1 for one that never answers. Open streams are fed by the test. */
function createStreams(...statuses: readonly number[]) {
  const connections: Connection[] = [];
  const send = async (url: unknown, init?: RequestInit): Promise<Response> => {
    const status = statuses[connections.length] ?? 200;
    const encoder = new TextEncoder();
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
    const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
    const signal = init?.signal ?? new AbortController().signal;
    signal.addEventListener("abort", () => controller?.error(new Error("aborted")));
    connections.push({
      url: String(url),
      signal,
      send: (text) => controller?.enqueue(encoder.encode(text)),
      end: () => controller?.close(),
    });
    if (status === -1) await new Promise((_, reject) => signal.addEventListener("abort", reject));
    if (status === 0) throw new TypeError("no network");
    return new Response(status === 200 ? body : null, { status });
  };
  return { connections, fetch: send as typeof fetch };
}

function start(streams: ReturnType<typeof createStreams>) {
  const events: StreamEvent[] = [];
  const links: LinkState[] = [];
  const follower = follow({
    toUrl: () => `/stream?after=${events.at(-1)?.seq ?? 0}`,
    onEvent: (event) => events.push(event),
    onLink: (link) => links.push(link),
    fetch: streams.fetch,
    random: () => 1,
    silenceMs: 50_000,
  });
  return { events, links, follower };
}

const frame = (seq: number): string => `id: ${seq}\ndata: {"type":"input-withdrawn","inputId":"i${seq}"}\n\n`;
const settle = () => vi.advanceTimersByTimeAsync(0);

test("resumes after the last event when the connection drops", async () => {
  const streams = createStreams();
  const { events, links } = start(streams);
  await settle();
  streams.connections[0]?.send(frame(4) + frame(5) + frame(6).slice(0, 12));
  await settle();
  streams.connections[0]?.end();
  await vi.advanceTimersByTimeAsync(400);
  expect(events.map(({ seq }) => seq)).toEqual([4, 5]);
  expect(streams.connections[1]?.url).toBe("/stream?after=5");
  expect(links).toEqual(["connecting", "live", "waiting", "live"]);
});

test("reports an event that cannot be handled, and requests it again after longer pauses", async () => {
  const reported = vi.spyOn(console, "error").mockImplementation(() => {});
  const streams = createStreams();
  const bug = new Error("a bug in the page");
  follow({
    ...{ toUrl: () => "/stream?after=0", fetch: streams.fetch, random: () => 1, onLink: () => {} },
    onEvent: () => {
      throw bug;
    },
  });
  await settle();
  for (const [n, pauseMs] of [400, 800, 1_600].entries()) {
    streams.connections[n]?.send(frame(4));
    await settle();
    expect(reported.mock.calls.at(-1)).toEqual([bug]);
    expect(streams.connections[n]?.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(pauseMs - 1);
    expect(streams.connections).toHaveLength(n + 1);
    await vi.advanceTimersByTimeAsync(1);
    expect(streams.connections).toHaveLength(n + 2);
  }
  reported.mockRestore();
});

test("waits longer after each failed connection", async () => {
  const streams = createStreams(0, 0, 503, 200);
  const { links } = start(streams);
  await vi.advanceTimersByTimeAsync(399);
  expect(streams.connections).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1 + 800);
  expect(streams.connections).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(1600);
  expect(links.at(-1)).toBe("live");
});

test("connects at once when woken", async () => {
  const streams = createStreams(0, 200);
  const { follower, links } = start(streams);
  await settle();
  follower.wake();
  await settle();
  expect(links.at(-1)).toBe("live");
});

test("keeps a live connection when woken", async () => {
  const streams = createStreams();
  const { follower } = start(streams);
  await vi.advanceTimersByTimeAsync(24_000);
  follower.wake();
  await settle();
  expect(streams.connections).toHaveLength(1);
});

test("reconnects when the connection falls silent", async () => {
  const streams = createStreams();
  start(streams);
  await settle();
  streams.connections[0]?.send(": \n\n");
  await vi.advanceTimersByTimeAsync(49_999);
  expect(streams.connections[0]?.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1 + 400);
  expect(streams.connections).toHaveLength(2);
});

test("reconnects when a request is never answered", async () => {
  const streams = createStreams(-1, 200);
  const { links } = start(streams);
  await vi.advanceTimersByTimeAsync(49_999);
  expect(streams.connections[0]?.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(1 + 400);
  expect(links).toEqual(["connecting", "waiting", "live"]);
});

test.each([
  [404, "gone"],
  [401, "signed-out"],
] as const)("status %i ends the connection as %s", async (status, link) => {
  const streams = createStreams(status);
  const { links } = start(streams);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(links.at(-1)).toBe(link);
  expect(streams.connections).toHaveLength(1);
});

test("closes the connection when paused and reconnects when woken", async () => {
  const streams = createStreams();
  const { follower, links } = start(streams);
  await settle();
  follower.pause();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(streams.connections.map(({ signal }) => signal.aborted)).toEqual([true]);
  expect(links.at(-1)).toBe("paused");
  follower.wake();
  await settle();
  expect(links.at(-1)).toBe("live");
});

test("does nothing after closing", async () => {
  const streams = createStreams(0);
  const { follower, links } = start(streams);
  await settle();
  follower.close();
  const before = links.length;
  await vi.advanceTimersByTimeAsync(60_000);
  follower.wake();
  await settle();
  expect(streams.connections).toHaveLength(1);
  expect(links).toHaveLength(before);
});
