import { z } from "zod";
import { Sentences } from "../run.ts";

const ModelOptions = z.object({
  windowTokens: z.int().min(256).max(100_000_000).nullable(),
  temperature: z.number().min(0).max(2).nullable(),
  topP: z.number().min(0).max(1).nullable(),
  /** Whether it accepts images; null: as its server or its name says. */
  vision: z.boolean().nullable(),
});
export const ModelInfo = z.object({
  id: z.string(),
  name: z.string(),
  provider: z.string(),
  free: z.boolean(),
  /** False if its provider has no key; `unavailable` says what to set. */
  available: z.boolean(),
  unavailable: z.string().nullable(),
  unavailableSentences: Sentences.optional(),
  note: z.string(),
  reasoning: z.boolean(),
  /** Whether a reasoning effort can be set; absent: as `reasoning`. */
  effort: z.boolean().optional(),
  /** Whether it accepts images; absent: unknown, and no images are sent to it. */
  vision: z.boolean().optional(),
  windowTokens: z.number().nullable(),
  /** US dollars per million tokens; null: unknown. */
  prices: z.object({
    input: z.number().nullable(),
    output: z.number().nullable(),
    cacheRead: z.number().nullable(),
    cacheWrite: z.number().nullable(),
  }),
  source: z.object({ from: z.string(), date: z.string() }).nullable(),
  /** Whether it can call tools; absent: unknown. */
  tools: z.boolean().optional(),
  /** Whether it takes temperature and top-p. */
  sampling: z.boolean().optional(),
  /** Released on this day, or installed on a local server: YYYY-MM-DD. */
  date: z.string().optional(),
  /** The name of its server, if the user gave it one. */
  providerName: z.string().optional(),
  /** Whether it runs on this machine or in the private network. */
  local: z.boolean().optional(),
  /** Whether a local server has it in memory. */
  loaded: z.boolean().optional(),
  favorite: z.boolean().optional(),
  /** Whether the last test of its provider failed. */
  failing: z.boolean().optional(),
  /** Set by the user; null: not set. */
  settings: ModelOptions.optional(),
  /** A context window that the model's server named when it rejected a prompt. Prompts are made for it until it expires. */
  learnedWindow: z.object({ tokens: z.number(), at: z.number() }).optional(),
});
export type ModelInfo = z.infer<typeof ModelInfo>;

const none = z.object({});

export const modelApi = {
  listModels: {
    summary: "Models with context windows and prices, and whether they can be used here",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ models: z.array(ModelInfo) }),
  },
  changeModel: {
    summary:
      "Make a model the default or a favorite, or set its context window, sampling and images; null resets a value",
    params: none,
    query: none,
    body: ModelOptions.partial()
      .extend({
        id: z.string().min(3).max(240),
        isDefault: z.literal(true).optional(),
        favorite: z.boolean().optional(),
        /** Setting a window does this too. */
        forgetsLearnedWindow: z.literal(true).optional(),
      })
      .strict(),
    status: 200,
    response: z.object({ model: ModelInfo }),
  },
} as const;
