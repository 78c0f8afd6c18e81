import type { Client } from "../../../protocol/client.ts";
import type { LogEvent } from "../../../protocol/events.ts";
import type { Project } from "../../../protocol/project/project.ts";
import { createSignal, type Signal } from "../../lib/signal.ts";

/** The user's projects: loaded on first use, updated by the user's event stream. */
export type ListedProjects = {
  readonly phase: "loading" | "ready" | "failed";
  readonly projects: readonly Project[];
};

export type ProjectList = {
  readonly state: Signal<ListedProjects>;
  load(): Promise<void>;
  apply(event: LogEvent): void;
  /** A project that this page has just created or changed. */
  merge(project: Project): void;
};

export function createProjectList(client: Pick<Client, "listProjects">): ProjectList {
  const state = createSignal<ListedProjects>({ phase: "loading", projects: [] });
  const gone = new Set<string>();
  let loading: Promise<void> | null = null;

  /** A response that started before a change does not revert it. */
  const mergeAll = (fresh: readonly Project[], phase = state.get().phase) => {
    const known = new Map(state.get().projects.map((project) => [project.id, project]));
    for (const project of fresh) {
      if (gone.has(project.id) || (known.get(project.id)?.version ?? -1) > project.version) continue;
      known.set(project.id, project);
    }
    state.set({ phase, projects: [...known.values()].toSorted((a, b) => b.updatedAt - a.updatedAt) });
  };
  const ask = async () => {
    try {
      const [active, archived] = await Promise.all(
        (["false", "true"] as const).map((flag) => client.listProjects({ params: {}, query: { archived: flag } })),
      );
      mergeAll([...(active?.projects ?? []), ...(archived?.projects ?? [])], "ready");
    } catch {
      loading = null;
      if (state.get().phase === "loading") state.set({ ...state.get(), phase: "failed" });
    }
  };
  return {
    state,
    load: () => (loading ??= ask()),
    merge: (project) => mergeAll([project]),
    apply: (event) => {
      if (event.type !== "project-changed") return;
      if (event.project) return mergeAll([event.project]);
      gone.add(event.projectId);
      state.set({ ...state.get(), projects: state.get().projects.filter(({ id }) => id !== event.projectId) });
    },
  };
}
