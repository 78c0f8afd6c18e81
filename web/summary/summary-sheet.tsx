import { Sparkles } from "lucide-react";
import { useContextView } from "../context/use-context-view.ts";
import { usePage } from "../state/page.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Fold } from "../ui/fold.tsx";
import { Sheet } from "../ui/sheet.tsx";
import { sortSummaries } from "./describe-summary.ts";
import { SummaryCard } from "./summary-card.tsx";

type Props = { readonly threadId: string; readonly onClose: () => void };

/** The latest summary of a thread and the one before it, what they took, and a button for another. */
const SummarySheet = ({ threadId, onClose }: Props) => {
  const { client } = usePage();
  const { state, reload } = useContextView(threadId);
  const summaries = state.phase === "ready" ? sortSummaries(state.value.summaries) : [];
  const isBusy = summaries.some(({ status }) => status === "generating");
  const [latest, previous, ...older] = summaries;
  const draw = (summary: (typeof summaries)[number]) => (
    <SummaryCard key={summary.id} threadId={threadId} summary={summary} onChanged={reload} />
  );
  return (
    <Sheet
      title="Summary"
      about="What this thread has come to, as it is told to the model once the messages themselves no longer are."
      onClose={onClose}
    >
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        <ActButton
          className="strong-button"
          disabled={isBusy || state.phase !== "ready"}
          act={(id) => client.summarize({ params: { threadId }, body: { id } })}
          onDone={reload}
        >
          <Sparkles aria-hidden="true" className="size-3.5" />
          Summarize now
        </ActButton>
        <p role="status" className="text-sm text-soft">
          {isBusy ? "It is being written; you can go on meanwhile." : ""}
        </p>
      </div>
      {state.phase === "loading" && <p className="animate-late text-sm text-soft">Loading…</p>}
      {state.phase === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
      {state.phase === "ready" && !latest && (
        <p className="rounded-2xl bg-raised px-4 py-6 text-center text-sm text-pretty text-soft">
          There is no summary yet. One is made by itself when the thread has grown, or now, if you ask for it.
        </p>
      )}
      <div className="grid gap-5">
        {latest && (
          <section aria-label="Latest">
            <h3 className="mb-1.5 text-xs font-medium text-soft">Latest</h3>
            {draw(latest)}
          </section>
        )}
        {previous && (
          <section aria-label="Before it">
            <h3 className="mb-1.5 text-xs font-medium text-soft">Before it</h3>
            {draw(previous)}
          </section>
        )}
        {older.length > 0 && (
          <Fold label={`${older.length} older`}>
            <div className="mt-2 grid gap-3">{older.map(draw)}</div>
          </Fold>
        )}
      </div>
    </Sheet>
  );
};

export default SummarySheet;
