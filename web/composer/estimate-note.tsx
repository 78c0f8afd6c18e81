import { useDeferredValue } from "react";
import type { Attachment } from "../../protocol/attachments.ts";
import { useLoad } from "../lib/use-load.ts";
import { toDollars } from "../labels/cost.ts";
import { useSignal, useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { groupDigits } from "../lib/format.ts";
import { toShort } from "../labels/model.ts";
import { countSentTokens, estimate, toBasis } from "./estimate.ts";

type Props = {
  readonly text: string;
  readonly files: readonly Attachment[];
  /** null: the thread does not exist yet, so its prompt is unknown. */
  readonly threadId: string | null;
  readonly model: string;
};

/** Estimated tokens and cost of sending, while typing. */
export const EstimateNote = ({ text, files, threadId, model }: Props) => {
  const said = useDeferredValue(text);
  if (said === "" && files.length === 0) return null;
  const added: Added = {
    tokens: countSentTokens(said, files),
    name: [said === "" ? "" : "these words", files.length === 0 ? "" : "these files"].filter(Boolean).join(" and "),
  };
  return threadId === null ? <OfAdded {...added} /> : <OfThread added={added} threadId={threadId} model={model} />;
};

type Added = { readonly tokens: number; readonly name: string };

const OfAdded = ({ tokens, name }: Added) => (
  <Note tokens={tokens} price="" long={`About ${groupDigits(tokens)} tokens in ${name}.`} />
);

type ThreadProps = { readonly added: Added; readonly threadId: string; readonly model: string };

const OfThread = ({ added, threadId, model: modelId }: ThreadProps) => {
  const { client, session, getFeed } = usePage();
  const models = useSignal(session.models);
  // A new answer changes the prompt.
  const last = useSelected(getFeed(threadId).state, (state) =>
    state.phase === "ready" ? `${state.view.run?.id} ${state.view.run?.state}` : "",
  );
  const { state } = useLoad(`${threadId} ${last}`, (signal) =>
    client.listReceipts({ params: { threadId }, query: { limit: 1 } }, signal),
  );
  const line = state.phase === "ready" ? state.value.receipts[0] : undefined;
  if (!line) return <OfAdded {...added} />;
  const model = models.find(({ id }) => id === modelId);
  const { promptTokens, costUsd } = estimate(added.tokens, toBasis(line), model);
  const price = costUsd === null ? "" : costUsd === 0 ? "free" : toDollars(costUsd);
  return (
    <Note
      tokens={promptTokens}
      price={price}
      long={`About ${groupDigits(promptTokens)} tokens would be sent, ${groupDigits(added.tokens)} of them ${added.name}${price === "" ? "" : `: ${price}, without the answer`}. A preview counts exactly.`}
    />
  );
};

type NoteProps = { readonly tokens: number; readonly price: string; readonly long: string };

/** Phones have space for the figures only. */
const Note = ({ tokens, price, long }: NoteProps) => (
  <span title={long} className="flex-none px-1 whitespace-nowrap text-xs text-soft tabular-nums">
    <span aria-hidden="true">
      ≈ {tokens < 10_000 ? groupDigits(tokens) : toShort(tokens)}
      <span className="max-sm:hidden"> tokens</span>
      {price !== "" && ` · ${price}`}
    </span>
    <span id={estimateId} className="sr-only">
      {long}
    </span>
  </span>
);

export const estimateId = "message-estimate";
