import { RotateCcw } from "lucide-react";
import type { RunView } from "../../protocol/run.ts";
import { usePage } from "../state/page.ts";
import { describeCost } from "./describe-cost.ts";

type Props = {
  readonly threadId: string;
  readonly run: RunView;
  /** Nothing of it is being written at this moment. */
  readonly isEmpty: boolean;
};

/** How the answer is doing: at work, or why it ended before it was done. */
export const RunStatus = ({ threadId, run, isEmpty }: Props) => {
  const { commands } = usePage();
  if (run.state === "running") return isEmpty ? <Working /> : null;
  if (run.outcome === null || run.outcome === "done") return null;
  return (
    <div
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl px-3 py-2 text-sm ${run.outcome === "failed" ? "bg-danger-wash" : "bg-sunk text-soft"}`}
    >
      <span dir="auto" className="min-w-0 flex-1 basis-48 wrap-anywhere">
        {run.reason?.text ?? defaults[run.outcome]}
      </span>
      <button
        type="button"
        className="plain-button min-h-8"
        onClick={() => void commands.regenerate(threadId, run.messageId)}
      >
        <RotateCcw aria-hidden="true" className="size-3.5" />
        Retry
      </button>
    </div>
  );
};

const defaults = {
  failed: "The answer failed.",
  stopped: "Stopped.",
  limit: "The answer ended at a limit.",
} as const;

const Working = () => (
  <span role="img" aria-label="Working" className="flex h-6 items-center gap-1.5">
    {[0, 160, 320].map((delay) => (
      <span
        key={delay}
        className="size-1.5 animate-pulse-dot rounded-full bg-accent"
        style={{ animationDelay: `${delay}ms` }}
      />
    ))}
  </span>
);

export const RunCost = ({ run }: { readonly run: RunView }) => (
  <span className="ms-2 truncate text-xs text-soft">{describeCost(run)}</span>
);
