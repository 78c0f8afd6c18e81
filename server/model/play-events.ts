import type { ModelEvent, ModelFailure } from "../../protocol/model.ts";
import { stopped } from "./stopped.ts";

/** One step of a model without a network: an event or a pause. `hang` waits until it is stopped. */
export type Move = ModelEvent | { readonly type: "pause"; readonly ms: number } | { readonly type: "hang" };

/**
 * Plays moves as a model's stream and keeps its contract: exactly one terminal event, no throw, and an abort ends the stream
 * at once, also during a pause. Without pauses no timer is used.
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
          const move = readNext(source);
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

const readNext = (source: Iterator<Move>): Move | undefined => {
  try {
    const step = source.next();
    return step.done === true ? undefined : step.value;
  } catch (error) {
    return {
      type: "failed",
      failure: { code: "garbled", fault: "provider", text: `The model failed: ${String(error).slice(0, 200)}` },
    };
  }
};

const unfinished: ModelFailure = {
  code: "cut",
  fault: "provider",
  text: "The answer ended before the model reported that it was finished.",
};
