import { Undo2, X } from "lucide-react";
import { useEffect } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { IconButton } from "../ui/icon-button.tsx";

type Props = { readonly className: string };

/** What was just done to a thread, and the way back: by its button, or by Ctrl Z where no text is being written. */
export const UndoToasts = ({ className }: Props) => {
  const { offers: undo } = usePage();
  const offers = useSignal(undo.offers);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const last = undo.offers.get().at(-1);
      if (!last || event.key.toLowerCase() !== "z" || !(event.ctrlKey || event.metaKey) || event.shiftKey) return;
      if (event.target instanceof Element && event.target.closest("input, textarea, [contenteditable]")) return;
      event.preventDefault();
      event.stopPropagation();
      undo.undo(last.id);
    };
    addEventListener("keydown", onKeyDown, true);
    return () => {
      removeEventListener("keydown", onKeyDown, true);
      undo.hold(false);
    };
  }, [undo]);
  useEffect(() => {
    if (offers.length === 0) undo.hold(false);
  }, [undo, offers]);
  return (
    <div
      role="status"
      className={`grid gap-1.5 ${className}`}
      onFocus={() => undo.hold(true)}
      onBlur={() => undo.hold(false)}
      onPointerEnter={() => undo.hold(true)}
      onPointerLeave={() => undo.hold(false)}
    >
      {offers.map(({ id, text }) => (
        <p
          key={id}
          className="pointer-events-auto flex animate-rise items-center gap-1 rounded-2xl bg-raised py-1.5 ps-4 pe-1.5 text-sm shadow-float"
        >
          <span dir="auto" className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">
            {text}
          </span>
          <button
            type="button"
            className="plain-button min-h-8 bg-transparent px-2.5 text-accent pointer-coarse:min-h-10"
            title="Undo (Ctrl Z)"
            onClick={() => undo.undo(id)}
          >
            <Undo2 aria-hidden="true" className="size-3.5" />
            Undo
          </button>
          <IconButton label="Dismiss" className="size-8" onClick={() => undo.settle(id)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </p>
      ))}
    </div>
  );
};
