import type { Clock } from "../lib/clock.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { Reports } from "./reported-tokens.ts";

/** A context window inferred from a model server's token counts or errors, in our tokens. */
export type LearnedWindow = {
  readonly tokens: number;
  /** In the server's tokens. Absent in values that an earlier version stored. */
  readonly serverTokens?: number | undefined;
  readonly at: number;
};

/** A model's token counts relative to Stonechat's, averaged over `calls` calls. */
export type TokenRatio = { readonly ratio: number; readonly calls: number };

type LearnedWrite = { readonly window: LearnedWindow; readonly write: Write };

/** After this time longer prompts are tried again, because the server may have been reconfigured. */
export const LEARNED_FOR_MS = 24 * 3_600_000;
/** Default ratio of a local model's token count to Stonechat's, until a call has reported one. */
const USUAL_RATIO = 1.1;
/** Highest plausible ratio. */
const MAX_RATIO = 2;
const MAX_MODELS = 500;

export type LearnedWindows = ReturnType<typeof createLearnedWindows>;

/**
 * Windows of models whose server truncated or rejected a prompt, and how models count tokens. Stored, so that all threads, nodes
 * and background calls use them.
 */
export function createLearnedWindows({
  clock,
  read,
}: {
  readonly clock: Clock;
  readonly read: Pick<Reads, "meta" | "metaKeys">;
}) {
  const reports = new Map<string, Reports>();
  const find = async (model: string): Promise<LearnedWindow | null> => {
    const value = await read.meta(keyOf(model));
    const window = value === undefined ? null : (JSON.parse(value) as LearnedWindow);
    return window && clock.now() - window.at < LEARNED_FOR_MS ? window : null;
  };
  const findRatio = async (model: string): Promise<TokenRatio | null> => {
    const value = await read.meta(ratioKeyOf(model));
    return value === undefined ? null : (JSON.parse(value) as TokenRatio);
  };
  return {
    reportsOf: (model: string): Reports => reports.get(model) ?? { ratio: null, last: null },
    noteReport: (model: string, known: Reports): void => {
      if (reports.size >= MAX_MODELS) reports.clear();
      reports.set(model, known);
    },

    /**
     * `serverTokens`: the tokens that the server read of a truncated prompt, or the limit that its error names. The size of the
     * rejected prompt is not used: the server may also count the answer, so a short prompt can be rejected. The caller commits
     * the write.
     */
    learn: (model: string, serverTokens: number): LearnedWrite => {
      const tokens = Math.floor(serverTokens / Math.max(1, reports.get(model)?.ratio ?? USUAL_RATIO));
      const window = { tokens, serverTokens, at: clock.now() };
      return { window, write: { do: "put", table: "meta", row: { key: keyOf(model), value: JSON.stringify(window) } } };
    },

    find,
    findRatio,

    /** All learned windows by model, in the tokens of their servers. */
    list: async (): Promise<ReadonlyMap<string, { readonly learnedWindow: Pick<LearnedWindow, "tokens" | "at"> }>> => {
      const models = (await read.metaKeys(keyOf(""))).map((key) => key.slice(keyOf("").length));
      const found = await Promise.all(models.map(async (model) => [model, await find(model)] as const));
      return new Map(
        found.flatMap(([model, window]) => {
          if (window === null) return [];
          const { tokens, serverTokens = tokens, at } = window;
          return [[model, { learnedWindow: { tokens: serverTokens, at } }] as const];
        }),
      );
    },

    /** The write that forgets the window if the server has read more tokens than it; empty otherwise. */
    disprove: async (model: string, readTokens: number): Promise<readonly Write[]> => {
      const window = await find(model);
      return window && readTokens > (window.serverTokens ?? window.tokens * MAX_RATIO) ? [forgetWindow(model)] : [];
    },

    /** The window in our tokens, for calls whose prompts are not assembled here. `claimed`: null if unknown. */
    findWindow: async (model: string, claimed: number | null): Promise<number> => {
      const [learned, known] = await Promise.all([find(model), findRatio(model)]);
      const converted = Math.floor((claimed ?? Number.POSITIVE_INFINITY) / Math.max(1, known?.ratio ?? 1));
      return Math.min(converted, learned?.tokens ?? Number.POSITIVE_INFINITY);
    },

    /** The write for an average that this call changes; empty if it does not. */
    learnRatio: (model: string, known: TokenRatio | null, ratio: number): readonly Write[] => {
      const next = average(known, ratio);
      if (known?.ratio === next.ratio && known.calls >= SURE_CALLS) return [];
      return [{ do: "put", table: "meta", row: { key: ratioKeyOf(model), value: JSON.stringify(next) } }];
    },
  };
}

const keyOf = (model: string): string => `window:${model}`;

/** Forgets the learned window, for example because the user has set the window since. */
export const forgetWindow = (model: string): Write => ({
  do: "delete",
  table: "meta",
  where: { key: keyOf(model) },
});

const ratioKeyOf = (model: string): string => `tokens:${model}`;

/** Later calls weigh as much as one of this many, so that the average follows a changed model. */
const MOST_CALLS = 20;
/** After this many calls only a changed average is stored. */
const SURE_CALLS = 5;

/** Rounded to hundredths, so that the window does not change with every call. */
function average(known: TokenRatio | null, ratio: number): TokenRatio {
  const calls = Math.min(MOST_CALLS, (known?.calls ?? 0) + 1);
  const mean = known === null ? ratio : known.ratio + (ratio - known.ratio) / calls;
  return { ratio: Math.round(mean * 100) / 100, calls };
}
