import { Play, RotateCcw, Settings, Trash2, Wallet } from "lucide-react";
import { useEffect, useRef, useState, type ReactNode } from "react";
import type { EarlyEnd, RunView } from "../../protocol/run.ts";
import { createId } from "../lib/ids.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toSettingsPath } from "../state/route.ts";
import { useRequest } from "../lib/use-request.ts";
import { actions } from "../strings/actions.ts";
import { message } from "../strings/message.ts";
import { advise, type Offer } from "./end-actions.ts";
import { RegenerateWith } from "./regenerate-with.tsx";
import { RetryButton, RetryWait } from "./retry-wait.tsx";
import { describeCost } from "../labels/cost.ts";
import { describeEarlyEnd, toPageText } from "../labels/notices.ts";

const strings = message.run;

type Props = {
  readonly threadId: string;
  readonly run: RunView;
  /** No text is being streamed. */
  readonly isEmpty: boolean;
  /** Short description of the current activity. */
  readonly stage?: string | null;
};

/** Status of a running answer. */
export const RunStatus = ({ threadId, run, isEmpty, stage = null }: Props) => {
  if (run.state === "running" && run.retryAt !== undefined)
    return <RetryWait threadId={threadId} run={run} retryAt={run.retryAt} />;
  if (run.state === "running") return isEmpty ? <Working stage={stage} modelId={run.model} /> : null;
  return run.state === "parked" ? <Parked threadId={threadId} run={run} /> : null;
};

type AnswerRef = { readonly threadId: string; readonly messageId: string; readonly modelId: string };

type EndProps = {
  readonly answer: AnswerRef;
  readonly end: EarlyEnd;
  /** It is the last message of the path, so actions apply to it. */
  readonly isLast: boolean;
  /** The answer has text and can be continued. */
  readonly hasText: boolean;
};

/** Why an answer ended early. */
export const AnswerEnd = ({ answer, end, isLast, hasText }: EndProps) => {
  if (!isLast)
    return (
      <p role="note" aria-label={strings.ended} dir="auto" className="text-sm wrap-anywhere text-soft">
        {describeEarlyEnd(end)}
      </p>
    );
  const { text, offers } = advise(end, hasText);
  return (
    <div
      role="group"
      aria-label={strings.ended}
      className={`flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl px-3 py-2 text-sm ${end.outcome === "failed" ? "bg-danger-wash" : "bg-sunk text-soft"}`}
    >
      <p dir="auto" className={`min-w-0 wrap-anywhere ${end.outcome === "failed" ? "basis-full" : "flex-1 basis-48"}`}>
        {end.reason ? toPageText(end.reason) : strings.outcomes[end.outcome]}
        {text !== "" && <span className="block text-soft">{text}</span>}
      </p>
      <div className="flex flex-wrap gap-2">
        {offers.map((offer) => (
          <OfferButton key={offer} offer={offer} retryAt={end.reason?.retryAt} {...answer} />
        ))}
      </div>
    </div>
  );
};

type OfferProps = AnswerRef & { readonly offer: Offer; readonly retryAt: number | undefined };

const OfferButton = ({ offer, retryAt, threadId, messageId, modelId }: OfferProps): ReactNode => {
  const { commands, sheet } = usePage();
  switch (offer) {
    case "continue":
      return <Continue threadId={threadId} />;
    case "retry":
      return <RetryButton retryAt={retryAt} onRetry={() => void commands.regenerate(threadId, messageId)} />;
    case "model":
      return <RegenerateWith threadId={threadId} messageId={messageId} modelId={modelId} hasLabel />;
    case "models-page":
      return (
        <a href={toSettingsPath("models")} className="plain-button min-h-8 pointer-coarse:min-h-11">
          <Settings aria-hidden="true" className="size-3.5" />
          {strings.settings}
        </a>
      );
    case "costs":
      return (
        <button
          type="button"
          className="plain-button min-h-8 pointer-coarse:min-h-11"
          onClick={() => sheet.set({ kind: "usage" })}
        >
          <Wallet aria-hidden="true" className="size-3.5" />
          {strings.usage}
        </button>
      );
  }
};

