import type { ThreadSummary } from "../../protocol/events.ts";
import type { LinkState } from "../api/follow.ts";
import { DrawerButton } from "../shell/drawer-button.tsx";
import { useCell, type Cell } from "../state/cell.ts";
import { ContextButtons } from "../context/context-buttons.tsx";
import { WorkspaceButton } from "../workspace/workspace-button.tsx";
import { LinkNote } from "./link-note.tsx";

type Props = {
  readonly threadId: string;
  readonly thread: ThreadSummary | null;
  readonly link: Cell<LinkState>;
};

export const ThreadHeader = ({ threadId, thread, link }: Props) => (
  <header className="flex h-13 flex-none items-center gap-2 px-3 pt-[env(safe-area-inset-top)] sm:px-5">
    <DrawerButton />
    <h1 dir="auto" className="min-w-0 flex-1 truncate text-sm font-medium text-soft">
      {thread?.title ?? ""}
    </h1>
    <LinkNote link={useCell(link)} />
    {thread && <ContextButtons threadId={threadId} />}
    {thread?.projectId && <WorkspaceButton projectId={thread.projectId} />}
  </header>
);
