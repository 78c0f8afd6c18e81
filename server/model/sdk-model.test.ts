import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { systemClock } from "../lib/clock.ts";
import { createBreaker } from "./breaker.ts";
import { createModels } from "./registry.ts";
import { createSdkModel } from "./sdk-model.ts";
import type { Provider } from "./sdk/provider.ts";

type Part = LanguageModelV4StreamPart;

const request: ModelRequest = {
  system: "",
  messages: [{ role: "user", text: "Hello." }],
  tools: [],
  toolChoice: "auto",
  effort: "medium",
  maxOutputTokens: null,
};
const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 2, text: 2, reasoning: 0 },
};
const finish = (unified: "stop" | "tool-calls" | "other" = "stop", raw: string | null = unified): Part => ({
  type: "finish",
  usage,
  finishReason: { unified, raw: raw ?? undefined },
});
const words = (...deltas: string[]): Part[] => [
  { type: "text-start", id: "t" },
  ...deltas.map((delta): Part => ({ type: "text-delta", id: "t", delta })),
  { type: "text-end", id: "t" },
];

const info = createModels({ config: { keys: {} }, clock: systemClock }).list()[0]!;

const connect = (doStream: LanguageModelV4["doStream"], more: object = {}) => {
  const languageModel = { specificationVersion: "v4", provider: "p", modelId: "m", supportedUrls: {}, doStream };
  const provider: Provider = {
    label: "Somebody",
    secrets: ["s3cret-key"],
    namespace: "somebody",
    saysFinish: true,
    languageModel: () => languageModel as unknown as LanguageModelV4,
    callOptions: () => ({}),
    readList: async () => ({ listings: [], count: 0 }),
  };
  return createSdkModel({ info, provider, clock: systemClock, timeouts: {}, ...more });
};

