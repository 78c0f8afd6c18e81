import { toTerms } from "../rank/terms.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

/** Beyond this many different words the rest of a text is not indexed. */
const MOST_TERMS = 20_000;

type Owner = Pick<RowOf<"threads">, "id" | "owner"> & { readonly temporary?: number | boolean | undefined };

/** Artifacts stand beside messages under names that no message can have. */
const ARTIFACT = "@";
const MOST_CHARACTERS = 200_000;

/** A message's entry in the search index; a text without words has none. */
export function indexMessage(
  thread: Owner,
  message: Pick<RowOf<"messages">, "id" | "created_at">,
  text: string,
): Write[] {
  return index(thread, { message: message.id, at: message.created_at, text });
}

export const indexTitle = (thread: Owner & Pick<RowOf<"threads">, "created_at">, title: string): Write[] =>
  index(thread, { message: "", at: thread.created_at, text: title });

/** What a tool kept, under its number; the text itself stays where it is kept. */
export const indexArtifact = (
  thread: Owner,
  artifact: { ref: number; title: string; text: string; at: number },
): Write[] =>
  index(thread, {
    message: `${ARTIFACT}${artifact.ref}`,
    at: artifact.at,
    text: `${artifact.title}\n${artifact.text.slice(0, MOST_CHARACTERS)}`,
    kept: artifact.title,
  });

/** The number of an artifact; undefined for a message and for a title. */
export const toRef = (message: string): number | undefined =>
  message.startsWith(ARTIFACT) ? Number(message.slice(ARTIFACT.length)) : undefined;

type Doc = {
  readonly message: string;
  readonly at: number;
  readonly text: string;
  /** What is stored of it, where that is less. */
  readonly kept?: string;
};

function index(thread: Owner, { message, at, text, kept = text }: Doc): Write[] {
  if (thread.temporary) return [];
  const terms = [...new Set(toTerms(text))].slice(0, MOST_TERMS).join(" ");
  if (terms === "") return [{ do: "delete", table: "search_docs", where: { thread: thread.id, message } }];
  return [
    {
      do: "put",
      table: "search_docs",
      row: { thread: thread.id, message, owner: thread.owner, at, text: kept, terms },
    },
  ];
}
