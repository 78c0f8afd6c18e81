import type { ModelInfo } from "../../protocol/api.ts";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import type { Model } from "./model.ts";
import { stopped } from "./stopped.ts";
import { play } from "./play-events.ts";
import { directedMoves } from "./directives.ts";

/**
 * A model for tests that plays a script. It exists only if the configuration sets one. A script is a function of the request
 * and the number of earlier calls. With `directives` the user's message is the script, in the language described in
 * `directives.ts`, so that tests can control a server process from outside.
 */
export type Script = {
  (request: ModelRequest, callIndex: number, signal: AbortSignal): Iterable<ModelEvent> | AsyncIterable<ModelEvent>;
  /** The context window of the model with this id; 200,000 tokens by default. */
  readonly windowOf?: (modelId: string) => number | null;
};

export const scriptedIds = { main: "scripted/script", backup: "scripted/backup" } as const;

export const createScriptedModel = (id: string, script: "directives" | Script): Model => {
  let calls = 0;
  const failCounts = new Map<string, number>();
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
        return play(directedMoves(request, id === scriptedIds.backup ? "backup" : "main", failCounts), signal);
      }
      const events = script(request, callIndex, signal);
      return Symbol.iterator in events ? play(events, signal) : ensureTerminal(events);
    },
  };
};

/** Adds a terminal event if there is none. An asynchronous script must watch its signal itself. */
async function* ensureTerminal(events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
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
