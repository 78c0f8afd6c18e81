import { CloudOff, Undo2, X } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useSignal } from "../lib/signal.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { useProject } from "../state/project/project-context.ts";

const shownMs = 9000;

/** What was just done, and the way back: by its button, or by Ctrl Z where no text is being written. */
export const UndoToast = () => {
  const { writer } = useProject();
  const offer = useSignal(writer.offer);
  const stalled = useSignal(writer.stalled);
  const waiting = useSignal(writer.waiting);
  const [isHeld, setHeld] = useState(false);
  useEffect(() => {
    if (offer === null || isHeld) return;
    const timer = setTimeout(() => writer.offer.set(null), shownMs);
    return () => clearTimeout(timer);
  }, [writer, offer, isHeld]);
  useEffect(() => {
    if (offer === null) setHeld(false);
  }, [offer]);
  const undo = useCallback(() => {
    const last = writer.offer.get();
    if (!last) return false;
    writer.offer.set(null);
    void writer.undo(last.actId);
    return true;
  }, [writer]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      if (event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]")) return;
      if (undo()) event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [undo]);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-30 grid justify-items-center gap-2"
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
    >
      {stalled !== null && (
        <p className="pointer-events-auto flex max-w-lg animate-rise items-center gap-2 rounded-2xl bg-warn-wash py-1.5 ps-4 pe-2 text-sm shadow-float">
          <CloudOff aria-hidden="true" className="size-4 flex-none" />
          <span className="min-w-0 flex-1">
            {waiting === 1 ? "One change waits" : `${waiting} changes wait`}: {stalled}
          </span>
          <button type="button" className="plain-button min-h-8" onClick={() => writer.retry()}>
            Try again
          </button>
        </p>
      )}
      {offer && (
        <p className="pointer-events-auto flex max-w-lg animate-rise items-center gap-1 rounded-2xl bg-raised py-1.5 ps-4 pe-1.5 text-sm shadow-float">
          <span dir="auto" className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">
            {offer.text}
          </span>
          <button
            type="button"
            className="plain-button ms-2 min-h-8 bg-transparent text-accent"
            title="Undo (Ctrl Z)"
            onClick={() => undo()}
          >
            <Undo2 aria-hidden="true" className="size-3.5" />
            Undo
          </button>
          <IconButton label="Dismiss" className="size-8" onClick={() => writer.offer.set(null)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </p>
      )}
    </div>
  );
};
