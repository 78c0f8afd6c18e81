import type { Model, Response } from "../../protocol/api.ts";
import { ResponseError, type Client } from "../../protocol/client.ts";
import { createSignal, type Signal } from "../lib/signal.ts";

/** The signed-in user, and the models and tools of this server. */
export type SessionState =
  | { readonly phase: "loading" }
  | { readonly phase: "signed-out" }
  | { readonly phase: "signed-in"; readonly me: Response<"getMe"> };

export type Session = {
  readonly state: Signal<SessionState>;
  readonly models: Signal<readonly Model[]>;
  /** null: not loaded yet. */
  readonly tools: Signal<Response<"listTools"> | null>;
  load(): Promise<void>;
  loadTools(): Promise<void>;
  signOut(): void;
};

export function createSession(client: Pick<Client, "getMe" | "listModels" | "listTools">): Session {
  const state = createSignal<SessionState>({ phase: "loading" });
  const models = createSignal<readonly Model[]>([]);
  const tools = createSignal<Response<"listTools"> | null>(null);
  const signOut = () => state.set({ phase: "signed-out" });
  return {
    state,
    models,
    tools,
    signOut,
    loadTools: async () => {
      if (tools.get()) return;
      const list = await client.listTools({ params: {} }).catch(() => null);
      if (list) tools.set(list);
    },
    load: async () => {
      try {
        const [me, list] = await Promise.all([client.getMe({ params: {} }), client.listModels({ params: {} })]);
        models.set(list.models);
        state.set({ phase: "signed-in", me });
      } catch (error) {
        if (isSignedOut(error)) signOut();
      }
    },
  };
}

export const isSignedOut = (error: unknown): boolean => error instanceof ResponseError && error.status === 401;
