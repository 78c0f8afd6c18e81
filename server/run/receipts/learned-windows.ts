import type { Receipt } from "../../../protocol/context/receipt.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Reports } from "./reported-tokens.ts";

/** A context window as a model server's own token counts show it, in our tokens. */
export type LearnedWindow = { readonly tokens: number; readonly at: number };

/** After this a longer prompt is tried again: the server may have been given a larger window meanwhile. */
export const LEARNED_FOR_MS = 24 * 3_600_000;
/** Tokens of a local model's tokenizer for one of ours, while no call has shown it. */
const USUAL_RATIO = 1.1;
const MOST_MODELS = 500;

export type LearnedWindows = ReturnType<typeof createLearnedWindows>;

/**
 * Windows of models whose server truncated a prompt. Held by this process for every thread; each receipt carries its own on,
 * so a thread keeps it through a restart.
 */
export function createLearnedWindows(clock: Clock) {
  const windows = new Map<string, LearnedWindow>();
  const reports = new Map<string, Reports>();
  const put = <T>(map: Map<string, T>, model: string, value: T): void => {
    if (map.size >= MOST_MODELS) map.clear();
    map.set(model, value);
  };
  return {
    reportsOf: (model: string): Reports => reports.get(model) ?? { ratio: null, last: null },
    noteReport: (model: string, known: Reports): void => put(reports, model, known),

    /** From a report of a call that was truncated: what the server read of it is its window. */
    learn: (model: string, reportedTokens: number): LearnedWindow => {
      const tokens = Math.floor(reportedTokens / Math.max(1, reports.get(model)?.ratio ?? USUAL_RATIO));
      const learned = { tokens, at: clock.now() };
      put(windows, model, learned);
      return learned;
    },

    /** `previous`: the thread's last receipt. */
    find: (model: string, previous: Receipt | null): LearnedWindow | null => {
      const stored = previous?.model === model ? (previous.reported?.window ?? previous.budget.learned) : undefined;
      const [newest] = [windows.get(model), stored].filter((one) => one !== undefined).toSorted((a, b) => b.at - a.at);
      return newest && clock.now() - newest.at < LEARNED_FOR_MS ? newest : null;
    },
  };
}
