import type { ModelInfo, Response } from "../../protocol/api.ts";
import { ResponseError, type Client } from "../../protocol/client.ts";
import { createSignal, type Signal } from "../lib/signal.ts";

/** The signed-in user, and the models and tools of this server. */
export type SessionState =
  | { readonly phase: "loading" }
  /** `ended`: the user whose session ended before they signed out. */
  | { readonly phase: "signed-out"; readonly ended: Me | null }
  | { readonly phase: "signed-in"; readonly me: Me };

type Me = Response<"getMe">;

export type Session = {
  readonly state: Signal<SessionState>;
  readonly models: Signal<readonly ModelInfo[]>;
  /** null: not loaded yet. */
  readonly tools: Signal<Response<"listTools"> | null>;
  load(): Promise<void>;
  loadTools(): Promise<void>;
  signOut(): void;
};

/** `mustReload` is called with the user of each answer, before it is used. */
export function createSession(
  client: Pick<Client, "getMe" | "listModels" | "listTools" | "setPreferences">,
  mustReload: (me: Me) => boolean = () => false,
): Session {
  const state = createSignal<SessionState>({ phase: "loading" });
  const models = createSignal<readonly ModelInfo[]>([]);
  const tools = createSignal<Response<"listTools"> | null>(null);
  const signOut = () => {
    const now = state.get();
    if (now.phase === "signed-out") return;
    state.set({ phase: "signed-out", ended: now.phase === "signed-in" ? now.me : null });
  };
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
        if (mustReload(me)) return location.reload();
        models.set(list.models);
        state.set({ phase: "signed-in", me });
        const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
        // If it fails, the next page tries again.
        if (me.timeZone !== timeZone) await client.setPreferences({ params: {}, body: { timeZone } }).catch(() => null);
      } catch (error) {
        if (isSignedOut(error)) signOut();
      }
    },
  };
}

export const isSignedOut = (error: unknown): boolean => error instanceof ResponseError && error.status === 401;
