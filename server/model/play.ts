import type { ModelEvent, ModelFailure } from "../../protocol/model.ts";

/** One move of a model that needs no network: an event, or time passing. `hang` waits until it is stopped. */
export type Move = ModelEvent | { readonly type: "pause"; readonly ms: number } | { readonly type: "hang" };

/**
 * Plays moves as a model's stream. Keeps the contract for them: exactly one terminal event, no throw, and an abort ends
 * the stream at once, in the middle of a pause too. Without pauses no timer is used.
 */
export const play = (moves: Iterable<Move>, signal: AbortSignal): AsyncIterable<ModelEvent> => ({
  [Symbol.asyncIterator]: () => {
    const source = moves[Symbol.iterator]();
    let over = false;
    let wake: (() => void) | undefined;
    const onAbort = () => wake?.();
    signal.addEventListener("abort", onAbort, { once: true });

    const close = () => {
      over = true;
      signal.removeEventListener("abort", onAbort);
    };
    const end = (value: ModelEvent): IteratorResult<ModelEvent> => {
      close();
      return { done: false, value };
    };
    const pause = (ms: number | null) =>
      new Promise<void>((resolve) => {
        const timer = ms === null ? undefined : setTimeout(resolve, ms);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });

    return {
      next: async (): Promise<IteratorResult<ModelEvent>> => {
        for (;;) {
          if (over) return { done: true, value: undefined };
          if (signal.aborted) return end({ type: "failed", failure: stopped });
          const move = take(source);
          if (move === undefined) return end({ type: "failed", failure: unfinished });
          switch (move.type) {
            case "pause":
              await pause(move.ms);
              break;
            case "hang":
              await pause(null);
              break;
            case "finish":
            case "failed":
              return end(move);
            default:
              return { done: false, value: move };
          }
        }
      },
      return: async () => {
        close();
        wake?.();
        return { done: true, value: undefined };
      },
    };
  },
});

const take = (source: Iterator<Move>): Move | undefined => {
  try {
    const step = source.next();
    return step.done === true ? undefined : step.value;
  } catch (error) {
    return {
      type: "failed",
      failure: { code: "garbled", fault: "provider", text: `The model broke: ${String(error).slice(0, 200)}` },
    };
  }
};

export const stopped: ModelFailure = {
  code: "cut",
  fault: "provider",
  text: "The answer was stopped before it was complete.",
};

const unfinished: ModelFailure = {
  code: "cut",
  fault: "provider",
  text: "The answer broke off before the model said that it was finished.",
};
