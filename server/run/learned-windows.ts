import type { Clock } from "../lib/clock.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { Reports } from "./reported-tokens.ts";

/** A context window inferred from a model server's token counts or errors, in our tokens. */
export type LearnedWindow = { readonly tokens: number; readonly at: number };

type Learned = { readonly window: LearnedWindow; readonly write: Write };

/** After this time longer prompts are tried again, because the server may have been reconfigured. */
export const LEARNED_FOR_MS = 24 * 3_600_000;
/** Default ratio of a local model's token count to ours, until a call has reported one. */
const USUAL_RATIO = 1.1;
const MAX_MODELS = 500;

export type LearnedWindows = ReturnType<typeof createLearnedWindows>;

/** Windows of models whose server truncated or rejected a prompt. Stored, so that all threads, nodes and background calls use them. */
export function createLearnedWindows({ clock, read }: { readonly clock: Clock; readonly read: Pick<Reads, "meta"> }) {
  const reports = new Map<string, Reports>();
  return {
    reportsOf: (model: string): Reports => reports.get(model) ?? { ratio: null, last: null },
    noteReport: (model: string, known: Reports): void => {
      if (reports.size >= MAX_MODELS) reports.clear();
      reports.set(model, known);
    },

    /**
     * `serverTokens`: the tokens that the server read of a truncated prompt, or the limit that its error names. `refused`: our
     * count of a rejected prompt, which is an upper bound for the limit; but the window is never set below half of
     * `serverTokens`. The caller commits the write.
     */
    learn: (model: string, serverTokens: number, refused = serverTokens): Learned => {
      const ours = serverTokens / Math.max(1, reports.get(model)?.ratio ?? USUAL_RATIO);
      const tokens = Math.floor(Math.min(ours, Math.max(refused, serverTokens / 2)));
      const window = { tokens, at: clock.now() };
      return { window, write: { do: "put", table: "meta", row: { key: keyOf(model), value: JSON.stringify(window) } } };
    },

    find: async (model: string): Promise<LearnedWindow | null> => {
      const value = await read.meta(keyOf(model));
      const window = value === undefined ? null : (JSON.parse(value) as LearnedWindow);
      return window && clock.now() - window.at < LEARNED_FOR_MS ? window : null;
    },
  };
}

const keyOf = (model: string): string => `window:${model}`;