/** Continues the answer. Disappears once the run is running. */
const Continue = ({ threadId }: { readonly threadId: string }) => {
  const { client } = usePage();
  const { state, send } = useRequest();
  const id = useRef<string>(null);
  const onContinue = () => {
    id.current ??= createId();
    const body = { id: id.current };
    void send(() => client.continueRun({ params: { threadId }, body }));
  };
  return (
    <>
      <button
        type="button"
        disabled={state.name === "sending" || state.name === "done"}
        className="plain-button strong-button min-h-8 pointer-coarse:min-h-11"
        onClick={onContinue}
      >
        <Play aria-hidden="true" className="size-3.5" />
        {strings.continue}
      </button>
      {state.name === "failed" && (
        <span role="alert" className="basis-full text-danger">
          {state.text}
        </span>
      )}
    </>
  );
};

/** A step crashed the server too often. The user decides whether to retry. */
const Parked = ({ threadId, run }: { readonly threadId: string; readonly run: RunView }) => {
  const { client, commands } = usePage();
  const { state, send } = useRequest();
  // A retry may be parked again before the page has rendered it as running; then it is a new run object and a new request.
  const [retried, setRetried] = useState<{ readonly run: RunView; readonly id: string }>();
  const retry = () => {
    const request = retried?.run === run ? retried : { run, id: createId() };
    setRetried(request);
    void send(() => client.retryRun({ params: { threadId }, body: { id: request.id } }));
  };
  const isSent = retried?.run === run && (state.name === "sending" || state.name === "done");
  return (
    <div
      role="group"
      aria-label={strings.parkedLabel}
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-xl bg-danger-wash px-3 py-2 text-sm"
    >
      <p dir="auto" className="min-w-0 flex-1 basis-48 wrap-anywhere">
        {run.reason ? toPageText(run.reason) : strings.parked}
      </p>
      <div className="flex flex-wrap gap-2">
        <button
          type="button"
          disabled={isSent}
          className="plain-button strong-button min-h-8 pointer-coarse:min-h-11"
          onClick={retry}
        >
          <RotateCcw aria-hidden="true" className="size-3.5" />
          {actions.retry}
        </button>
        <button
          type="button"
          disabled={isSent}
          className="plain-button min-h-8 pointer-coarse:min-h-11"
          onClick={() => void commands.stop(threadId)}
        >
          <Trash2 aria-hidden="true" className="size-3.5" />
          {actions.discard}
        </button>
      </div>
      {state.name === "failed" && (
        <span role="alert" className="basis-full text-danger">
          {state.text}
        </span>
      )}
    </div>
  );
};

const lateMs = 3000;

/** Without a stage, it soon names the model that is waited for. */
const Working = ({ stage, modelId }: { readonly stage: string | null; readonly modelId: string }) => {
  const model = useSignal(usePage().session.models).find(({ id }) => id === modelId);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), lateMs);
    return () => clearTimeout(timer);
  }, []);
  const name = model?.name ?? modelId;
  const shown = stage ?? (isLate && name !== "" ? strings.waitingFor(name) : null);
  return (
    <p className="flex min-h-6 min-w-0 items-center gap-1.5 text-sm text-soft">
      <span role="img" aria-label={strings.working} className="flex flex-none items-center gap-1.5 pe-1.5">
        {[0, 160, 320].map((delay) => (
          <span
            key={delay}
            className="size-1.5 animate-pulse-dot rounded-full bg-accent"
            style={{ animationDelay: `${delay}ms` }}
          />
        ))}
      </span>
      {shown !== null && (
        <span dir="auto" className="min-w-0 truncate">
          {shown}
        </span>
      )}
    </p>
  );
};

export const RunCost = ({ run }: { readonly run: RunView }) => (
  <span className="ms-2 truncate text-xs text-soft">{describeCost(run)}</span>
);
