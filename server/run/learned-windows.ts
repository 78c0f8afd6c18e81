import type { Clock } from "../lib/clock.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { Reports } from "./reported-tokens.ts";

/** A context window as a model server's own token counts or errors show it, in our tokens. */
export type LearnedWindow = { readonly tokens: number; readonly at: number };

type Learned = { readonly window: LearnedWindow; readonly write: Write };

/** After this a longer prompt is tried again: the server may have been given a larger window meanwhile. */
export const LEARNED_FOR_MS = 24 * 3_600_000;
/** Tokens of a local model's tokenizer for one of ours, while no call has shown it. */
const USUAL_RATIO = 1.1;
const MOST_MODELS = 500;

export type LearnedWindows = ReturnType<typeof createLearnedWindows>;

/** Windows of models whose server truncated or refused a prompt: stored, for every thread, node and background call. */
export function createLearnedWindows({ clock, read }: { readonly clock: Clock; readonly read: Pick<Reads, "meta"> }) {
  const reports = new Map<string, Reports>();
  return {
    reportsOf: (model: string): Reports => reports.get(model) ?? { ratio: null, last: null },
    noteReport: (model: string, known: Reports): void => {
      if (reports.size >= MOST_MODELS) reports.clear();
      reports.set(model, known);
    },

    /**
     * `serverTokens`: what the server read of a prompt that it truncated, or the limit that its error names. `refused`: our
     * count of a prompt that was over it, so the limit is less, however the server counts; half of it is believed. The write is
     * to be committed.
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
