import { useEffect } from "react";
import { usePage } from "../../state/page.ts";
import { getDesk, type Desk } from "./workspace-store.ts";

/** The project's files, live for as long as they are shown. */
export function useDesk(projectId: string): Desk {
  const desk = getDesk(usePage(), projectId);
  useEffect(() => desk.feed.hold(), [desk]);
  return desk;
}
