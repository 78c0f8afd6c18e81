import { Scissors, Undo2 } from "lucide-react";
import type { CompactionView } from "../../protocol/context/context.ts";
import { usePage } from "../state/page.ts";
import { actions } from "../strings/actions.ts";
import { context } from "../strings/context.ts";
import { ActButton } from "../ui/act-button.tsx";

const strings = context.divider;

type Props = { readonly threadId: string; readonly compaction: CompactionView };

/** Marks a compaction in the thread; it can be opened and undone here. */
export const CompactionDivider = ({ threadId, compaction: { id, undone } }: Props) => {
  const { client, sidePanel, getContext } = usePage();
  return (
    <div role="note" aria-label={strings.label} className="flex items-center gap-3 py-1 text-xs text-soft">
      <span aria-hidden="true" className="h-px min-w-3 flex-1 bg-line-strong" />
      <span className="flex flex-wrap items-center justify-center gap-x-2 gap-y-1">
        <Scissors aria-hidden="true" className="size-3.5 flex-none" />
        <span className="text-center text-balance">{undone ? strings.undone : strings.active}</span>
        <span className="flex flex-wrap items-center gap-1">
          <button
            type="button"
            aria-label={strings.openLabel}
            className={look}
            onClick={() => sidePanel.set({ kind: "compaction", threadId, compactionId: id })}
          >
            {strings.open}
          </button>
          {!undone && (
            <ActButton
              label={context.compaction.undo}
              look={look}
              act={(inputId) => client.undoEpoch({ params: { threadId, epochId: id }, body: { id: inputId } })}
              onDone={() => void getContext(threadId).load()}
            >
              <Undo2 aria-hidden="true" className="size-3" />
              {actions.undo}
            </ActButton>
          )}
        </span>
      </span>
      <span aria-hidden="true" className="h-px min-w-3 flex-1 bg-line-strong" />
    </div>
  );
};

const look =
  "inline-flex min-h-7 items-center gap-1 rounded-lg px-2 text-xs font-medium text-ink hover:bg-hover disabled:opacity-60 pointer-coarse:min-h-10 pointer-coarse:px-3";
