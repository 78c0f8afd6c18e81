import type { Model as ModelInfo } from "../../protocol/api.ts";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import type { Model } from "./model.ts";
import { play, stopped } from "./play.ts";
import { directedMoves } from "./directives.ts";

/**
 * A model for tests: it plays a script, and exists only where the configuration names one. A script is a function of the
 * request and of how many calls came before; with `directives` the person's own message is the script, in the small
 * language written down at the top of `scripted/directives.ts`, so a server process can be driven from outside.
 */
export type Script = {
  (request: ModelRequest, callIndex: number, signal: AbortSignal): Iterable<ModelEvent> | AsyncIterable<ModelEvent>;
  /** The context window that the model with this id claims to have; 200,000 tokens without it. */
  readonly windowOf?: (modelId: string) => number | null;
};

export const scriptedIds = { main: "scripted/script", backup: "scripted/backup" } as const;

export const createScriptedModel = (id: string, script: "directives" | Script): Model => {
  let calls = 0;
  const seen = new Map<string, number>();
  const described = describe(id);
  const windowOf = script === "directives" ? undefined : script.windowOf;
  return {
    get info() {
      return windowOf ? { ...describe(id), windowTokens: windowOf(id) } : described;
    },
    stream: (request, signal) => {
      const callIndex = calls;
      calls += 1;
      if (script === "directives") {
        return play(directedMoves(request, id === scriptedIds.backup ? "backup" : "main", seen), signal);
      }
      const events = script(request, callIndex, signal);
      return Symbol.iterator in events ? play(events, signal) : seal(events);
    },
  };
};

/** An asynchronous script watches its signal itself; only the terminal event is made sure of. */
async function* seal(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  try {
    for await (const event of events) {
      yield event;
      if (event.type === "finish" || event.type === "failed") return;
    }
  } catch (error) {
    yield { type: "failed", failure: { code: "garbled", fault: "provider", text: String(error) } };
    return;
  }
  yield { type: "failed", failure: stopped };
}

const describe = (id: string): ModelInfo => ({
  id,
  name: id === scriptedIds.backup ? "Scripted backup" : "Scripted",
  provider: "scripted",
  free: true,
  available: true,
  unavailable: null,
  note: "Plays a script, for tests",
  reasoning: true,
  vision: true,
  windowTokens: 200_000,
  prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  source: null,
});
