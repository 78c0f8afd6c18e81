import type { CompactionView } from "../../protocol/context/context.ts";
import type { MessageView, ThreadView } from "../../protocol/fold.ts";
import type { RunView } from "../../protocol/run.ts";
import type { History } from "../state/history.ts";
import type { Outgoing } from "../state/outbox.ts";

/**
 * The rows of a conversation: one per depth of the path, loaded or not, then unsent messages. A row's index does not depend
 * on loaded messages, so the cost is O(viewport), not O(thread). A run without a message yet is shown where its message will
 * be.
 */
export type Row =
  | {
      readonly kind: "message";
      readonly key: string;
      readonly message: MessageView;
      readonly run: RunView | null;
      /** Compactions made with this message; shown before it. */
      readonly compactions: readonly CompactionView[];
    }
  | { readonly kind: "waiting"; readonly key: string }
  | { readonly kind: "unsent"; readonly key: string; readonly item: Outgoing }
  | { readonly kind: "run"; readonly key: string; readonly run: RunView };

export type Rows = { readonly count: number; readonly at: (index: number) => Row | undefined };

type Sources = {
  readonly view: ThreadView;
  readonly history: History;
  readonly unsent: readonly Outgoing[];
  readonly compactions: ReadonlyMap<string, readonly CompactionView[]>;
};

const noCompactions: readonly CompactionView[] = [];

export const groupCompactions = (
  compactions: readonly CompactionView[],
): ReadonlyMap<string, readonly CompactionView[]> => Map.groupBy(compactions, ({ messageId }) => messageId);

export function toRows({ view: { messages, run }, history, unsent, compactions }: Sources): Rows {
  const tip = messages.at(-1)?.depth ?? Math.max(0, ...history.messages.keys());
  const tailStart = messages[0]?.depth ?? tip + 1;
  const isShown = run !== null && messages.some((message) => message.id === run.messageId);
  const isAhead = run !== null && !isShown && run.outcome === null;
  const toMessage = (depth: number): Row => {
    const message = depth < tailStart ? history.messages.get(depth) : messages[depth - tailStart];
    if (message?.depth !== depth) return { kind: "waiting", key: `${depth}` };
    const { id } = message;
    return {
      kind: "message",
      key: id,
      message,
      run: run?.messageId === id ? run : null,
      compactions: compactions.get(id) ?? noCompactions,
    };
  };
  const toTrailingRow = (offset: number): Row | undefined => {
    if (isAhead && offset === 0) return { kind: "run", key: run.messageId, run };
    const item = unsent[isAhead ? offset - 1 : offset];
    return item && { kind: "unsent", key: item.id, item };
  };
  return {
    count: tip + (isAhead ? 1 : 0) + unsent.length,
    at: (index) => (index < tip ? toMessage(index + 1) : toTrailingRow(index - tip)),
  };
}
