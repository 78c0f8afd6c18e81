import { assertNever } from "../lib/assert-never.ts";
import { findLimit, type Limits } from "./limits.ts";
import type { Ending, RunState } from "./state.ts";

export type Situation = {
  readonly stop: boolean;
  /** Messages that are to be delivered at the next step. */
  readonly steering: number;
  readonly limits: Limits;
  readonly now: number;
  /** The same on a clock that nobody sets: a wall clock that is set back must not lengthen an answer. */
  readonly steadyNow: number;
};

export type Action =
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "deliver-steering" }
  /** `last`: tools are switched off, the answer is made from what is there. */
  | { readonly do: "call-model"; readonly last: Ending | null }
  | { readonly do: "call-tools" }
  /** Nothing can be done until the person decides. */
  | { readonly do: "park" }
  | { readonly do: "end"; readonly ending: Ending }
  | { readonly do: "nothing" };

/** What a run does next. Pure: the same state and situation always give the same action. */
export function nextStep(state: RunState, situation: Situation): Action {
  const { at } = state;
  if (at.kind === "ended") return { do: "nothing" };
  if (situation.stop) return { do: "end", ending: { outcome: "stopped", reason: null } };
  switch (at.kind) {
    case "tools":
      return at.calls.some(({ state: call }) => call === "waiting" || call === "started")
        ? { do: "call-tools" }
        : { do: "park" };
    case "calling":
      throw new Error("a call of this run is open: it must be settled or set aside first");
    case "ready":
      break;
    default:
      assertNever(at);
  }
  const limit = findLimit(state, situation.limits, situation.steadyNow);
  const waitMs = Math.min(at.notBefore - situation.now, at.delayMs ?? Infinity);
  if (waitMs > 0) return { do: "wait", ms: waitMs };
  if (!limit && situation.steering > 0 && at.step > 1) return { do: "deliver-steering" };
  return { do: "call-model", last: limit ? { outcome: "limit", reason: limit } : null };
}
