import { CornerUpLeft, Undo2 } from "lucide-react";
import type { ContextView } from "../../protocol/context/context.ts";
import { useJumpTo } from "../receipts/use-jump-to.ts";
import { usePage } from "../state/page.ts";
import { SummaryCard } from "../summary/summary-card.tsx";
import { ActButton } from "../ui/act-button.tsx";
import { groupDigits } from "../lib/format.ts";
import { toMoment } from "../lib/time.ts";
import { Section } from "./section.tsx";
import { compactionWords } from "../labels/context.ts";

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
  const epoch = view.epochs.find(({ id }) => id === compactionId);
  if (!epoch) return <p className="text-sm text-soft">This cut is no longer there.</p>;
  const summaries = view.summaries.filter(
    ({ toDepth, mergedInto, fields }) => toDepth <= epoch.depth && mergedInto === null && fields !== null,
  );
  const saved = epoch.tokensBefore === 0 ? 0 : Math.round((1 - epoch.tokensAfter / epoch.tokensBefore) * 100);
  return (
    <>
      <div className="grid gap-3">
        <p className="text-sm text-pretty">
          Messages 1 to {groupDigits(epoch.depth)} are told in brief from here on: {groupDigits(epoch.tokensBefore)}{" "}
          tokens became {groupDigits(epoch.tokensAfter)}
          {saved > 0 && <> ({saved} % less)</>}. {compactionWords[epoch.reason] ?? epoch.reason}
        </p>
        <p className="text-xs text-soft">{toMoment(epoch.createdAt)}</p>
        <div className="flex flex-wrap gap-2">
          {epoch.undone ? (
            <p role="status" className="rounded-lg bg-raised px-3 py-1.5 text-sm text-soft">
              Undone: those messages are sent as they stand, as far as they fit.
            </p>
          ) : (
            <ActButton
              act={(id) => client.undoEpoch({ params: { threadId, epochId: compactionId }, body: { id } })}
              onDone={onChanged}
            >
              <Undo2 aria-hidden="true" className="size-3.5" />
              Undo this cut
            </ActButton>
          )}
          <button
            type="button"
            className="plain-button min-h-8 pointer-coarse:min-h-10"
            onClick={() => jump({ messageId: epoch.messageId })}
          >
            <CornerUpLeft aria-hidden="true" className="size-3.5" />
            Go there
          </button>
        </div>
      </div>
      {summaries.length > 0 && (
        <Section title="Summaries in it" about="What you correct here is told from the next message on.">
          <div className="grid gap-2">
            {summaries.map((summary) => (
              <SummaryCard key={summary.id} threadId={threadId} summary={summary} onChanged={onChanged} />
            ))}
          </div>
        </Section>
      )}
      <Section title="As the model reads it">
        <pre
          tabIndex={0}
          dir="auto"
          aria-label="The head, as the model reads it"
          className="max-h-[60dvh] overflow-auto rounded-xl bg-(--code-ground) p-4 font-mono text-xs leading-relaxed whitespace-pre-wrap wrap-anywhere text-(--code-ink)"
        >
          {epoch.head}
        </pre>
      </Section>
    </>
  );
};
