import { CloudOff } from "lucide-react";
import { useSignal } from "../lib/signal.ts";
import { useProject } from "../state/project/project-context.ts";
import { ToastList } from "../ui/toast-list.tsx";
import { actions } from "../strings/actions.ts";
import { project as strings } from "../strings/project/page.ts";

/** The last change to the project with its undo, and a warning while changes cannot be sent. */
export const UndoToast = () => {
  const { writer } = useProject();
  const stalled = useSignal(writer.stalled);
  const waiting = useSignal(writer.waiting);
  return (
    <ToastList
      toasts={writer.toasts}
      className="pointer-events-none fixed inset-x-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-30 justify-items-center *:max-w-lg"
    >
      {stalled !== null && (
        <p className="pointer-events-auto flex animate-rise items-center gap-2 rounded-2xl bg-warn-wash py-1.5 ps-4 pe-2 text-sm shadow-float">
          <CloudOff aria-hidden="true" className="size-4 flex-none" />
          <span className="min-w-0 flex-1">{strings.unsaved(waiting, stalled)}</span>
          <button type="button" className="plain-button min-h-8" onClick={() => writer.retry()}>
            {actions.retry}
          </button>
        </p>
      )}
    </ToastList>
  );
};
