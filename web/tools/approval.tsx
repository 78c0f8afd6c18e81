import { Hand } from "lucide-react";
import { useId, useState } from "react";
import { useFacts } from "../sources/message-facts.ts";
import { Disclosure } from "../ui/disclosure.tsx";
import { Json } from "../ui/json.tsx";
import { usePage } from "../state/page.ts";
import { toPageText } from "../labels/notices.ts";
import { titleOf, type ToolPart } from "../labels/tools.ts";
import { DecisionButton, DecisionState, useDecision } from "./decision.tsx";
import { toolCards } from "../strings/tool-cards.ts";

const strings = toolCards.approval;

type Decision = "once" | "thread" | "deny";

/** An approval request: what the call would do, why approval is needed, and the three answers. */
export const Approval = ({ part }: { readonly part: ToolPart }) => {
  const { client } = usePage();
  const threadId = useFacts()?.threadId;
  const { state, isSent, decide: send } = useDecision();
  const [reason, setReason] = useState("");
  const titleId = useId();
  const decide = (decision: Decision) => {
    if (!threadId) return;
    const text = decision === "deny" ? reason.trim() : "";
    const body = { partId: part.id, decision, ...(text === "" ? {} : { word: text }) };
    void send(`${decision} ${text}`, (id) => client.decideCall({ params: { threadId }, body: { id, ...body } }));
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
            {part.asks ? toPageText(part.asks) : strings.needed}
          </p>
        </div>
      </div>
      <Disclosure
        label={
          <>
            {strings.details} <span className="truncate font-mono text-xs">{part.name}</span>
          </>
        }
      >
        <Json value={part.input ?? part.inputText ?? {}} label={strings.input} />
      </Disclosure>
      <form
        aria-label={strings.decision}
        className="flex flex-wrap items-center gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          decide("deny");
        }}
      >
        <DecisionButton disabled={isSent} className="strong-button" onClick={() => decide("once")}>
          {strings.allowOnce}
        </DecisionButton>
        <DecisionButton disabled={isSent} onClick={() => decide("thread")}>
          {strings.allowInThread}
        </DecisionButton>
        <span className="flex min-w-0 flex-1 basis-60 items-center gap-2">
          <DecisionButton type="submit" disabled={isSent} className="flex-none text-danger">
            {strings.deny}
          </DecisionButton>
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
      <DecisionState state={state} sending={strings.sending} sent={strings.sent} />
    </div>
  );
};
