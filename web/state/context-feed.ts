import type { Client } from "../../protocol/client.ts";
import type { ContextView } from "../../protocol/context/context.ts";
import { createSignal, type Signal } from "../lib/signal.ts";
import { toFailed, type LoadState } from "../lib/use-load.ts";

/** A thread's prompt context (compactions, summaries, pins): loaded on first use and again after each change. */
export type ContextFeed = {
  readonly state: Signal<LoadState<ContextView>>;
  /** Loads; calls during a request are coalesced into one more request. */
  load(): Promise<void>;
  /** Reloads after a change, if it was loaded before. */
  change(): void;
};

type Options = { readonly threadId: string; readonly client: Pick<Client, "getContext"> };

export function createContextFeed({ threadId, client }: Options): ContextFeed {
  const state = createSignal<LoadState<ContextView>>({ phase: "loading" });
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
