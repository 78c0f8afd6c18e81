import { toTerms } from "../rank/terms.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

/** Only this many distinct words of a text are indexed. */
const MOST_TERMS = 20_000;

type Owner = Pick<RowOf<"threads">, "id" | "owner" | "shared" | "project"> & {
  readonly temporary?: number | boolean | undefined;
};

/** Owner in the index: a shared thread is found by everyone who has access to its project. */
export const toSearchOwner = ({ owner, shared, project }: Pick<Owner, "owner" | "shared" | "project">): string =>
  shared === 1 && project !== null ? toProjectOwner(project) : owner;

/** No user's id contains a colon. */
export const toProjectOwner = (project: string): string => `project:${project}`;

/** Prefix of artifacts in the `message` column. A message id cannot contain it. */
const ARTIFACT = "@";
const MOST_CHARACTERS = 200_000;

/** Index entry of a message. A text without words has none. */
export function indexMessage(
  thread: Owner,
  message: Pick<RowOf<"messages">, "id" | "created_at">,
  text: string,
): Write[] {
  return index(thread, { message: message.id, at: message.created_at, text });
}

export const indexTitle = (thread: Owner & Pick<RowOf<"threads">, "created_at">, title: string): Write[] =>
  index(thread, { message: "", at: thread.created_at, text: title });

/** Index entry of an artifact, by its ref. Only the title is stored here; the text is read from `artifacts`. */
export const indexArtifact = (
  thread: Owner,
  artifact: { ref: number; title: string; text: string; at: number },
): Write[] =>
  index(thread, {
    message: `${ARTIFACT}${artifact.ref}`,
    at: artifact.at,
    text: `${artifact.title}\n${artifact.text.slice(0, MOST_CHARACTERS)}`,
    stored: artifact.title,
  });

/** An artifact's ref; undefined for a message or a title. */
export const toRef = (message: string): number | undefined =>
  message.startsWith(ARTIFACT) ? Number(message.slice(ARTIFACT.length)) : undefined;

type Doc = {
  readonly message: string;
  readonly at: number;
  readonly text: string;
  /** The text to store, where it is shorter than the indexed text. */
  readonly stored?: string;
};

function index(thread: Owner, { message, at, text, stored = text }: Doc): Write[] {
  if (thread.temporary) return [];
  const terms = [...new Set(toTerms(text))].slice(0, MOST_TERMS).join(" ");
  if (terms === "") return [{ do: "delete", table: "search_docs", where: { thread: thread.id, message } }];
  return [
    {
      do: "put",
      table: "search_docs",
      row: { thread: thread.id, message, owner: toSearchOwner(thread), at, text: stored, terms },
    },
  ];
}
