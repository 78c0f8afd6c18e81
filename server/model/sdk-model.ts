import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import type { Model as ModelInfo } from "../../protocol/api.ts";
import type { ModelEvent, ModelFailure, ModelRequest } from "../../protocol/model.ts";
import type { Clock } from "../lib/clock.ts";
import type { Breaker } from "./breaker.ts";
import { toFailure } from "./failure.ts";
import type { Model } from "./model.ts";
import { stopped } from "./play.ts";
import type { Provider } from "./sdk/providers.ts";
import { toCallOptions } from "./sdk/to-call-options.ts";
import { createTranslation } from "./sdk/translate.ts";

/**
 * The one seam to the AI SDK's provider packages: any LanguageModelV4 as a model of ours. In: a request and a signal.
 * Out: our events, one terminal one last. It is the hot path: one read and one event a chunk, no streams chained behind
 * it. It never throws, never retries, and a stream that ends without the provider's word for it is `cut`, never done.
 */
export const createSdkModel = (options: {
  readonly info: ModelInfo;
  readonly provider: Provider;
  readonly clock: Clock;
  readonly timeouts: { readonly idleMs?: number | undefined; readonly totalMs?: number | undefined };
  readonly breaker?: Breaker;
}): Model => {
  const { info, provider } = options;
  const name = info.id.slice(info.provider.length + 1);
  const target = { provider, name, canReason: info.reasoning };
  let model: LanguageModelV4 | undefined;
  const open = async (request: ModelRequest, abortSignal: AbortSignal) => {
    model ??= await provider.languageModel(name);
    const { stream } = await model.doStream(toCallOptions(request, target, abortSignal));
    return stream.getReader();
  };
  return {
    info,
    stream: (request, signal) => ({
      [Symbol.asyncIterator]: () =>
        startCall({
          open: (abortSignal) => open(request, abortSignal),
          translation: createTranslation({ asked: name, provider }),
          explain: (error) =>
            toFailure(error, { label: provider.label, secrets: provider.secrets, now: options.clock.now() }),
          label: provider.label,
          idleMs: options.timeouts.idleMs ?? 60_000,
          totalMs: options.timeouts.totalMs ?? 600_000,
          breaker: options.breaker,
          signal,
        }),
    }),
  };
};

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

type Call = {
  readonly open: (abortSignal: AbortSignal) => Promise<Reader>;
  readonly translation: ReturnType<typeof createTranslation>;
  readonly explain: (error: unknown) => ModelFailure;
  readonly label: string;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly breaker: Breaker | undefined;
  readonly signal: AbortSignal;
};

const over: IteratorResult<ModelEvent> = { done: true, value: undefined };

const startCall = (call: Call): AsyncIterator<ModelEvent> => {
  const { translation, breaker, signal } = call;
  const request = new AbortController();
  let reader: Reader | undefined;
  let halted: ModelFailure | undefined;
  let giveWay: (() => void) | undefined;
  let state: "before" | "open" | "closed" = "before";
  let waiting = false;

  /** Ends a pending read at once: cancelling resolves it, aborting closes the connection behind it. */
  const halt = (failure: ModelFailure) => {
    halted ??= failure;
    request.abort();
    giveWay?.();
    reader?.cancel().catch(ignore);
  };
  const onStop = () => halt(stopped);
  let idle: NodeJS.Timeout | undefined;
  let total: NodeJS.Timeout | undefined;

  const close = () => {
    state = "closed";
    clearTimeout(idle);
    clearTimeout(total);
    signal.removeEventListener("abort", onStop);
  };
  const end = (event: ModelEvent): IteratorResult<ModelEvent> => {
    close();
    request.abort();
    reader?.cancel().catch(ignore);
    breaker?.settle(toOutcome(event, halted === stopped));
    return { done: false, value: event };
  };
  const fail = (failure: ModelFailure) => end({ type: "failed", failure });

  const begin = async (): Promise<IteratorResult<ModelEvent> | undefined> => {
    if (signal.aborted) {
      close();
      return { done: false, value: { type: "failed", failure: stopped } };
    }
    const resting = breaker?.admit() ?? null;
    if (resting !== null) {
      close();
      return { done: false, value: { type: "failed", failure: resting } };
    }
    state = "open";
    signal.addEventListener("abort", onStop, { once: true });
    idle = setTimeout(() => waiting && halt(stalled(call.label, call.idleMs)), call.idleMs);
    total = setTimeout(() => halt(timedOut(call.label, call.totalMs)), call.totalMs);
    waiting = true;
    const opened = call.open(request.signal);
    // A reader that arrives after we gave up is let go.
    opened.then((late) => {
      if (halted !== undefined) late.cancel().catch(ignore);
    }, ignore);
    try {
      reader = await Promise.race([opened, new Promise<undefined>((resolve) => (giveWay = () => resolve(undefined)))]);
    } catch (error) {
      return fail(halted ?? call.explain(error));
    }
    return undefined;
  };

  return {
    next: async () => {
      if (state === "closed") return over;
      if (state === "before") {
        const ended = await begin();
        if (ended !== undefined) return ended;
      }
      for (;;) {
        if (halted !== undefined || reader === undefined) return fail(halted ?? stopped);
        const ready = translation.take();
        if (ready !== undefined) return isTerminal(ready) ? end(ready) : { done: false, value: ready };
        waiting = true;
        idle?.refresh();
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
        if (event !== undefined) return isTerminal(event) ? end(event) : { done: false, value: event };
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

const toOutcome = (event: ModelEvent, byPerson: boolean) => {
  if (event.type !== "failed") return "answered";
  return byPerson || event.failure.fault !== "provider" ? "neither" : "fault";
};

const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 1000)} s`);

const stalled = (label: string, idleMs: number): ModelFailure => ({
  code: "stalled",
  fault: "provider",
  text: `${label} sent nothing for ${seconds(idleMs)}. It may be overloaded: try again, or choose another model.`,
});

const timedOut = (label: string, totalMs: number): ModelFailure => ({
  code: "timed-out",
  fault: "provider",
  text: `${label} did not finish within ${seconds(totalMs)}. Ask for less at once, or choose a quicker model.`,
});

const cut = (label: string): ModelFailure => ({
  code: "cut",
  fault: "provider",
  text: `The answer of ${label} broke off before it was complete. Try again.`,
});