const toStream = (parts: readonly Part[]) =>
  new ReadableStream<Part>({
    start: (controller) => {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

const collect = async (stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> => {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
};
const run = (parts: readonly Part[]) =>
  collect(connect(() => Promise.resolve({ stream: toStream(parts) })).stream(request, new AbortController().signal));

afterEach(() => {
  vi.useRealTimers();
});

describe("events", () => {
  test("starts a part with its first text, and skips empty parts", async () => {
    const events = await run([...words(), ...words("", "a", ""), ...words("b"), finish()]);
    expect(
      events.map((event) => (event.type === "finish" ? event.reason : `${event.type} ${"key" in event && event.key}`)),
    ).toEqual(["start text-1", "delta text-1", "end text-1", "start text-2", "delta text-2", "end text-2", "stop"]);
  });

  test("keeps reasoning without text if it has metadata", async () => {
    const provider = { somebody: { sealed: "x" } };
    const events = await run([
      { type: "reasoning-start", id: "r", providerMetadata: provider },
      { type: "reasoning-end", id: "r" },
      ...words("ok"),
      finish(),
    ]);
    expect(events.slice(0, 2)).toEqual([
      { type: "start", key: "reasoning-0", kind: "reasoning" },
      { type: "end", key: "reasoning-0", provider: { ...provider, stonechat: { model: expect.any(String) } } },
    ]);
  });

  test("orders deltas without a start and closes open parts", async () => {
    const events = await run([{ type: "text-delta", id: "x", delta: "hi" }, finish()]);
    expect(events.map((event) => event.type)).toEqual(["start", "delta", "end", "finish"]);
  });

  test("makes repeated and missing call ids unique", async () => {
    const call = (toolCallId: string): Part => ({ type: "tool-call", toolCallId, toolName: "t", input: "{}" });
    const events = await run([call("c"), call("c"), call(""), finish("tool-calls")]);
    const ids = events.flatMap((event) => (event.type === "tool-call" ? [event.callId] : []));
    expect(new Set(ids).size).toBe(3);
    expect(ids[0]).toBe("c");
    expect(ids).not.toContain("");
  });

  test("restores arguments that the package replaced by an empty object", async () => {
    const events = await run([
      { type: "tool-input-start", id: "c", toolName: "t" },
      { type: "tool-input-delta", id: "c", delta: '{"broken": ' },
      { type: "tool-call", toolCallId: "c", toolName: "t", input: "{}" },
      finish("tool-calls"),
    ]);
    expect(events.find((event) => event.type === "tool-call")).toMatchObject({ inputText: '{"broken": ' });
  });

  test("ignores tools that the provider runs and unknown parts", async () => {
    const strange = { type: "hologram", id: "x" } as unknown as Part;
    const own: Part = { type: "tool-call", toolCallId: "c", toolName: "search", input: "{}", providerExecuted: true };
    expect((await run([strange, own, finish()])).map((event) => event.type)).toEqual(["finish"]);
  });

  test("joins a surrogate pair split between deltas, and replaces a lone half", async () => {
    const split = await run([...words("a\ud83e", "\udea8b"), finish()]);
    expect(split.flatMap((event) => (event.type === "delta" ? [event.text] : []))).toEqual(["a", "🪨b"]);
    const lone = await run([...words("a\udea8b"), finish()]);
    expect(lone.flatMap((event) => (event.type === "delta" ? [event.text] : []))).toEqual(["a\ufffdb"]);
  });
});

describe("end of the stream", () => {
  const call: Part = { type: "tool-call", toolCallId: "c", toolName: "t", input: "{}" };

  test.each([
    ["stop with a call", [call, finish("stop")], "tool-calls"],
    ["tool calls without one", [finish("tool-calls")], "stop"],
    ["other", [call, finish("other", "tired")], "other"],
  ] as const)("%s is named by what it did", async (_name, parts, reason) => {
    expect((await run(parts)).at(-1)).toMatchObject({ type: "finish", reason });
  });

  test.each([-1, Number.NaN, 1e300])("ignores a usage of %d tokens", async (total) => {
    const absurd = { ...usage, inputTokens: { ...usage.inputTokens, total } };
    const part = { ...finish(), usage: absurd } as Part;
    expect((await run([part])).at(-1)).toEqual({ type: "finish", reason: "stop", usage: null });
  });

  test.each([
    ["a stream that just ends", [...words("half")]],
    ["a finish without the provider's word for it", [...words("half"), finish("other", null)]],
    ["tool calls without the provider's word for it", [finish("tool-calls", null)]],
  ])("%s is cut, not done", async (_name, parts) => {
    expect((await run(parts)).at(-1)).toMatchObject({ type: "failed", failure: { code: "cut", fault: "provider" } });
  });

  test("sends nothing after the terminal event", async () => {
    const events = await run([...words("a"), finish(), ...words("b"), finish()]);
    expect(events.filter((event) => event.type === "finish")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("finish");
  });

  test.each([
    [
      "throws at once",
      () => {
        throw new Error("s3cret-key leaked");
      },
    ],
    ["rejects with nothing", () => Promise.reject(undefined)],
    ["gives no stream", () => Promise.resolve({} as never)],
    [
      "gives a stream that breaks",
      () => Promise.resolve({ stream: new ReadableStream<Part>({ start: (c) => c.error(new Error("s3cret-key")) }) }),
    ],
  ] as const)("a package that %s is a failure in words, without the key", async (_name, doStream) => {
    const events = await collect(
      connect(doStream as LanguageModelV4["doStream"]).stream(request, new AbortController().signal),
    );
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: "failed", failure: { fault: "provider" } });
    expect(JSON.stringify(events)).not.toContain("s3cret-key");
  });

  test("ends an endless answer as too long, and a huge piece as garbled", async () => {
    const endless = Array.from({ length: 1100 }, (): Part => ({
      type: "text-delta",
      id: "t",
      delta: "x".repeat(1000),
    }));
    const events = await run([...endless, finish()]);
    expect(events.at(-1)).toEqual({ type: "finish", reason: "length", usage: null });
    expect(events.filter((event) => event.type === "delta")).toHaveLength(1000);
    expect((await run([...words("x".repeat(1_000_001)), finish()])).at(-1)).toMatchObject({
      failure: { code: "garbled" },
    });
  });
});

/** A provider that sends the parts of the test and records the state of the call. */
const createHeldCall = () => {
  let controller: ReadableStreamDefaultController<Part> | undefined;
  const seen = { aborted: false, cancelled: false };
  const doStream: LanguageModelV4["doStream"] = ({ abortSignal }) => {
    abortSignal?.addEventListener("abort", () => (seen.aborted = true));
    const stream = new ReadableStream<Part>({
      start: (c) => void (controller = c),
      cancel: () => void (seen.cancelled = true),
    });
    return Promise.resolve({ stream });
  };
  return { doStream, seen, send: (...parts: Part[]) => parts.forEach((part) => controller?.enqueue(part)) };
};

describe("stopping", () => {
  test("makes no call if the signal is already aborted", async () => {
    const doStream = vi.fn<LanguageModelV4["doStream"]>();
    const events = await collect(connect(doStream).stream(request, AbortSignal.abort()));
    expect(events).toMatchObject([{ type: "failed", failure: { code: "cut" } }]);
    expect(doStream).not.toHaveBeenCalled();
  });

  test("ends at once during a wait and aborts the request", async () => {
    const held = createHeldCall();
    const stop = new AbortController();
    const iterator = connect(held.doStream).stream(request, stop.signal)[Symbol.asyncIterator]();
    const first = iterator.next();
    await Promise.resolve();
    held.send({ type: "text-delta", id: "t", delta: "hi" });
    expect((await first).value).toMatchObject({ type: "start" });
    expect((await iterator.next()).value).toMatchObject({ type: "delta", text: "hi" });
    const waiting = iterator.next();
    stop.abort();
    expect((await waiting).value).toMatchObject({ type: "failed", failure: { code: "cut" } });
    expect((await iterator.next()).done).toBe(true);
    expect(held.seen).toEqual({ aborted: true, cancelled: true });
  });

  test("ends even if the package ignores the signal", async () => {
    const stop = new AbortController();
    const events = collect(connect(() => new Promise(() => {})).stream(request, stop.signal));
    stop.abort();
    expect(await events).toMatchObject([{ type: "failed", failure: { code: "cut" } }]);
  });

  test("aborts the request when the reader leaves", async () => {
    const held = createHeldCall();
    const stream = connect(held.doStream).stream(request, new AbortController().signal);
    setImmediate(() => held.send(...words("hi")));
    for await (const event of stream) if (event.type === "start") break;
    expect(held.seen).toEqual({ aborted: true, cancelled: true });
  });
});

describe("timeouts", () => {
  test("ends after silence, but not while the reader is busy", async () => {
    vi.useFakeTimers();
    const held = createHeldCall();
    const model = connect(held.doStream, { timeouts: { idleMs: 1000, totalMs: 60_000 } });
    const iterator = model.stream(request, new AbortController().signal)[Symbol.asyncIterator]();
    const first = iterator.next();
    await vi.advanceTimersByTimeAsync(999);
    held.send({ type: "text-delta", id: "t", delta: "hi" });
    expect((await first).value).toMatchObject({ type: "start" });
    expect((await iterator.next()).value).toMatchObject({ type: "delta" });
    await vi.advanceTimersByTimeAsync(5000);
    held.send({ type: "text-delta", id: "t", delta: "still here" });
    expect((await iterator.next()).value).toMatchObject({ text: "still here" });
    const waiting = iterator.next();
    await vi.advanceTimersByTimeAsync(1000);
    expect((await waiting).value).toMatchObject({ type: "failed", failure: { code: "stalled" } });
    expect(held.seen.aborted).toBe(true);
  });

  test("ends after the total time even if data keeps coming", async () => {
    vi.useFakeTimers();
    const held = createHeldCall();
    const model = connect(held.doStream, { timeouts: { idleMs: 1000, totalMs: 3000 } });
    const events = collect(model.stream(request, new AbortController().signal));
    for (let at = 0; at < 5; at += 1) {
      await vi.advanceTimersByTimeAsync(500);
      held.send({ type: "text-delta", id: "t", delta: "." });
    }
    await vi.advanceTimersByTimeAsync(500);
    expect((await events).at(-1)).toMatchObject({ type: "finish", reason: "time-limit", usage: null });
  });

  test("leaves no timer behind", async () => {
    vi.useFakeTimers();
    await run([...words("a"), finish()]);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test("provider faults open the breaker, and an open breaker prevents calls", async () => {
  const doStream = vi.fn<LanguageModelV4["doStream"]>(() => Promise.resolve({ stream: toStream(words("half")) }));
  const breaker = createBreaker({ clock: systemClock, label: "Somebody" });
  const model = connect(doStream, { breakers: { foreground: breaker, background: breaker } });
  for (let at = 0; at < 5; at += 1) await collect(model.stream(request, new AbortController().signal));
  const events = await collect(model.stream(request, new AbortController().signal));
  expect(events).toMatchObject([{ type: "failed", failure: { code: "resting" } }]);
  expect(doStream).toHaveBeenCalledTimes(5);
});

test("faults of background calls do not block foreground calls", async () => {
  const doStream = vi.fn<LanguageModelV4["doStream"]>(() => Promise.resolve({ stream: toStream(words("half")) }));
  const [foreground, background] = ["f", "b"].map((label) => createBreaker({ clock: systemClock, label }));
  const model = connect(doStream, { breakers: { foreground, background } });
  const last = async (isBackground: boolean) =>
    (await collect(model.stream(request, new AbortController().signal, { isBackground }))).at(-1);
  for (let at = 0; at < 5; at += 1) await last(true);
  expect(await last(true)).toMatchObject({ failure: { code: "resting" } });
  expect(await last(false)).toMatchObject({ failure: { code: "cut" } });
});

test("calls that the user stops never open the breaker", async () => {
  const breaker = createBreaker({ clock: systemClock, label: "Somebody" });
  const model = connect(() => new Promise(() => {}), { breakers: { foreground: breaker, background: breaker } });
  for (let at = 0; at < 8; at += 1) {
    const stop = new AbortController();
    const events = collect(model.stream(request, stop.signal));
    stop.abort();
    expect(await events).toMatchObject([{ failure: { code: "cut" } }]);
  }
  expect(breaker.admit()).toBeNull();
});
