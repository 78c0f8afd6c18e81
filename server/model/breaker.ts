import type { ModelFailure } from "../../protocol/model.ts";
import type { Clock } from "../lib/clock.ts";

/**
 * A circuit breaker for one provider. After five faults of the provider in a row it rests for half a minute, then lets
 * one call through to try: that one decides. What the person stopped, or what was wrong with the request or the
 * settings, counts for nothing.
 */
export type Breaker = {
  /** A failure when the provider rests; null lets the call through, and `settle` must follow. */
  readonly admit: () => ModelFailure | null;
  readonly settle: (outcome: "answered" | "fault" | "neither") => void;
};

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
    admit: () => {
      if (state.is === "closed") return null;
      const leftMs = state.is === "open" ? state.until - clock.monotonic() : 1000;
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

const resting = (label: string, leftMs: number): ModelFailure => ({
  code: "resting",
  fault: "provider",
  text: `${label} failed several times in a row, so it is left alone for ${Math.ceil(leftMs / 1000)} s. Choose another model, or try again then.`,
  retryAfterMs: Math.ceil(leftMs),
});
