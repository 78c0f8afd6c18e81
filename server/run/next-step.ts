import { assertNever } from "../lib/assert-never.ts";
import { findLimit, type Limits } from "./limits.ts";
import type { Ending, RunState } from "./state.ts";

export type StepInput = {
  readonly stop: boolean;
  /** Number of steering messages to deliver at the next step. */
  readonly steering: number;
  readonly limits: Limits;
  readonly now: number;
  /** Current time from a monotonic clock: setting the wall clock back must not extend the time limit. */
  readonly steadyNow: number;
};

export type Action =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "deliver-steering" }
  /** `finalEnding`: the run ends with this call, so tools are off. */
  | { readonly do: "call-model"; readonly finalEnding: Ending | null }
  | { readonly do: "call-tools" }
  /** Every open call waits for an approval, an answer or a client's result. */
  | { readonly do: "wait-for-user" }
  | { readonly do: "end"; readonly ending: Ending }
  | { readonly do: "nothing" };

/** Decides the next action of a run. Pure. */
export function nextStep(state: RunState, situation: StepInput): Action {
  const { at } = state;
  if (at.kind === "ended") return { do: "nothing" };
  if (situation.stop) return { do: "end", ending: { outcome: "stopped", reason: null } };
  switch (at.kind) {
    case "tools":
      return at.calls.some(({ state: call }) => call === "ready" || call === "started")
        ? { do: "call-tools" }
        : { do: "wait-for-user" };
    case "calling":
      throw new Error("A model call of this run is still open. Settle or supersede it first.");
    case "ready":
      break;
    default:
      assertNever(at);
  }
  const limit = findLimit(state, situation.limits, situation.steadyNow);
  const waitMs = Math.min(at.notBefore - situation.now, at.delayMs ?? Infinity);
  if (waitMs > 0) return { do: "wait", ms: waitMs };
  if (!limit && situation.steering > 0 && at.step > 1) return { do: "deliver-steering" };
  return { do: "call-model", finalEnding: limit ? { outcome: "limit", reason: limit } : null };
}
