import type { Receipt } from "../../../../protocol/context/receipt.ts";
import type { ModelRequest } from "../../../../protocol/model.ts";

export type SentRequest = { readonly request: ModelRequest; readonly receipt: Receipt };

type Before = {
  /** The request before it in the thread. */
  readonly previous: SentRequest | null;
  /** The first request of the same turn. */
  readonly first: SentRequest | null;
};

/** Contradictions between a request and those before it: a prefix that is claimed and not there, a summary that changes in a turn. */
export function findChanges(sent: SentRequest, { previous, first }: Before): readonly string[] {
  const { receipt } = sent;
  const found: string[] = [];
  if (receipt.cache.broke === "unexplained") found.push("it does not begin like the request before, without a reason");
  if (previous && receipt.cache.broke === null && !isPrefix(previous, sent)) {
    found.push("the receipt says that it begins like the request before, and it does not");
  }
  for (const item of receipt.items) {
    const before =
      item.slot === "log" && item.kind === "summary" && first?.receipt.items.find(({ id }) => id === item.id);
    if (before && before.text !== item.text) found.push(`summary ${item.id} changed in the middle of a turn`);
  }
  return found;
}

/** A note is the last message of its request and in no other request. */
function isPrefix(before: SentRequest, after: SentRequest): boolean {
  const [start, whole] = [before, after].map(({ request, receipt }) => {
    const notes = receipt.items.some(({ kind }) => kind === "note") ? 1 : 0;
    const messages = request.messages.slice(0, request.messages.length - notes);
    return [
      JSON.stringify([request.system, request.tools]),
      ...messages.map(({ breakpoint: _, ...message }) => JSON.stringify(message)),
    ];
  });
  return (start ?? []).every((line, index) => line === whole?.[index]);
}
