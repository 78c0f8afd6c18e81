import { ResponseError, type Client } from "../../../protocol/client.ts";
import type { FileLine } from "../../../protocol/workspace/workspace.ts";
import { toFailed, type UnloadedState } from "../../lib/use-load.ts";
import type { ProjectFeed } from "../../state/project/project-feed.ts";
import { createSignal, type Signal } from "../../lib/signal.ts";

/** The file list of a project, reloaded when the project's stream reports a change. Read-only. */
export type FilesState =
  | UnloadedState
  | { readonly phase: "gone" }
  | {
      readonly phase: "ready";
      readonly seq: number;
      /** The seq of the last change to any file; the preview reloads when it changes. */
      readonly changed: number;
      readonly files: readonly FileLine[];
    };

export type FileFeed = {
  readonly state: Signal<FilesState>;
  /** Incremented whenever files have changed. */
  readonly turns: Signal<number>;
  hold(): () => void;
  reload(): Promise<void>;
};

type Options = {
  readonly projectId: string;
  readonly client: Pick<Client, "listFiles">;
  readonly project: Pick<ProjectFeed, "open" | "touched" | "state">;
  readonly onSignedOut: () => void;
};

export function createFileFeed({ projectId, client, project, onSignedOut }: Options): FileFeed {
  const state = createSignal<FilesState>({ phase: "loading" });
  const turns = createSignal(0);
  let holders = 0;
  let asking: Promise<void> | null = null;
  let isBehind = false;

  /** One request at a time; changes during a request trigger one more. */
  const reload = (): Promise<void> => {
    isBehind = asking !== null;
    asking ??= ask().finally(() => {
      asking = null;
      if (isBehind) void reload();
    });
    return asking;
  };
  const ask = async () => {
    try {
      const { seq, files } = await client.listFiles({ params: { projectId } });
      const before = state.get();
      const isSame = before.phase === "ready" && toSign(before.files) === toSign(files);
      state.set({ phase: "ready", seq, changed: isSame ? before.changed : seq, files });
    } catch (error) {
      fail(error);
    }
  };
  const fail = (error: unknown) => {
    if (error instanceof ResponseError && error.status === 401) return onSignedOut();
    if (error instanceof ResponseError && error.status === 404) return state.set({ phase: "gone" });
    if (state.get().phase !== "ready") state.set(toFailed(error));
  };
  const stopListening: (() => void)[] = [];
  const listen = () => {
    stopListening.push(
      project.touched.subscribe(() => {
        if (!project.touched.get().whats.has("file")) return;
        turns.set(turns.get() + 1);
        void reload();
      }),
      project.state.subscribe(() => {
        if (project.state.get().phase === "gone") state.set({ phase: "gone" });
      }),
    );
  };

  return {
    state,
    turns,
    reload,
    hold: () => {
      holders += 1;
      if (holders === 1) {
        listen();
        void reload();
      }
      const letGo = project.open();
      return () => {
        letGo();
        holders -= 1;
        if (holders === 0) for (const stop of stopListening.splice(0)) stop();
      };
    },
  };
}

const toSign = (files: readonly FileLine[]): string => files.map(({ path, hash }) => `${path} ${hash}`).join("\n");
