import { LoaderCircle } from "lucide-react";
import { useContextView } from "../state/use-context-view.ts";
import { usePage } from "../state/page.ts";
import { summary as strings } from "../strings/summary.ts";

type Props = {
  readonly threadId: string;
  readonly summaryId: string;
  /** The topic, shown until the summary is ready. */
  readonly overview: string;
};

/** A summary on the card of the call that requested it. */
export const RequestedSummary = ({ threadId, summaryId, overview }: Props) => {
  const { sheet } = usePage();
  const { state } = useContextView(threadId);
  const summary = state.phase === "ready" ? state.value.summaries.find(({ id }) => id === summaryId) : undefined;
  const text = summary?.fields?.overview ?? overview;
  return (
    <div className="grid justify-items-start gap-1 pb-1 text-sm">
      {text !== "" && (
        <p dir="auto" className="line-clamp-6 leading-relaxed wrap-anywhere">
          {text}
        </p>
      )}
      <p className="flex flex-wrap items-center gap-x-2 text-xs text-soft">
        <button
          type="button"
          className="-ms-1.5 min-h-7 rounded-lg px-1.5 text-sm font-medium text-ink hover:bg-hover pointer-coarse:min-h-11"
          onClick={() => sheet.set({ kind: "summary", threadId })}
        >
          {strings.open}
        </button>
        {summary && (
          <span role="status" className="inline-flex items-center gap-1">
            {summary.status === "generating" && <LoaderCircle aria-hidden="true" className="size-3 animate-spin" />}
            {strings.states[summary.status]}
          </span>
        )}
      </p>
    </div>
  );
};
