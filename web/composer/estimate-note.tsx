import { useDeferredValue } from "react";
import type { Attachment } from "../../protocol/attachments.ts";
import { useLoad } from "../lib/use-load.ts";
import { toDollars } from "../labels/cost.ts";
import { useSignal, useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { groupDigits } from "../lib/format.ts";
import { toShort } from "../labels/model.ts";
import { composer } from "../strings/composer.ts";
import { countSentTokens, estimate, toBasis } from "./estimate.ts";

const strings = composer.estimate;

type Props = {
  readonly text: string;
  readonly files: readonly Attachment[];
  /** null: the thread does not exist yet, so its prompt is unknown. */
  readonly threadId: string | null;
  readonly model: string;
};

/** Estimated tokens and cost of sending, while typing. */
export const EstimateNote = ({ text, files, threadId, model }: Props) => {
  const settled = useDeferredValue(text);
  const models = useSignal(usePage().session.models);
  if (settled === "" && files.length === 0) return null;
  const receiver = models.find(({ id }) => id === model) ?? { windowTokens: null };
  const tokens = countSentTokens(settled, files, receiver);
  if (threadId === null) return <MessageEstimate tokens={tokens} />;
  return <ThreadEstimate added={tokens} threadId={threadId} model={model} />;
};

const MessageEstimate = ({ tokens }: { readonly tokens: number }) => (
  <Note tokens={tokens} price={null} long={strings.message(tokens, groupDigits(tokens))} />
);

type ThreadProps = { readonly added: number; readonly threadId: string; readonly model: string };

const ThreadEstimate = ({ added, threadId, model: modelId }: ThreadProps) => {
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
  if (!line) return <MessageEstimate tokens={added} />;
  const model = models.find(({ id }) => id === modelId);
  const { promptTokens, costUsd } = estimate(added, toBasis(line), model);
  const price = costUsd === null ? null : costUsd === 0 ? strings.free : toDollars(costUsd);
  return (
    <Note
      tokens={promptTokens}
      price={price}
      long={strings.thread(groupDigits(promptTokens), groupDigits(added), price)}
    />
  );
};

type NoteProps = { readonly tokens: number; readonly price: string | null; readonly long: string };

/** Phones have no space for the unit next to a price. */
const Note = ({ tokens, price, long }: NoteProps) => (
  <span title={long} className="flex-none px-1 whitespace-nowrap text-xs text-soft tabular-nums">
    <span aria-hidden="true">
      ≈ {tokens < 10_000 ? groupDigits(tokens) : toShort(tokens)}
      <span className={price === null ? "" : "max-sm:hidden"}> {strings.unit(tokens)}</span>
      {price !== null && ` · ${price}`}
    </span>
    <span id={estimateId} className="sr-only">
      {long}
    </span>
  </span>
);

export const estimateId = "message-estimate";
