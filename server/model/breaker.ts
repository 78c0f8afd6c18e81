import type { ModelFailure } from "../../protocol/model.ts";
import { say, sentence } from "../../protocol/sentences.ts";
import type { Clock } from "../lib/clock.ts";

/**
 * A circuit breaker. It opens for half a minute after five faults in a row, then lets one trial call through, which decides.
 * A call that a user has just asked for may try at once, one at a time. Calls that the user stopped, and calls that failed
 * because of the request or the settings, do not count.
 */
export type Breaker = {
  /** A failure while it is open. null lets the call through; the caller must then call `settle`. */
  readonly admit: (isAskedFor?: boolean) => ModelFailure | null;
  readonly settle: (outcome: "answered" | "fault" | "neither", code?: ModelFailure["code"]) => void;
};

/** Background calls are counted separately: a rate-limited summary does not block answers. */
export type CallBreakers = { readonly foreground: Breaker; readonly background: Breaker };

const faultsToOpen = 5;
const restMs = 30_000;

type State =
  | { readonly is: "closed"; readonly faults: number }
  | { readonly is: "open"; readonly until: number }
  | { readonly is: "trying" };

export const createBreaker = (options: { readonly clock: Clock; readonly label: string }): Breaker => {
  const { clock, label } = options;
  let state: State = { is: "closed", faults: 0 };
  const open = () => {
    state = { is: "open", until: clock.monotonic() + restMs };
  };

  return {
    admit: (isAskedFor = false) => {
      if (state.is === "closed") return null;
      const leftMs = state.is === "trying" ? 1000 : isAskedFor ? 0 : state.until - clock.monotonic();
      if (leftMs > 0) return resting(label, leftMs);
      state = { is: "trying" };
      return null;
    },
    settle: (outcome) => {
      if (outcome === "answered") state = { is: "closed", faults: 0 };
      else if (outcome === "neither") {
        if (state.is === "trying") state = { is: "open", until: clock.monotonic() };
      } else if (state.is === "trying") open();
      else if (state.is === "closed") {
        state = { is: "closed", faults: state.faults + 1 };
        if (state.faults >= faultsToOpen) open();
      }
    },
  };
};

/**
 * Combines a model's breaker with its provider's. Only an unreachable provider opens the provider's breaker; other faults
 * open the model's.
 */
export const joinBreakers = (provider: Breaker, model: Breaker): Breaker => ({
  admit: (isAskedFor) => {
    const resting = provider.admit(isAskedFor);
    if (resting !== null) return resting;
    const own = model.admit(isAskedFor);
    if (own !== null) provider.settle("neither");
    return own;
  },
  settle: (outcome, code) => {
    const isProviders = outcome === "fault" && code === "unreachable";
    provider.settle(isProviders || outcome === "neither" ? outcome : "answered");
    model.settle(isProviders ? "neither" : outcome);
  },
});

const resting = (label: string, leftMs: number): ModelFailure => ({
  code: "resting",
  fault: "provider",
  ...say(sentence("resting", label, Math.ceil(leftMs / 1000))),
  retryAfterMs: Math.ceil(leftMs),
});
