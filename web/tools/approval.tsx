import { Hand } from "lucide-react";
import { useId, useRef, useState } from "react";
import { createId } from "../lib/ids.ts";
import { useFacts } from "../sources/message-facts.ts";
import { Fold } from "../ui/fold.tsx";
import { Json } from "../ui/json.tsx";
import { usePage } from "../state/page.ts";
import { useRequest } from "../lib/use-request.ts";
import { titleOf, type ToolPart } from "../labels/tools.ts";
import { toolCards } from "../strings/tool-cards.ts";

const strings = toolCards.approval;

type Decision = "once" | "thread" | "deny";

/** An approval request: what the call would do, why approval is needed, and the three answers. */
export const Approval = ({ part }: { readonly part: ToolPart }) => {
  const { client } = usePage();
  const threadId = useFacts()?.threadId;
  const { state, send } = useRequest();
  const [reason, setReason] = useState("");
  const titleId = useId();
  // A retry reuses the id, so that an answer cannot count twice.
  const last = useRef<{ readonly key: string; readonly id: string } | null>(null);
  const isSent = state.name === "sending" || state.name === "done";

  const decide = (decision: Decision) => {
    if (!threadId || isSent) return;
    const text = decision === "deny" ? reason.trim() : "";
    const key = `${decision} ${text}`;
    if (last.current?.key !== key) last.current = { key, id: createId() };
    const body = { id: last.current.id, partId: part.id, decision, ...(text === "" ? {} : { word: text }) };
    void send(() => client.decideCall({ params: { threadId }, body }));
  };
  return (
    <div
      role="group"
      aria-labelledby={titleId}
      className="m-1.5 grid gap-3 rounded-xl bg-raised p-3 shadow-float [&>*]:min-w-0"
    >
      <div className="flex items-start gap-2">
        <Hand aria-hidden="true" className="mt-0.5 size-5 flex-none text-accent" />
        <div className="min-w-0">
          <p id={titleId} dir="auto" className="font-medium wrap-anywhere">
            {titleOf(part)}
          </p>
          <p dir="auto" className="text-sm text-soft wrap-anywhere">
            {part.asks?.text ?? strings.needed}
          </p>
        </div>
      </div>
      <Fold
        label={
          <>
            {strings.details} <span className="truncate font-mono text-xs">{part.name}</span>
          </>
        }
      >
        <Json value={part.input ?? part.inputText ?? {}} label={strings.input} />
      </Fold>
      <form
        aria-label={strings.decision}
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          decide("deny");
        }}
      >
        <button
          type="button"
          disabled={isSent}
          className="plain-button strong-button pointer-coarse:min-h-11"
          onClick={() => decide("once")}
        >
          {strings.allowOnce}
        </button>
        <button
          type="button"
          disabled={isSent}
          className="plain-button pointer-coarse:min-h-11"
          onClick={() => decide("thread")}
        >
          {strings.allowInThread}
        </button>
        <span className="flex min-w-0 flex-1 basis-60 items-center gap-2">
          <button
            type="submit"
            disabled={isSent}
            className="plain-button flex-none text-danger pointer-coarse:min-h-11"
          >
            {strings.deny}
          </button>
          <input
            dir="auto"
            aria-label={strings.reason}
            placeholder={strings.reason}
            value={reason}
            maxLength={1000}
            disabled={isSent}
            onChange={(event) => setReason(event.target.value)}
            className="h-9 min-w-0 flex-1 rounded-xl bg-hover px-3 text-sm placeholder:text-soft pointer-coarse:h-11"
          />
        </span>
      </form>
      <p role="status" className="text-xs text-soft empty:hidden">
        {state.name === "sending" ? strings.sending : state.name === "done" ? strings.sent : ""}
      </p>
      {state.name === "failed" && (
        <p role="alert" className="text-sm text-danger">
          {state.text}
        </p>
      )}
    </div>
  );
};
