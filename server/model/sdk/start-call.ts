import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelEvent, ModelFailure } from "../../../protocol/model.ts";
import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Breaker } from "../breaker.ts";
import { stopped } from "../play.ts";
import type { createTranslation } from "./translate.ts";
import { watchCall, type Watch } from "./watch.ts";

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
type Translation = ReturnType<typeof createTranslation>;

type Call = {
  readonly open: (abortSignal: AbortSignal) => Promise<Reader>;
  readonly translate: (watch: Watch) => Translation;
  readonly explain: (error: unknown) => ModelFailure;
  readonly label: string;
  readonly timeouts: {
    /** Silence before the first token. */
    readonly firstMs: number;
    /** Silence after it. */
    readonly idleMs: number;
    readonly totalMs: number;
    /** How long a server may say that it is loading its model. */
    readonly loadMs: number;
    /** Silence after which the user is told what the call is waiting for; null: never. */
    readonly tellAfterMs: number | null;
  };
  readonly clock: Clock;
  readonly breaker: Breaker | undefined;
  readonly isAskedFor: boolean;
  readonly signal: AbortSignal;
};

const firstPollMs = 250;
const pollMostMs = 10_000;

const over: IteratorResult<ModelEvent> = { done: true, value: undefined };

/** One call of a provider's package as an iterator of our events. Any byte from the server counts as life. */
export const startCall = (call: Call): AsyncIterator<ModelEvent> => {
  const { breaker, signal, timeouts } = call;
  const request = new AbortController();
  let silence: NodeJS.Timeout | undefined;
  let total: NodeJS.Timeout | undefined;
  const watch = watchCall(request.signal, () => silence?.refresh());
  const translation = call.translate(watch);
  let reader: Reader | undefined;
  let opening: Promise<Reader> | undefined;
  let halted: ModelFailure | undefined;
  let giveWay: (() => void) | undefined;
  let state: "before" | "open" | "closed" = "before";
  let hasOutput = false;
  let waiting = false;
  let isTold = false;
  let polls = 0;
  let loadUntil: number | undefined;

  /** Ends a pending read at once: cancelling resolves it, aborting closes the connection behind it. */
  const halt = (failure: ModelFailure) => {
    halted ??= failure;
    request.abort();
    giveWay?.();
    reader?.cancel().catch(ignore);
  };
  const onStop = () => halt(stopped);
  /** Started again with another length when the first token is there. */
  const watchSilence = (ms: number) => {
    clearTimeout(silence);
    silence = setTimeout(() => waiting && halt(stalled(call.label, ms)), ms);
  };

  const close = () => {
    state = "closed";
    clearTimeout(silence);
    clearTimeout(total);
    signal.removeEventListener("abort", onStop);
  };
  const end = (event: ModelEvent): IteratorResult<ModelEvent> => {
    close();
    request.abort();
    reader?.cancel().catch(ignore);
    settle(breaker, event, halted === stopped);
    return { done: false, value: event };
  };
  const fail = (failure: ModelFailure) => {
    if (failure.code === "time-limit" && hasOutput) {
      return end({ type: "finish", reason: "time-limit", raw: toSeconds(timeouts.totalMs), usage: null });
    }
    const isCharged = halted !== undefined || (watch.isAccepted && watch.bytes > 0);
    return end({ type: "failed", failure, ...(isCharged ? { isCharged } : {}) });
  };
  const refuse = (failure: ModelFailure): IteratorResult<ModelEvent> => {
    close();
    return { done: false, value: { type: "failed", failure, isUnsent: true } };
  };
  const tell = (text: string): IteratorResult<ModelEvent> => {
    isTold = true;
    return { done: false, value: { type: "waiting", text } };
  };

  const begin = (): IteratorResult<ModelEvent> | undefined => {
    if (signal.aborted) return refuse(stopped);
    const resting = breaker?.admit(call.isAskedFor) ?? null;
    if (resting !== null) return refuse(resting);
    state = "open";
    signal.addEventListener("abort", onStop, { once: true });
    watchSilence(timeouts.firstMs);
    total = setTimeout(() => halt(timedOut(call.label, timeouts.totalMs)), timeouts.totalMs);
    waiting = true;
    opening = open(0);
    return undefined;
  };
  const open = async (delayMs: number): Promise<Reader> => {
    if (delayMs > 0) {
      // Our own pause is not the server's silence.
      waiting = false;
      await sleep(delayMs, request.signal);
      waiting = true;
      silence?.refresh();
    }
    const opened = await call.open(request.signal);
    // A reader that arrives after we gave up is let go.
    if (halted !== undefined) opened.cancel().catch(ignore);
    return opened;
  };

  /** Waits for the response's headers; meanwhile says once what it is waiting for. */
  const awaitReader = async (pending: Promise<Reader>): Promise<IteratorResult<ModelEvent> | undefined> => {
    let slow: NodeJS.Timeout | undefined;
    const interrupted = new Promise<"interrupted">((resolve) => {
      giveWay = () => resolve("interrupted");
      if (timeouts.tellAfterMs !== null && !isTold) slow = setTimeout(giveWay, timeouts.tellAfterMs);
    });
    pending.catch(ignore);
    try {
      const opened = await Promise.race([pending, interrupted]);
      if (halted !== undefined) return fail(halted);
      if (opened === "interrupted") return tell(slowText(call.label));
      reader = opened;
      return undefined;
    } catch (error) {
      if (halted !== undefined) return fail(halted);
      const failure = call.explain(error);
      return failure.code === "loading" ? askAgain(failure) : fail(failure);
    } finally {
      clearTimeout(slow);
    }
  };
  /** Starting another load is avoided: the server is only asked whether it is ready. */
  const askAgain = (failure: ModelFailure): IteratorResult<ModelEvent> | undefined => {
    const now = call.clock.monotonic();
    loadUntil ??= now + timeouts.loadMs;
    if (now >= loadUntil) return fail(loading(call.label, timeouts.loadMs));
    const delayMs = Math.min(failure.retryAfterMs ?? firstPollMs * 2 ** polls, pollMostMs);
    polls += 1;
    total?.refresh();
    opening = open(delayMs);
    return isTold ? undefined : tell(loadingText(call.label));
  };

  const show = (event: ModelEvent): IteratorResult<ModelEvent> => {
    if (isTerminal(event)) return end(event);
    if (!hasOutput) {
      hasOutput = true;
      watchSilence(timeouts.idleMs);
    }
    return { done: false, value: event };
  };

  return {
    next: async () => {
      if (state === "closed") return over;
      if (state === "before") {
        const ended = begin();
        if (ended !== undefined) return ended;
      }
      while (reader === undefined) {
        if (opening === undefined) return fail(halted ?? stopped);
        const event = await awaitReader(opening);
        if (event !== undefined) return event;
      }
      for (;;) {
        if (halted !== undefined) return fail(halted);
        const ready = translation.take();
        if (ready !== undefined) return show(ready);
        waiting = true;
        silence?.refresh();
        let step: Awaited<ReturnType<Reader["read"]>>;
        try {
          step = await reader.read();
        } catch (error) {
          return fail(halted ?? call.explain(error));
        }
        waiting = false;
        if (halted !== undefined) return fail(halted);
        if (step.done) return fail(cut(call.label));
        const event = translation.read(step.value, call.explain);
        if (event !== undefined) return show(event);
      }
    },
    return: async () => {
      if (state === "open") {
        halt(stopped);
        breaker?.settle("neither");
      }
      close();
      return over;
    },
  };
};

