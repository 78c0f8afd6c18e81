import { Sparkles } from "lucide-react";
import { useEffect, useState } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Fold } from "../ui/fold.tsx";
import { groupDigits } from "../lib/format.ts";
import { Sheet } from "../ui/sheet.tsx";
import { useLoad } from "../lib/use-load.ts";
import { sortSummaries } from "./describe-summary.ts";
import { SummaryCard } from "./summary-card.tsx";

type Props = { readonly threadId: string; readonly onClose: () => void };

/** The latest two summaries of a thread, their cost, and a button to create one. */
export const SummarySheet = ({ threadId, onClose }: Props) => {
  const { client, getContext } = usePage();
  const { state, reload } = useLoad(threadId, (signal) => client.listSummaries({ params: { threadId } }, signal));
  // The context is reloaded after each change.
  const context = useSignal(getContext(threadId).state);
  const [known] = useState(context);
  useEffect(() => {
    if (context !== known) reload();
  }, [reload, context, known]);
  const summaries = state.phase === "ready" ? sortSummaries(state.value.summaries) : [];
  const isBusy = summaries.some(({ status }) => status === "generating");
  const since = state.phase === "ready" ? state.value.since : null;
  const isShort = since !== null && since.messages < since.leastMessages;
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
          disabled={isBusy || isShort || state.phase !== "ready"}
          act={(id) => client.summarize({ params: { threadId }, body: { id } })}
          onDone={reload}
        >
          <Sparkles aria-hidden="true" className="size-3.5" />
          Summarize now
        </ActButton>
        <p role="status" className="text-sm text-soft">
          {isBusy ? "It is being written; you can go on meanwhile." : since && describeSince(since)}
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

type Since = { readonly messages: number; readonly tokens: number; readonly leastMessages: number };

const describeSince = ({ messages, tokens, leastMessages }: Since): string => {
  if (messages === 0) return "Nothing has been said since the last one.";
  const count = `${groupDigits(messages)} ${messages === 1 ? "message" : "messages"}, ${groupDigits(tokens)} tokens`;
  return messages < leastMessages
    ? `${count} not summed up yet: it takes at least ${leastMessages} messages.`
    : `${count} not summed up yet.`;
};
