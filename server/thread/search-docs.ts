import { toTerms } from "../rank/terms.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

/** Beyond this many different words the rest of a text is not indexed. */
const MOST_TERMS = 20_000;

type Owner = Pick<RowOf<"threads">, "id" | "owner">;

/** A message's entry in the search index; a text without words has none. */
export function indexMessage(
  thread: Owner,
  message: Pick<RowOf<"messages">, "id" | "created_at">,
  text: string,
): Write[] {
  return index(thread, message.id, message.created_at, text);
}

export const indexTitle = (thread: Owner & Pick<RowOf<"threads">, "created_at">, title: string): Write[] =>
  index(thread, "", thread.created_at, title);

function index(thread: Owner, message: string, at: number, text: string): Write[] {
  const terms = [...new Set(toTerms(text))].slice(0, MOST_TERMS).join(" ");
  if (terms === "") return [{ do: "delete", table: "search_docs", where: { thread: thread.id, message } }];
  return [
    { do: "put", table: "search_docs", row: { thread: thread.id, message, owner: thread.owner, at, text, terms } },
  ];
}
