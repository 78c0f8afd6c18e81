import { useMemo } from "react";
import type { Response } from "../../protocol/api.ts";
import { useLoad } from "../lib/use-load.ts";
import { usePage } from "../state/page.ts";
import type { Suggestion } from "./completion.ts";

const none: readonly Suggestion[] = [];

/**
 * Saved prompts for this place and prompts of MCP servers, loaded each time a `/` is typed. A prompt of the project comes before
 * one of the same name.
 */
export function usePrompts(projectId: string | null, isActive: boolean): readonly Suggestion[] {
  const { client } = usePage();
  const { state } = useLoad(isActive ? `prompts ${projectId ?? ""}` : null, (signal) =>
    client.listPrompts({ params: {}, query: projectId === null ? {} : { projectId } }, signal),
  );
  const { state: remote } = useLoad(isActive ? "server prompts" : null, (signal) =>
    client.listServerPrompts({ params: {} }, signal),
  );
  const ofServers = useMemo(() => (remote.phase === "ready" ? remote.value.prompts.map(toRemote) : none), [remote]);
  const saved = useMemo(() => {
    if (state.phase !== "ready") return none;
    const here = state.value.prompts.filter((prompt) => prompt.projectId === null || prompt.projectId === projectId);
    const sorted = here.toSorted((a, b) => Number(b.projectId !== null) - Number(a.projectId !== null));
    return sorted.map(({ id, name, text }): Suggestion => {
      const about = text.replace(/\s+/g, " ").slice(0, 200);
      return { kind: "prompt", id: `${name} ${id}`, name, about, insert: text };
    });
  }, [state, projectId]);
  return useMemo(() => [...saved, ...ofServers], [saved, ofServers]);
}

const toRemote = (prompt: Response<"listServerPrompts">["prompts"][number]): Suggestion => {
  const { server, name, title, description } = prompt;
  return {
    ...{ kind: "prompt", id: `${server} ${name}`, name: title || name, insert: "" },
    about: description === "" ? server : `${server} · ${description}`,
    remote: { server, name, variables: prompt.arguments.map((argument) => argument.name) },
  };
};
