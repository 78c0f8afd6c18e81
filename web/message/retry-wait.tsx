import { RotateCcw, Square } from "lucide-react";
import type { RunView } from "../../protocol/run.ts";
import { useNow } from "../lib/use-now.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { actions } from "../strings/actions.ts";
import { message } from "../strings/message.ts";
import { RegenerateWith } from "./regenerate-with.tsx";

const strings = message.run;
const secondMs = 1000;

/** Whole seconds until then, updated every second; 0 once it has passed. */
const useSecondsUntil = (at: number): number => Math.max(0, Math.ceil((at - useNow(secondMs)) / secondMs));

type WaitProps = { readonly threadId: string; readonly run: RunView; readonly retryAt: number };

/** A running answer whose model is paused for a short time. It continues automatically. */
export const RetryWait = ({ threadId, run, retryAt }: WaitProps) => {
  const { commands, session } = usePage();
  const seconds = useSecondsUntil(retryAt);
  const name = useSignal(session.models).find(({ id }) => id === run.model)?.name ?? run.model;
  return (
    <div
      role="group"
      aria-label={strings.working}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl bg-sunk px-3 py-2 text-sm text-soft"
    >
      <p dir="auto" className="min-w-0 flex-1 basis-48 wrap-anywhere tabular-nums">
        {strings.retryWait(name, seconds)}
      </p>
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          className="plain-button min-h-8 pointer-coarse:min-h-11"
          onClick={() => void commands.stop(threadId)}
        >
          <Square aria-hidden="true" className="size-3 fill-current" />
          {strings.stop}
        </button>
        <RegenerateWith threadId={threadId} messageId={run.messageId} modelId={run.model} hasLabel />
      </div>
    </div>
  );
};

type RetryProps = { readonly retryAt: number | undefined; readonly onRetry: () => void };

/** *Retry*. Disabled with a countdown as long as the provider refuses calls. */
export const RetryButton = ({ retryAt = 0, onRetry }: RetryProps) => {
  const seconds = useSecondsUntil(retryAt);
  return (
    <button
      type="button"
      disabled={seconds > 0}
      className="plain-button min-h-8 tabular-nums pointer-coarse:min-h-11"
      onClick={onRetry}
    >
      <RotateCcw aria-hidden="true" className="size-3.5" />
      {seconds === 0
        ? actions.retry
        : seconds < 100
          ? strings.retryInSeconds(seconds)
          : strings.retryInMinutes(Math.ceil(seconds / 60))}
    </button>
  );
};
