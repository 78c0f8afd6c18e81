import { GitBranch, X } from "lucide-react";
import { useEffect } from "react";
import { composerFieldId } from "../composer/composer.tsx";
import { useSignal } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { IconButton } from "../ui/icon-button.tsx";

/** The next message goes after an earlier answer: says so above the field, until it is sent or left. */
export const GoingOn = ({ threadId }: { readonly threadId: string }) => {
  const { goingOn, goTo } = usePage();
  const place = useSignal(goingOn);
  const isHere = place?.threadId === threadId;
  useEffect(() => {
    if (isHere) document.getElementById(composerFieldId)?.focus();
  }, [isHere, place]);
  useEffect(() => () => goingOn.set(null), [goingOn, threadId]);
  if (!isHere) return null;
  return (
    <div
      role="status"
      className="mb-2 flex animate-rise items-center gap-2 rounded-xl bg-accent-wash py-1 ps-3 pe-1 text-sm"
    >
      <GitBranch aria-hidden="true" className="size-4 flex-none" />
      <p className="min-w-0 flex-1">
        Your next message goes on from{" "}
        <button
          type="button"
          className="font-medium underline underline-offset-2"
          onClick={() => goTo(threadId, place.messageId)}
        >
          answer {place.depth}
        </button>
        . What came after it stays, as a variant.
      </p>
      <IconButton label="Go on from the end instead" className="size-8" onClick={() => goingOn.set(null)}>
        <X aria-hidden="true" className="size-4" />
      </IconButton>
    </div>
  );
};
