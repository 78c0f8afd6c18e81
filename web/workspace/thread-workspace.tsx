import { useEffect, useRef, useState, type RefObject } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useHasSpace } from "./workspace-panel.tsx";
import { SplitHandle, usePaneWidth } from "../ui/split-handle.tsx";
import { useFirstPreview, useFollowAnswer } from "./use-follow-answer.ts";
import { hideWorkspace, showWorkspace, type WorkspaceRoute, type WorkspaceSide } from "../state/workspace-route.ts";
import { Workspace } from "./workspace.tsx";
import { workspace as strings } from "../strings/workspace/workspace.ts";

type Props = {
  readonly route: WorkspaceRoute;
  /** Hidden but still running: its reports are still received. */
  readonly isHidden: boolean;
};

const leastPx = 380;
const leastThreadPx = 340;
const share = 0.62;

/** The workspace next to the thread, in the width the user has set, or over it on narrow pages. */
export const ThreadWorkspace = ({ route, isHidden }: Props) => {
  const page = usePage();
  const hasSpace = useHasSpace();
  const isCovered = useSignal(page.sidePanel) !== null;
  const box = useRef<HTMLDivElement>(null);
  const available = useAvailableWidth(box);
  const most = available - leastThreadPx;
  const [stored, setStored] = usePaneWidth("workspace");
  const [isDragging, setDragging] = useState(false);
  const width = Math.min(Math.max(stored ?? available * share, leastPx), Math.max(most, leastPx));
  const onSide = (side: WorkspaceSide) => showWorkspace(page, { projectId: route.projectId, side });
  useFollowAnswer({ route, onSide });
  useFirstPreview({ route, onSide });
  const onAsk = (text: string) => {
    page.quoted.set(text);
    if (!hasSpace) hideWorkspace(page);
  };
  const view = (
    <Workspace
      key={route.projectId}
      projectId={route.projectId}
      side={route.side}
      path={route.path}
      isBare={!hasSpace}
      isDragging={isDragging}
      onSide={onSide}
      onAsk={onAsk}
      onClose={() => hideWorkspace(page)}
    />
  );
  if (!hasSpace)
    return (
      <div ref={box} className={`absolute inset-0 z-10 bg-ground ${isHidden ? "hidden" : ""}`}>
        {view}
      </div>
    );
  return (
    <div ref={box} className={`flex h-full flex-none ${isCovered || isHidden ? "hidden" : ""}`} style={{ width }}>
      <SplitHandle
        label={strings.width}
        pane="after"
        width={Math.round(width)}
        least={leastPx}
        most={Math.round(most)}
        onDrag={setDragging}
        onChange={setStored}
        onReset={() => setStored(null)}
      />
      <div className="min-w-0 flex-1 bg-sunk">{view}</div>
    </div>
  );
};

/** The width of the thread and the workspace together. */
function useAvailableWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(1000);
  useEffect(() => {
    const parent = element.current?.parentElement;
    if (!parent) return;
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    observer.observe(parent);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
