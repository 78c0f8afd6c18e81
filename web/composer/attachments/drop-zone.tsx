import { useEffect, useState } from "react";
import { createPortal } from "react-dom";

type Props = {
  /** Shown while files are dragged over the page. */
  readonly text: string;
  readonly onDrop: (files: readonly File[]) => void;
};

/** Files can be dropped anywhere on the page, and a dropped file never replaces the page. */
export const DropZone = ({ text, onDrop }: Props) => {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const onDragOver = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const onLeave = (event: DragEvent): void => {
      // `relatedTarget` is null only when the pointer leaves the window.
      if (event.relatedTarget === null) setOver(false);
    };
    const onDropped = (event: DragEvent): void => {
      setOver(false);
      if (!hasFiles(event)) return;
      event.preventDefault();
      onDrop([...(event.dataTransfer?.files ?? [])]);
    };
    addEventListener("dragover", onDragOver);
    addEventListener("dragleave", onLeave);
    addEventListener("drop", onDropped);
    return () => {
      removeEventListener("dragover", onDragOver);
      removeEventListener("dragleave", onLeave);
      removeEventListener("drop", onDropped);
    };
  }, [onDrop]);
  if (!isOver) return null;
  return createPortal(
    <div className="pointer-events-none fixed inset-0 z-50 grid place-items-center bg-ground/80 p-6">
      <p role="status" className="rounded-2xl bg-raised px-8 py-6 text-lg shadow-float">
        {text}
      </p>
    </div>,
    document.body,
  );
};

const hasFiles = ({ dataTransfer }: DragEvent): boolean =>
  dataTransfer?.types.some((type) => type === "Files") ?? false;
