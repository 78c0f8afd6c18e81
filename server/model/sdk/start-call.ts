import type { LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { ModelEvent, ModelFailure } from "../../../protocol/model.ts";
import { say, sentence, type Sentence, type Text } from "../../../protocol/sentences.ts";
import type { Clock } from "../../lib/clock.ts";
import { sleep } from "../../lib/sleep.ts";
import type { Breaker } from "../breaker.ts";
import { stopped } from "../stopped.ts";
import type { createTranslation } from "./translate.ts";
import { watchCall, type Watch } from "./watch.ts";

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
type Translation = ReturnType<typeof createTranslation>;

type PackageCall = {
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
    /** How long a server may report that it is loading its model. */
    readonly loadMs: number;
    /** Silence after which the user sees what the call is waiting for; null: never. */
    readonly noticeAfterMs: number | null;
  };
  readonly clock: Clock;
  readonly breaker: Breaker | undefined;
  readonly isAskedFor: boolean;
  readonly signal: AbortSignal;
};

const firstPollMs = 250;
const maxPollMs = 10_000;

const over: IteratorResult<ModelEvent> = { done: true, value: undefined };

/** One call of a provider package as an iterator of events. Any byte from the server resets the silence timeouts. */
export const startCall = (call: PackageCall): AsyncIterator<ModelEvent> => {
  const { breaker, signal, timeouts } = call;
  const request = new AbortController();
  let total: NodeJS.Timeout | undefined;
  let reader: Reader | undefined;
  let halted: ModelFailure | undefined;
  let state: "before" | "open" | "closed" = "before";
  let hasOutput = false;

  /** Ends a pending read at once: cancelling resolves it, aborting closes its connection. */
  const halt = (failure: ModelFailure): void => {
    halted ??= failure;
    request.abort();
    opener.interrupt();
    reader?.cancel().catch(ignore);
  };
  const onStop = (): void => halt(stopped);
  const silence = createSilenceTimer((ms) => halt(stalled(call.label, ms)));
  const opener = createOpener(call, {
    request,
    silence,
    findHalt: () => halted,
    onLoading: () => total?.refresh(),
  });
  const watch = watchCall(request.signal, silence.refresh);
  const translation = call.translate(watch);

  const close = (): void => {
    state = "closed";
    silence.stop();
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
  const fail = (failure: ModelFailure): IteratorResult<ModelEvent> => {
    if (failure.code === "time-limit" && hasOutput) {
      return end({ type: "finish", reason: "time-limit", raw: `${toSeconds(timeouts.totalMs)} s`, usage: null });
    }
    const isCharged = halted !== undefined || (watch.isAccepted && watch.bytes > 0);
    return end({ type: "failed", failure, ...(isCharged ? { isCharged } : {}) });
  };
  const begin = (): IteratorResult<ModelEvent> | undefined => {
    const failure = signal.aborted ? stopped : (breaker?.admit(call.isAskedFor) ?? null);
    if (failure !== null) {
      close();
      return { done: false, value: { type: "failed", failure, isUnsent: true } };
    }
    state = "open";
    signal.addEventListener("abort", onStop, { once: true });
    silence.start(timeouts.firstMs);
    silence.wait();
    total = setTimeout(() => halt(timedOut(call.label, timeouts.totalMs)), timeouts.totalMs);
    return undefined;
  };
  const show = (event: ModelEvent): IteratorResult<ModelEvent> => {
    if (isTerminal(event)) return end(event);
    if (!hasOutput) {
      hasOutput = true;
      silence.start(timeouts.idleMs);
    }
    return { done: false, value: event };
  };
  const readNext = async (from: Reader): Promise<IteratorResult<ModelEvent>> => {
    for (;;) {
      if (halted !== undefined) return fail(halted);
      const ready = translation.take();
      if (ready !== undefined) return show(ready);
      silence.wait();
      let step: Awaited<ReturnType<Reader["read"]>>;
      try {
        step = await from.read();
      } catch (error) {
        return fail(halted ?? call.explain(error));
      }
      silence.pause();
      if (halted !== undefined) return fail(halted);
      if (step.done) return fail(cut(call.label));
      const event = translation.read(step.value, call.explain);
      if (event !== undefined) return show(event);
    }
  };

  const openAndRead = async (): Promise<IteratorResult<ModelEvent>> => {
    if (state === "closed") return over;
    const refused = state === "before" ? begin() : undefined;
    if (refused !== undefined) return refused;
    if (reader === undefined) {
      const opened = await opener.next();
      if (opened.is === "failed") return fail(opened.failure);
      if (opened.is === "waiting") return { done: false, value: { type: "waiting", ...opened.text } };
      reader = opened.reader;
    }
    return readNext(reader);
  };

  return {
    // Once per delta: an open call takes the shortest path.
    next: () => (state === "open" && reader !== undefined ? readNext(reader) : openAndRead()),
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

type SilenceTimer = ReturnType<typeof createSilenceTimer>;

/** Fires when the server is silent while the call waits for it, not while the reader is busy. */
const createSilenceTimer = (onSilence: (ms: number) => void) => {
  let timer: NodeJS.Timeout | undefined;
  let isWaiting = false;
  return {
    start: (ms: number): void => {
      clearTimeout(timer);
      timer = setTimeout(() => isWaiting && onSilence(ms), ms);
    },
    refresh: (): void => void timer?.refresh(),
    wait: (): void => {
      isWaiting = true;
      timer?.refresh();
    },
    pause: (): void => {
      isWaiting = false;
    },
    stop: (): void => clearTimeout(timer),
  };
};

type OpenResult =
  | { readonly is: "open"; readonly reader: Reader }
  | { readonly is: "waiting"; readonly text: Text }
  | { readonly is: "failed"; readonly failure: ModelFailure };

type OpenerOptions = {
  readonly request: AbortController;
  readonly silence: SilenceTimer;
  /** The reason why the call was ended, if it was. */
  readonly findHalt: () => ModelFailure | undefined;
  readonly onLoading: () => void;
};

/** Sends the request and waits for the response headers. While a server is loading its model, it is asked again. */
const createOpener = (call: PackageCall, { request, silence, findHalt, onLoading }: OpenerOptions) => {
  const { clock, label, timeouts } = call;
  let opening: Promise<Reader> | undefined;
  let interrupt: (() => void) | undefined;
  let hasNotice = false;
  let polls = 0;
  let loadUntil: number | undefined;

  const open = async (delayMs: number): Promise<Reader> => {
    if (delayMs > 0) {
      // The pause before a retry does not count as silence of the server.
      silence.pause();
      await sleep(delayMs, request.signal);
      silence.wait();
    }
    const reader = await call.open(request.signal);
    // A reader that arrives after the end of the call is released.
    if (findHalt() !== undefined) reader.cancel().catch(ignore);
    return reader;
  };
  const notify = (why: Sentence): OpenResult => {
    hasNotice = true;
    return { is: "waiting", text: say(why) };
  };
  const explain = (error: unknown): OpenResult | undefined => {
    const failure = findHalt() ?? call.explain(error);
    return failure.code === "loading" && findHalt() === undefined ? pollAgain(failure) : { is: "failed", failure };
  };
  const pollAgain = (failure: ModelFailure): OpenResult | undefined => {
    const now = clock.monotonic();
    loadUntil ??= now + timeouts.loadMs;
    if (now >= loadUntil) return { is: "failed", failure: loading(label, timeouts.loadMs) };
    const delayMs = Math.min(failure.retryAfterMs ?? firstPollMs * 2 ** polls, maxPollMs);
    polls += 1;
    onLoading();
    opening = open(delayMs);
    return hasNotice ? undefined : notify(sentence("waiting-loading", label));
  };
  const awaitReader = async (pending: Promise<Reader>): Promise<OpenResult | undefined> => {
    let slow: NodeJS.Timeout | undefined;
    const interrupted = new Promise<"interrupted">((resolve) => {
      interrupt = () => resolve("interrupted");
      if (timeouts.noticeAfterMs !== null && !hasNotice) slow = setTimeout(interrupt, timeouts.noticeAfterMs);
    });
    pending.catch(ignore);
    try {
      const opened = await Promise.race([pending, interrupted]);
      const failure = findHalt();
      if (failure !== undefined) return { is: "failed", failure };
      return opened === "interrupted" ? notify(sentence("waiting-slow", label)) : { is: "open", reader: opened };
    } catch (error) {
      return explain(error);
    } finally {
      clearTimeout(slow);
    }
  };

  return {
    interrupt: (): void => interrupt?.(),
    /** A reader, a failure, or once a notice about what the call is waiting for. */
    next: async (): Promise<OpenResult> => {
      opening ??= open(0);
      for (;;) {
        const opened = await awaitReader(opening);
        if (opened !== undefined) return opened;
      }
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

/** As text, because short limits have fractions. */
const toSeconds = (ms: number): string => String(ms < 1000 ? ms / 1000 : Math.round(ms / 1000));

const failure = (code: ModelFailure["code"], explanation: Sentence): ModelFailure => ({
  code,
  fault: "provider",
  ...say(explanation),
});

const stalled = (label: string, ms: number): ModelFailure =>
  failure("stalled", sentence("stalled", label, toSeconds(ms)));

const timedOut = (label: string, ms: number): ModelFailure =>
  failure("time-limit", sentence("slow-start", label, toSeconds(ms)));

const loading = (label: string, ms: number): ModelFailure =>
  failure("loading", sentence("still-loading", label, toSeconds(ms)));

const cut = (label: string): ModelFailure => failure("cut", sentence("answer-cut", label));
