import { useEffect } from "react";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";

/** Sets the document title to the open thread, project or section. */
export function useTitle(): void {
  const { route, list, projects } = usePage();
  const threadId = useSelected(route, (now) => now.threadId);
  const title = useSelected(list.state, ({ view }) => view.threads.find((thread) => thread.id === threadId)?.title);
  const projectId = useSelected(route, (now) => now.project?.projectId);
  const name = useSelected(projects.state, (state) => state.projects.find((project) => project.id === projectId)?.name);
  const isSettings = useSelected(route, (now) => now.settings !== null);
  const isSearch = useSelected(route, (now) => now.search !== null);
  const words = isSearch ? "Search" : isSettings ? "Settings" : (title ?? name);
  useEffect(() => {
    document.title = words ? `${words} · Stonechat` : "Stonechat";
  }, [words]);
}
