import { Suspense, useEffect, useState, type ReactNode } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useMedia } from "../lib/use-media.ts";
import { showWorkspace, wasShown, type WorkspaceRoute } from "../state/workspace-route.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const LateWorkspace = lazyChunk(() => import("./late-workspace.tsx"));

type Props = {
  /** null: the thread belongs to no project, and has no files. */
  readonly projectId: string | null;
  readonly profile: string;
  readonly header: ReactNode;
  readonly children: ReactNode;
};

/** Whether a workspace has room beside the thread. */
export const useHasSpace = (): boolean => useMedia("(min-width: 75rem)");

/** A thread of a project has its workspace beside it; where there is no room for both, over it and one press away. */
export const WorkspacePanel = ({ projectId, profile, header, children }: Props) => {
  const page = usePage();
  const route = useSignal(page.workspace);
  const hasBench = useHasSpace();
  const isOpen = projectId !== null && route?.projectId === projectId;
  useEffect(() => {
    if (projectId === null || page.workspace.get()?.projectId === projectId) return;
    page.workspace.set(null);
    if (hasBench && wasShown(page, projectId, profile)) showWorkspace(page, { projectId });
  }, [page, projectId, profile, hasBench]);
  // Where the thread is seen in turn with what it builds, that goes on running behind it.
  const [held, setHeld] = useState<WorkspaceRoute | null>(null);
  useEffect(() => {
    if (isOpen) setHeld(route);
  }, [isOpen, route]);
  const drawn = isOpen ? route : !hasBench && held?.projectId === projectId ? held : null;
  const view = <Suspense>{drawn && <LateWorkspace beside={{ route: drawn, isHidden: !isOpen }} />}</Suspense>;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="@container flex-none">{header}</div>
        {projectId !== null && !hasBench && (
          <Suspense fallback={<div className="h-11 flex-none" />}>
            <LateWorkspace choice={{ projectId }} />
          </Suspense>
        )}
        <div className="relative flex min-h-0 flex-1 flex-col">
          <div className="flex min-h-0 flex-1 flex-col" inert={isOpen && !hasBench}>
            {children}
          </div>
          {!hasBench && view}
        </div>
      </div>
      {hasBench && view}
    </div>
  );
};