const ignore = () => {};

const isTerminal = (event: ModelEvent): boolean => event.type === "finish" || event.type === "failed";

const settle = (breaker: Breaker | undefined, event: ModelEvent, byUser: boolean): void => {
  if (event.type !== "failed") return breaker?.settle("answered");
  const { code, fault } = event.failure;
  const isFault = !byUser && fault === "provider" && code !== "loading" && code !== "time-limit";
  breaker?.settle(isFault ? "fault" : "neither", code);
};

/** Texts for what our own timers decide about a call. */
const toSeconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`);

const failure = (code: ModelFailure["code"], text: string): ModelFailure => ({ code, fault: "provider", text });

const stalled = (label: string, ms: number): ModelFailure =>
  failure(
    "stalled",
    `${label} sent nothing for ${toSeconds(ms)}. It may be overloaded: try again, or choose another model.`,
  );

const timedOut = (label: string, ms: number): ModelFailure =>
  failure(
    "time-limit",
    `${label} did not begin its answer within ${toSeconds(ms)}. Ask for less at once, or choose a faster model.`,
  );

const loading = (label: string, ms: number): ModelFailure =>
  failure(
    "loading",
    `${label} is still loading the model after ${toSeconds(ms)}. Wait until it is ready and try again, or choose another model.`,
  );

const cut = (label: string): ModelFailure =>
  failure("cut", `The answer of ${label} broke off before it was complete. Try again.`);

const loadingText = (label: string): string => `The model server ${label} is loading the model…`;

const slowText = (label: string): string =>
  `Waiting for the model server ${label}. It may be loading the model or reading a long prompt…`;
