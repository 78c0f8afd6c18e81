import type { EpochView } from "../../protocol/context/context.ts";
import type { MessageView, ThreadView } from "../../protocol/fold.ts";
import type { RunView } from "../../protocol/run.ts";
import type { Outgoing } from "../state/outbox.ts";

/**
 * What stands in the conversation, top to bottom. A run that has not written its message yet has a row of its own, and a cut
 * stands ahead of the message with which it was made.
 */
export type Row =
  | { readonly kind: "epoch"; readonly key: string; readonly epoch: EpochView }
  | { readonly kind: "message"; readonly key: string; readonly message: MessageView; readonly run: RunView | null }
  | { readonly kind: "unsent"; readonly key: string; readonly item: Outgoing }
  | { readonly kind: "run"; readonly key: string; readonly run: RunView };

export function toRows(
  view: ThreadView,
  unsent: readonly Outgoing[],
  epochs: readonly EpochView[] = [],
): readonly Row[] {
  const { messages, run } = view;
  const rows: Row[] = [];
  const cuts = Map.groupBy(epochs, ({ messageId }) => messageId);
  for (const message of messages) {
    for (const epoch of cuts.get(message.id) ?? []) rows.push({ kind: "epoch", key: epoch.id, epoch });
    rows.push({ kind: "message", key: message.id, message, run: run?.messageId === message.id ? run : null });
  }
  const isShown = run !== null && messages.some((message) => message.id === run.messageId);
  if (run && !isShown && run.outcome !== "done") rows.push({ kind: "run", key: run.messageId, run });
  for (const item of unsent) rows.push({ kind: "unsent", key: item.id, item });
  return rows;
}

export const isRunning = (view: ThreadView): boolean => view.run?.state === "running";
