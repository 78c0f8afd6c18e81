import type { Client } from "../../protocol/client.ts";
import type { ContextView } from "../../protocol/context/context.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import { toFailed, type Loaded } from "../lib/use-load.ts";

/** What stands behind the prompts of a thread, asked for when it is first needed and again whenever it has changed. */
export type ContextFeed = {
  readonly state: Signal<Loaded<ContextView>>;
  /** Asks; called while an answer is on its way, it asks once more after it. */
  load(): Promise<void>;
  /** It has changed: asks again, if anybody has asked before. */
  change(): void;
};

type Options = { readonly threadId: string; readonly client: Pick<Client, "getContext"> };

export function createContextFeed({ threadId, client }: Options): ContextFeed {
  const state = createSignal<Loaded<ContextView>>({ phase: "loading" });
  let wanted = 0;
  let answered = 0;
  const load = async (): Promise<void> => {
    wanted += 1;
    if (wanted > answered + 1) return;
    while (answered < wanted) {
      const mine = wanted;
      try {
        state.set({ phase: "ready", value: await client.getContext({ params: { threadId } }) });
      } catch (error) {
        if (state.get().phase !== "ready") state.set(toFailed(error));
      }
      answered = mine;
    }
  };
  return {
    state,
    load,
    change: () => {
      if (wanted > 0) void load();
    },
  };
}
