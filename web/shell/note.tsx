import { useEffect } from "react";
import { useSignal } from "../state/cell.ts";
import { usePage } from "../state/page.ts";

const shownMs = 5000;

/** What was done, said quietly. */
export const Note = () => {
  const { note } = usePage();
  const text = useSignal(note);
  useEffect(() => {
    if (text === null) return;
    const timer = setTimeout(() => note.set(null), shownMs);
    return () => clearTimeout(timer);
  }, [note, text]);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 top-[max(1rem,env(safe-area-inset-top))] z-50 mx-auto w-fit max-w-lg"
    >
      {text !== null && (
        <p className="animate-rise rounded-2xl bg-raised px-4 py-2 text-sm shadow-float wrap-anywhere">{text}</p>
      )}
    </div>
  );
};
