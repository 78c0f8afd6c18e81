import type { Reason } from "../../protocol/run.ts";
import { say, sentence, type SentenceName } from "../../protocol/sentences.ts";
import type { RunState } from "./state.ts";

/** Limits of one run. null: no limit. */
export type Limits = {
  readonly steps: number;
  readonly calls: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  readonly wallMs: number;
  /** Maximum calls by tool name. Further calls get an error result, and the run continues. */
  readonly perTool: Readonly<Record<string, number>>;
};

/** The limits after *Continue* was chosen `times` times: each time adds the original amounts again. */
export function extend(limits: Limits, times: number): Limits {
  if (times === 0) return limits;
  const by = times + 1;
  return {
    // The final answer at each limit was a step too.
    steps: limits.steps * by + times,
    calls: limits.calls * by,
    tokens: limits.tokens * by,
    costUsd: limits.costUsd === null ? null : limits.costUsd * by,
    // The time limit restarts with each continuation.
    wallMs: limits.wallMs,
    perTool: Object.fromEntries(Object.entries(limits.perTool).map(([name, most]) => [name, most * by])),
  };
}

/** The limit that the run has reached, as text for the user; undefined if another step is allowed. */
export function findLimit({ view, used, at, countedFrom }: RunState, limits: Limits, now: number): Reason | undefined {
  const step = at.kind === "ready" ? at.step : view.step;
  if (step > limits.steps) return reason("limit-steps", limits.steps);
  if (used.calls >= limits.calls) return reason("limit-calls", limits.calls);
  if (used.tokens >= limits.tokens) return reason("limit-tokens", limits.tokens);
  if (limits.costUsd !== null && (view.costUsd ?? 0) >= limits.costUsd)
    return reason("limit-money", String(limits.costUsd));
  if (now - countedFrom >= limits.wallMs) return reason("limit-time", Math.round(limits.wallMs / 1000));
  return undefined;
}

const reason = (code: Extract<SentenceName, `limit-${string}`>, amount: string | number): Reason => ({
  code,
  ...say(sentence(code, amount)),
});

/** Note for the model when the run is close to a limit or must end; undefined otherwise. */
export function renderRemainingLimits(
  state: RunState,
  limits: Limits,
  now: number,
  isFinal: boolean,
): string | undefined {
  if (isFinal)
    return "[The limit of this answer is reached. Answer now from the results so far, without tools, and say which information is missing.]";
  const step = state.at.kind === "ready" ? state.at.step : state.view.step;
  const calls = limits.calls - state.used.calls;
  const left = [
    ...(limits.steps - step + 1 <= 2 && limits.steps > 2 ? [`${limits.steps - step + 1} more step(s)`] : []),
    ...(calls <= 3 && limits.calls > 3 ? [`${calls} more tool call(s)`] : []),
    ...(state.used.tokens > limits.tokens * 0.8 ? ["few tokens"] : []),
    ...(now - state.countedFrom > limits.wallMs * 0.8 ? ["little time"] : []),
  ];
  return left.length ? `[Left for this answer: ${left.join(", ")}. Finish with what you have.]` : undefined;
}
