import { X } from "lucide-react";
import { useEffect } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { IconButton } from "../ui/icon-button.tsx";

const shownMs = 8000;

/** The last error, in the server's words, for long enough to read. */
export const Trouble = () => {
  const { errorMessage } = usePage();
  const text = useSignal(errorMessage);
  useEffect(() => {
    if (text === null) return;
    const timer = setTimeout(() => errorMessage.set(null), shownMs);
    return () => clearTimeout(timer);
  }, [errorMessage, text]);
  return (
    <div role="alert" className="fixed inset-x-4 top-4 z-50 mx-auto w-fit max-w-lg">
      {text !== null && (
        <p className="flex animate-rise items-start gap-2 rounded-xl bg-danger-wash py-2 ps-4 pe-2 text-sm shadow-float">
          <span className="py-1">{text}</span>
          <IconButton label="Dismiss" className="size-7" onClick={() => errorMessage.set(null)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </p>
      )}
    </div>
  );
};
