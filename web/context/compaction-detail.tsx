import { CornerUpLeft, Undo2 } from "lucide-react";
import type { ContextView } from "../../protocol/context/context.ts";
import { useJumpTo } from "../receipts/use-jump-to.ts";
import { usePage } from "../state/page.ts";
import { SummaryCard } from "../summary/summary-card.tsx";
import { ActButton } from "../ui/act-button.tsx";
import { groupDigits } from "../lib/format.ts";
import { toMoment } from "../lib/time.ts";
import { context } from "../strings/context.ts";
import { ContextSection } from "./section.tsx";
import { compactionWords } from "../labels/context.ts";

const strings = context.compaction;

type Props = {
  readonly threadId: string;
  readonly compactionId: string;
  readonly view: ContextView;
  readonly onChanged: () => void;
};

/** One compaction: its reason, its text as the model reads it, and its summaries, which can be edited or undone. */
export const CompactionDetail = ({ threadId, compactionId, view, onChanged }: Props) => {
  const { client } = usePage();
  const jump = useJumpTo(threadId);
  const compaction = view.epochs.find(({ id }) => id === compactionId);
  if (!compaction) return <p className="text-sm text-soft">{strings.missing}</p>;
  const summaries = view.summaries.filter(
    ({ toDepth, mergedInto, fields }) => toDepth <= compaction.depth && mergedInto === null && fields !== null,
  );
  const percentSaved =
    compaction.tokensBefore === 0 ? 0 : Math.round((1 - compaction.tokensAfter / compaction.tokensBefore) * 100);
  return (
    <>
      <div className="grid gap-3">
        <p className="text-sm text-pretty">
          {strings.text(
            groupDigits(compaction.depth),
            groupDigits(compaction.tokensBefore),
            groupDigits(compaction.tokensAfter),
            percentSaved,
          )}{" "}
          {compactionWords[compaction.reason] ?? compaction.reason}
        </p>
        <p className="text-xs text-soft">{toMoment(compaction.createdAt)}</p>
        <div className="flex flex-wrap gap-2">
          {compaction.undone ? (
            <p role="status" className="rounded-lg bg-raised px-3 py-1.5 text-sm text-soft">
              {strings.undone}
            </p>
          ) : (
            <ActButton
              act={(id) => client.undoEpoch({ params: { threadId, epochId: compactionId }, body: { id } })}
              onDone={onChanged}
            >
              <Undo2 aria-hidden="true" className="size-3.5" />
              {strings.undo}
            </ActButton>
          )}
          <button
            type="button"
            className="plain-button min-h-8 pointer-coarse:min-h-10"
            onClick={() => jump({ messageId: compaction.messageId })}
          >
            <CornerUpLeft aria-hidden="true" className="size-3.5" />
            {strings.show}
          </button>
        </div>
      </div>
      {summaries.length > 0 && (
        <ContextSection title={strings.summaries} about={strings.summariesAbout}>
          <div className="grid gap-2">
            {summaries.map((summary) => (
              <SummaryCard key={summary.id} threadId={threadId} summary={summary} onChanged={onChanged} />
            ))}
          </div>
        </ContextSection>
      )}
      <ContextSection title={strings.exactText}>
        <pre
          tabIndex={0}
          dir="auto"
          aria-label={strings.exactText}
          className="max-h-[60dvh] overflow-auto rounded-xl bg-(--code-ground) p-4 font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere text-(--code-ink)"
        >
          {compaction.head}
        </pre>
      </ContextSection>
    </>
  );
};
