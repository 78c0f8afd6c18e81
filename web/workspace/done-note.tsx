import { X } from "lucide-react";
import { useEffect } from "react";
import { useSignal } from "../state/cell.ts";
import { IconButton } from "../ui/icon-button.tsx";
import type { WorkspaceStore } from "./state/workspace-store.ts";

const shownMs = 10_000;

/** What was just done to files, with its *Undo*, for as long as it takes to notice a mistake. */
export const DoneNote = ({ desk }: { readonly desk: WorkspaceStore }) => {
  const done = useSignal(desk.done);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => desk.done.set(null), shownMs);
    return () => clearTimeout(timer);
  }, [desk, done]);
  return (
    <div role="status" className="pointer-events-none absolute inset-x-3 bottom-4 z-20 mx-auto w-fit max-w-full">
      {done && (
        <p className="pointer-events-auto flex animate-rise items-center gap-1 rounded-xl bg-raised py-1.5 ps-4 pe-1.5 text-sm shadow-float">
          <span className="min-w-0 truncate">{done.text}</span>
          <button
            type="button"
            className="min-h-8 flex-none rounded-lg px-2.5 font-medium text-accent hover:bg-hover"
            onClick={() => void desk.undo(done.actId)}
          >
            Undo
          </button>
          <IconButton label="Dismiss" className="size-7" onClick={() => desk.done.set(null)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </p>
      )}
    </div>
  );
};
