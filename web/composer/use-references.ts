import { useEffect, useMemo, useState } from "react";
import { joinList } from "../lib/format.ts";
import { loadChunk } from "../lib/lazy-chunk.ts";
import { useLoad } from "../lib/use-load.ts";
import { useDebounced } from "../lib/use-debounced.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import type { Suggestion } from "./completion.ts";
import { toEntity, toFile, toProject } from "./references.ts";

const mostEntities = 8;
const mostFiles = 2000;
const none: readonly Suggestion[] = [];

/** Entities, files and projects that can be mentioned. `word`: the text after the `@`; null: nothing is loaded. */
export function useReferences(projectId: string | null, word: string | null): readonly Suggestion[] {
  const { client, projects } = usePage();
  const listed = useSignal(projects.state).projects;
  const isActive = word !== null;
  useEffect(() => {
    if (isActive) void projects.load();
  }, [projects, isActive]);

  const settled = useDebounced(word);
  const inProject = isActive ? projectId : null;
  const { state: files } = useLoad(inProject && `files ${inProject}`, (signal) =>
    client.listFiles({ params: { projectId: inProject ?? "" } }, signal),
  );
  const { state: found } = useLoad(
    inProject === null || settled === null ? null : `${inProject} ${settled}`,
    async (signal) => {
      const query = { limit: mostEntities, ...(settled ? { q: settled } : {}) };
      const [{ entities: lines }, { nameKind, nameState }] = await Promise.all([
        client.listEntities({ params: { projectId: inProject ?? "" }, query }, signal),
        loadChunk(() => import("../labels/entities.ts")),
      ]);
      return lines.map((line) => {
        const words = [nameKind(line.kind), nameState(line.state)];
        return toEntity(line, joinList(words.filter((word) => word !== "")));
      });
    },
  );
  // The previous suggestions stay while the next ones load; the filter removes those that no longer match.
  const [entities, setEntities] = useState(none);
  useEffect(() => {
    if (found.phase === "ready") setEntities(found.value);
  }, [found]);
  const paths = useMemo(
    () => (files.phase === "ready" ? files.value.files.slice(0, mostFiles).map(toFile) : none),
    [files],
  );
  return useMemo(() => {
    const named = listed.filter(({ archived }) => !archived).map(toProject);
    return projectId === null ? named : [...paths, ...entities, ...named];
  }, [projectId, paths, entities, listed]);
}
