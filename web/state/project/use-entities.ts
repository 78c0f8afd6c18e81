import { useEffect, useMemo } from "react";
import type { QueryInput } from "../../../protocol/api.ts";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../page.ts";
import { overlay } from "./overlay.ts";
import { createPager, type PagerState } from "./pager.ts";
import { useProject, useProjectChanges } from "./project-context.ts";

export type EntityQuery = Omit<QueryInput<"listEntities">, "cursor">;

export type Entities = PagerState & {
  /** As loaded, before filtering by `fits`. */
  readonly read: readonly EntityLine[];
  readonly more: () => void;
  readonly reload: () => void;
};

/**
 * Entities that match a query, with this page's own changes applied. `fits` decides which changed entities belong to the
 * list; it must be a stable function.
 */
export function useEntities(query: EntityQuery, fits: (line: EntityLine) => boolean): Entities {
  const { client } = usePage();
  const { projectId, feed, writer } = useProject();
  const key = JSON.stringify(query);
  const pager = useMemo(
    () =>
      createPager((page) =>
        client.listEntities({ params: { projectId }, query: { ...(JSON.parse(key) as EntityQuery), ...page } }),
      ),
    [client, projectId, key],
  );
  useEffect(() => {
    void pager.load();
  }, [pager]);
  useProjectChanges(feed, ({ whats }) => {
    if (whats.has("entity")) void pager.load();
  });
  const state = useSignal(pager.state);
  const written = useSignal(writer.overlay);
  const lines = useMemo(
    () => (state.phase === "ready" ? overlay(state.lines, { overlay: written, seq: state.seq, fits }) : state.lines),
    [state, written, fits],
  );
  return useMemo(
    () => ({
      ...state,
      lines,
      read: state.lines,
      total: state.total + lines.length - state.lines.length,
      more: () => void pager.more(),
      reload: () => void pager.load(),
    }),
    [pager, state, lines],
  );
}
