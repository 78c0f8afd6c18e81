import { useEffect } from "react";
import { useSelected } from "../state/cell.ts";
import { usePage } from "../state/page.ts";

/** The tab says which thread it shows. */
export function useTitle(): void {
  const { route, list } = usePage();
  const threadId = useSelected(route, (now) => now.threadId);
  const title = useSelected(list.state, ({ view }) => view.threads.find((thread) => thread.id === threadId)?.title);
  useEffect(() => {
    document.title = title ? `${title} · Stonechat` : "Stonechat";
  }, [title]);
}
