import { useMemo } from "react";
import { useLoad } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import type { Suggestion } from "./completion.ts";

const none: readonly Suggestion[] = [];

/** Saved prompts for this place, loaded each time a `/` is typed. A prompt of the project comes before one of the same name. */
export function usePrompts(projectId: string | null, isActive: boolean): readonly Suggestion[] {
  const { client } = usePage();
  const { state } = useLoad(isActive ? `prompts ${projectId ?? ""}` : null, (signal) =>
    client.listPrompts({ params: {}, query: projectId === null ? {} : { projectId } }, signal),
  );
  return useMemo(() => {
    if (state.phase !== "ready") return none;
    const here = state.value.prompts.filter((prompt) => prompt.projectId === null || prompt.projectId === projectId);
    const sorted = here.toSorted((a, b) => Number(b.projectId !== null) - Number(a.projectId !== null));
    return sorted.map(({ id, name, text }): Suggestion => {
      const about = text.replace(/\s+/g, " ").slice(0, 200);
      return { kind: "prompt", id: `${name} ${id}`, name, about, insert: text };
    });
  }, [state, projectId]);
}
