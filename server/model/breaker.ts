import type { ModelFailure } from "../../protocol/model.ts";
import type { Clock } from "../lib/clock.ts";

/**
 * A circuit breaker. After five faults in a row it rests for half a minute, then lets one call through to try: that one
 * decides. A call that a user has just asked for may try at once, one at a time. Calls that the user stopped, and calls that failed
 * because of the request or the settings, are not counted.
 */
export type Breaker = {
  /** A failure while it rests; null lets the call through, and `settle` must follow. */
  readonly admit: (isAskedFor?: boolean) => ModelFailure | null;
  readonly settle: (outcome: "answered" | "fault" | "neither", code?: ModelFailure["code"]) => void;
};

/** Background calls fail apart: a rate-limited summary does not stop answers. */
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
 * One model's breaker behind its provider's. Only a provider that cannot be reached rests as a whole; a model that is rate
 * limited or broken rests alone.
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
  text: `${label} failed several times in a row, so it is left alone for ${Math.ceil(leftMs / 1000)} s. Choose another model, or try again then.`,
  retryAfterMs: Math.ceil(leftMs),
});
