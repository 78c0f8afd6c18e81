import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Costs } from "../../cost/cost.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import type { Fetch } from "../../net/fetch.ts";
import type { Store } from "../../store/contract.ts";
import type { GetCatalog } from "../../tools/catalog.ts";
import { PAGE_CHARACTERS, type Artifact, type ToolContext } from "../../tools/tool.ts";

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly ids: Ids;
  readonly fetch: Fetch;
  readonly catalogOf: GetCatalog;
  readonly costs: Pick<Costs, "check">;
};

const TIMEOUT_MS = 90_000;

/**
 * Calls `search_web` and `scrape_webpage` without a thread. Nothing is stored but the cost of a paid search. `question`: what
 * results are judged by.
 */
export function createWebTools({ store, log, ids, fetch, catalogOf, costs }: Options) {
  return async (principal: Principal, name: string, input: object, question = ""): Promise<unknown> => {
    const tool = (await catalogOf(principal.userId)).find(name);
    if (!tool) throw new ApiError("unavailable", "This tool is switched off.");
    // Pages cost nothing. The price of a search depends on the provider that answers.
    const refused = await costs.check(principal.userId, ids.next(), name === "search_web" ? null : 0);
    if (refused) throw new ApiError("forbidden", refused.text);
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    let saved = 0;
    const save = ({ text }: Artifact) => ({ id: ids.next(), ref: (saved += 1), text: async () => text });
    const context: ToolContext = {
      userId: principal.userId,
      isShared: false,
      timeZone: null,
      ...{ threadId: "", projectId: null, focusId: null, runId: ids.next(), onlyProvider: null, key: ids.next() },
      ...{ untrusted: [], noteSources: () => {}, signal, pageCharacters: PAGE_CHARACTERS, question },
      ...{ progress: () => {}, read: store.read, saveArtifact: save, addSource: () => {} },
      fetch: (url, init = {}) => fetch(url, { ...init, signal }),
    };
    const { output, commit } = await tool.execute(tool.input.parse(input), context);
    if (commit) await log.commit(commit);
    return output;
  };
}
