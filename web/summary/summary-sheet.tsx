import { Sparkles } from "lucide-react";
import { useEffect, useState } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { ActButton } from "../ui/act-button.tsx";
import { Disclosure } from "../ui/disclosure.tsx";
import { groupDigits } from "../lib/format.ts";
import { Sheet } from "../ui/sheet.tsx";
import { useLoad } from "../lib/use-load.ts";
import { sortSummaries } from "./describe-summary.ts";
import { SummaryCard } from "./summary-card.tsx";
import { actions } from "../strings/actions.ts";
import { summary as strings } from "../strings/summary.ts";

type Props = { readonly threadId: string; readonly onClose: () => void };

/** The latest two summaries of a thread, their cost, and a button to create one. */
export const SummarySheet = ({ threadId, onClose }: Props) => {
  const { client, getContext } = usePage();
  const { state, reload } = useLoad(threadId, (signal) => client.listSummaries({ params: { threadId } }, signal));
  // The context is reloaded after each change.
  const context = useSignal(getContext(threadId).state);
  const [initialContext] = useState(context);
  useEffect(() => {
    if (context !== initialContext) reload();
  }, [reload, context, initialContext]);
  const summaries = state.phase === "ready" ? sortSummaries(state.value.summaries) : [];
  const isBusy = summaries.some(({ status }) => status === "generating");
  const since = state.phase === "ready" ? state.value.since : null;
  const isShort = since !== null && since.messages < since.leastMessages;
  const [latest, previous, ...older] = summaries;
  const draw = (summary: (typeof summaries)[number]) => (
    <SummaryCard key={summary.id} threadId={threadId} summary={summary} onChanged={reload} />
  );
  return (
    <Sheet title={strings.title} about={strings.about} onClose={onClose}>
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        <ActButton
          className="strong-button"
          disabled={isBusy || isShort || state.phase !== "ready"}
          act={(id) => client.summarize({ params: { threadId }, body: { id } })}
          onDone={reload}
        >
          <Sparkles aria-hidden="true" className="size-3.5" />
          {strings.summarize}
        </ActButton>
        <p role="status" className="text-sm text-soft">
          {isBusy ? strings.writing : since && describeSince(since)}
        </p>
      </div>
      {state.phase === "loading" && <p className="animate-late text-sm text-soft">{actions.loading}</p>}
      {state.phase === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
      {state.phase === "ready" && !latest && (
        <p className="rounded-2xl bg-raised px-4 py-6 text-center text-sm text-pretty text-soft">{strings.empty}</p>
      )}
      <div className="grid gap-5">
        {latest && (
          <section aria-label={strings.latest}>
            <h3 className="mb-1.5 text-xs font-medium text-soft">{strings.latest}</h3>
            {draw(latest)}
          </section>
        )}
        {previous && (
          <section aria-label={strings.previous}>
            <h3 className="mb-1.5 text-xs font-medium text-soft">{strings.previous}</h3>
            {draw(previous)}
          </section>
        )}
        {older.length > 0 && (
          <Disclosure label={strings.older(older.length)}>
            <div className="mt-2 grid gap-3">{older.map(draw)}</div>
          </Disclosure>
        )}
      </div>
    </Sheet>
  );
};

type Since = { readonly messages: number; readonly tokens: number; readonly leastMessages: number };

const describeSince = ({ messages, tokens, leastMessages }: Since): string => {
  if (messages === 0) return strings.upToDate;
  if (messages < leastMessages) return strings.tooShort(leastMessages);
  return strings.pending(strings.messages(messages, groupDigits(messages)), groupDigits(tokens));
};
