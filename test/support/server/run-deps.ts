import { observeNothing } from "../../../server/lib/observe.ts";
import { createSeal } from "../../../server/lib/seal.ts";
import { createLearnedWindows } from "../../../server/run/learned-windows.ts";
import { createSecrets } from "../../../server/run/secrets.ts";
import type { RunDeps } from "../../../server/run/run-context.ts";
import { createCatalog } from "../../../server/tools/catalog.ts";

type Own = Pick<RunDeps, "store" | "log" | "models" | "clock" | "ids">;

const NO_LIMIT = 1e9;
const limits = { steps: 5, calls: 5, tokens: NO_LIMIT, costUsd: null, wallMs: NO_LIMIT, perTool: {} };
const window = { messages: null, characters: null, pageCharacters: null, messageCharacters: null };

/** Dependencies of runs: no tools, no network, no recall; a test sets only the fields it is about. */
export const createRunDeps = (own: Own & Partial<RunDeps>): RunDeps => ({
  catalogOf: async () => createCatalog([]),
  fetch: () => Promise.reject(new Error("no network in this test")),
  random: () => 0.5,
  profiles: {
    find: (name) => ({ name, instructions: "", tools: null, limits, policy: "stone", window }),
    list: [],
    bounds: limits,
  },
  secrets: createSecrets({ seal: createSeal(new Uint8Array(32)), known: () => [] }),
  failpoint: () => {},
  checkBudget: async () => null,
  reserveBudget: async () => null,
  recall: { search: async () => [] },
  afterTurn: () => {},
  planTitle: () => [],
  planPush: async () => [],
  summariesOf: async () => [],
  stateOf: async () => null,
  digests: { load: async () => [] },
  learnedWindows: createLearnedWindows({ clock: own.clock, read: own.store.read }),
  promptCounts: { prompts: 0, prefixBreaks: 0, compactions: 0 },
  observe: observeNothing,
  storedTexts: new Set(),
  onError: () => {},
  ...own,
});
