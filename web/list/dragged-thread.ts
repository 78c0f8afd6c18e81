import { useState, type DragEvent } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";

/**
 * Data of a dragged thread. During a drag only the type names are readable: the second type says that the thread is in a
 * project.
 */
const threadType = "application/x-stonechat-thread";
const inProjectType = "application/x-stonechat-placed";

export function startThreadDrag(event: DragEvent, { id, projectId }: ThreadSummary): void {
  event.dataTransfer.setData(threadType, id);
  if (projectId !== null) event.dataTransfer.setData(inProjectType, id);
  event.dataTransfer.effectAllowed = "move";
}

/** Accepts dropped threads; `in-project`: only those in a project. */
export function useThreadDrop(onDrop: (threadId: string) => void, accepts: "any" | "in-project" = "any") {
  const [isOver, setOver] = useState(false);
  const isAccepted = ({ dataTransfer }: DragEvent) =>
    dataTransfer.types.includes(accepts === "any" ? threadType : inProjectType);
  return {
    isOver,
    target: {
      onDragOver: (event: DragEvent) => {
        if (!isAccepted(event)) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = "move";
        setOver(true);
      },
      onDragLeave: ({ currentTarget, relatedTarget }: DragEvent) => {
        if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget)) setOver(false);
      },
      onDrop: (event: DragEvent) => {
        if (!isAccepted(event)) return;
        event.preventDefault();
        setOver(false);
        onDrop(event.dataTransfer.getData(threadType));
      },
    },
  } as const;
}
