import { Layers, ScrollText } from "lucide-react";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { context as strings } from "../strings/context.ts";
import { IconButton } from "../ui/icon-button.tsx";

/** Buttons for the thread's summary and its prompt context. */
export const ContextButtons = ({ threadId }: { readonly threadId: string }) => {
  const { sheet, sidePanel, getContext } = usePage();
  const hasSummary = useSelected(
    getContext(threadId).state,
    (state) => state.phase === "ready" && state.value.summaries.length > 0,
  );
  return (
    <span className="flex flex-none">
      <IconButton
        label={strings.summaryButton(hasSummary)}
        className="relative"
        onClick={() => sheet.set({ kind: "summary", threadId })}
      >
        <ScrollText aria-hidden="true" className="size-4.5" />
        {hasSummary && (
          <span
            aria-hidden="true"
            className="absolute end-1 top-1 size-1.5 rounded-full bg-accent pointer-coarse:end-2 pointer-coarse:top-2"
          />
        )}
      </IconButton>
      <IconButton label={strings.title} onClick={() => sidePanel.set({ kind: "context", threadId })}>
        <Layers aria-hidden="true" className="size-4.5" />
      </IconButton>
    </span>
  );
};
