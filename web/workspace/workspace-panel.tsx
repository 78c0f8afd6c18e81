import { Suspense, useEffect, useState, type ReactNode } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useProfileSource } from "../state/use-profiles.ts";
import { useMedia } from "../lib/use-media.ts";
import { recallSide, showWorkspace, wasShown, type WorkspaceRoute } from "../state/workspace-route.ts";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const LateWorkspace = lazyChunk(() => import("./lazy-workspace.tsx"));

type Props = {
  /** null: the thread has no project and no files. */
  readonly projectId: string | null;
  readonly profile: string;
  readonly header: ReactNode;
  readonly children: ReactNode;
};

/** Whether a workspace fits next to the thread. */
export const useHasSpace = (): boolean => useMedia("(min-width: 75rem)");

/** The workspace next to its thread, or over it on narrow pages. */
export const WorkspacePanel = ({ projectId, profile, header, children }: Props) => {
  const page = usePage();
  const route = useSignal(page.workspace);
  const hasSpace = useHasSpace();
  const source = useProfileSource(profile);
  const isOpen = projectId !== null && route?.projectId === projectId;
  useEffect(() => {
    if (projectId === null || page.workspace.get()?.projectId === projectId) return;
    page.workspace.set(null);
    if (hasSpace && wasShown(page, projectId, source))
      showWorkspace(page, { projectId, isFirst: recallSide(page, projectId) === null });
  }, [page, projectId, source, hasSpace]);
  // On narrow pages the workspace keeps running behind the thread.
  const [lastRoute, setLastRoute] = useState<WorkspaceRoute | null>(null);
  useEffect(() => {
    if (isOpen) setLastRoute(route);
  }, [isOpen, route]);
  const drawn = isOpen ? route : !hasSpace && lastRoute?.projectId === projectId ? lastRoute : null;
  const view = <Suspense>{drawn && <LateWorkspace panel={{ route: drawn, isHidden: !isOpen }} />}</Suspense>;
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="@container flex-none">{header}</div>
        {projectId !== null && !hasSpace && (
          <Suspense fallback={<div className="h-11 flex-none" />}>
            <LateWorkspace choice={{ projectId }} />
          </Suspense>
        )}
        <div className="relative flex min-h-0 flex-1 flex-col">
          <div className="flex min-h-0 flex-1 flex-col" inert={isOpen && !hasSpace}>
            {children}
          </div>
          {!hasSpace && view}
        </div>
      </div>
      {hasSpace && view}
    </div>
  );
};
