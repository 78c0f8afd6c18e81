import { Undo2, X } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { useSignal } from "../lib/signal.ts";
import { listenForUndoKey, type Toasts } from "../lib/toasts.ts";
import { IconButton } from "./icon-button.tsx";
import { ui as strings } from "../strings/ui.ts";
import { actions } from "../strings/actions.ts";

type Props = {
  readonly toasts: Toasts;
  readonly className: string;
  /** Shown above the toasts. */
  readonly children?: ReactNode;
};

/** Toasts with their Undo buttons; Ctrl+Z outside of text fields works too. They stay while hovered or focused. */
export const ToastList = ({ toasts, className, children }: Props) => {
  const list = useSignal(toasts.list);
  useEffect(() => {
    const stop = listenForUndoKey(toasts);
    return () => {
      stop();
      toasts.hold(false);
    };
  }, [toasts]);
  useEffect(() => {
    if (list.length === 0) toasts.hold(false);
  }, [toasts, list]);
  return (
    <div
      role="status"
      className={`grid gap-1.5 ${className}`}
      onFocus={() => toasts.hold(true)}
      onBlur={() => toasts.hold(false)}
      onPointerEnter={() => toasts.hold(true)}
      onPointerLeave={() => toasts.hold(false)}
    >
      {children}
      {list.map(({ id, text, onUndo }) => (
        <p
          key={id}
          className="pointer-events-auto flex animate-rise items-center gap-1 rounded-2xl bg-raised py-1.5 ps-4 pe-1.5 text-sm shadow-float"
        >
          <span dir="auto" className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">
            {text}
          </span>
          {onUndo && (
            <button
              type="button"
              className="plain-button min-h-8 bg-transparent px-2.5 text-accent pointer-coarse:min-h-10"
              title={strings.undoHint}
              onClick={() => toasts.undo(id)}
            >
              <Undo2 aria-hidden="true" className="size-3.5" />
              {actions.undo}
            </button>
          )}
          <IconButton label={strings.dismiss} className="size-8" onClick={() => toasts.dismiss(id)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </p>
      ))}
    </div>
  );
};
