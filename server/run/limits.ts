import type { Reason } from "../../protocol/run.ts";
import type { RunState } from "./state.ts";

/** The envelope of one run. null: no limit. */
export type Limits = {
  readonly steps: number;
  readonly calls: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly wallMs: number;
};

/** The limit that a run stands at, in words for the person; undefined while there is room for another step. */
export function findLimit({ view, used, at, countedFrom }: RunState, limits: Limits, now: number): Reason | undefined {
  const step = at.kind === "ready" ? at.step : view.step;
  if (step > limits.steps) return reason("steps", `${limits.steps} steps`);
  if (used.calls >= limits.calls) return reason("calls", `${limits.calls} tool calls`);
  if (used.tokens >= limits.tokens) return reason("tokens", `${limits.tokens.toLocaleString("en")} tokens`);
  if (limits.costUsd !== null && (view.costUsd ?? 0) >= limits.costUsd) return reason("money", `$${limits.costUsd}`);
  if (now - countedFrom >= limits.wallMs) return reason("time", `${Math.round(limits.wallMs / 1000)} seconds`);
  return undefined;
}

const reason = (kind: string, amount: string): Reason => ({
  code: `limit-${kind}`,
  text: `This answer reached its limit of ${amount}; what was gathered is kept.`,
});
