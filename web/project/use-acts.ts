import { useCallback, useEffect, useState } from "react";
import type { Act } from "../../protocol/project/project.ts";
import { toErrorText } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import { useProject, useProjectChanges } from "../state/project/project-context.ts";

type Acts = {
  readonly phase: "loading" | "ready" | "failed";
  readonly text: string;
  readonly acts: readonly Act[];
  readonly hasMore: boolean;
};

const pageSize = 50;
const start: Acts = { phase: "loading", text: "", acts: [], hasMore: false };

/** Activity log of the project or of one entity, newest first. */
export function useActs(entityId?: string, limit = pageSize) {
  const { client } = usePage();
  const { projectId, feed } = useProject();
  const [state, setState] = useState(start);
  const read = useCallback(
    async (before?: number) => {
      const query = { limit, ...(entityId ? { entityId } : {}), ...(before === undefined ? {} : { before }) };
      try {
        const { acts } = await client.listActs({ params: { projectId }, query });
        setState((current) => ({
          phase: "ready",
          text: "",
          // Replaces the first page and keeps later ones.
          acts: before === undefined ? join(acts, current.acts) : join(current.acts, acts),
          hasMore: before === undefined && current.acts.length > acts.length ? current.hasMore : acts.length === limit,
        }));
      } catch (error) {
        setState((current) =>
          current.phase === "ready" ? current : { ...start, phase: "failed", text: toErrorText(error) },
        );
      }
    },
    [client, projectId, entityId, limit],
  );
  useEffect(() => {
    setState(start);
    void read();
  }, [read]);
  useProjectChanges(feed, ({ ids }) => {
    if (!entityId || ids === null || ids.has(entityId)) void read();
  });
  const last = state.acts.at(-1)?.seq;
  return { ...state, more: () => void (last !== undefined && read(last)), reload: () => void read() };
}

function join(first: readonly Act[], rest: readonly Act[]): readonly Act[] {
  const known = new Set(first.map(({ id }) => id));
  const lastSeq = first.at(-1)?.seq ?? Infinity;
  return [...first, ...rest.filter(({ id, seq }) => !known.has(id) && seq < lastSeq)];
}
