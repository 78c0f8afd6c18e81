import type { Part, PartOf } from "../parts.ts";

/**
 * Names of the untrusted sources that a text may derive from: a host, an MCP server, an attached file. Empty: it comes
 * from the user, the operator, or a model that has read nothing else. Sources are only added, never dropped.
 */
export type Sources = readonly string[];

const MAX_SOURCES = 8;
const MAX_SOURCE_CHARACTERS = 100;
const OTHERS = "other sources";

export function joinSources(...lists: readonly (Sources | undefined)[]): Sources {
  const all = new Set(lists.flatMap((list) => list ?? []));
  if (all.size <= MAX_SOURCES) return [...all];
  all.delete(OTHERS);
  return [...[...all].slice(0, MAX_SOURCES), OTHERS];
}

/** Source names are untrusted too: one line, bounded length. */
export const toSource = (name: string): string => {
  const line = name.toWellFormed().replace(/[\p{C}\s]+/gu, " ");
  return line.length > MAX_SOURCE_CHARACTERS ? `${line.slice(0, MAX_SOURCE_CHARACTERS).toWellFormed()}…` : line;
};

export const hostOf = (url: string): string => toSource(URL.canParse(url) ? new URL(url).host || url : url);

/** Sources of imported texts begin with this. */
export const IMPORT_SOURCE = "the import “";

export const importSource = (name: string): string => toSource(`${IMPORT_SOURCE}${name}”`);

export const fileSource = (name: string | undefined): string => toSource(`the file “${name ?? "unnamed"}”`);

/** The source of everything in a shared thread, once it is private: there, text of other members could ask for private data. */
export const OF_MEMBERS = "messages of other project members";

/** The source of everything in a copy of a thread that was shared by a link. */
export const OF_SHARE = "a thread that was shared by a link";

/** The part was made elsewhere or for another user: its URLs were neither written by this user nor found by this user's searches. */
export const isForeign = ({ untrusted = [] }: Pick<Part, "untrusted">): boolean =>
  untrusted.some((source) => source === OF_MEMBERS || source === OF_SHARE || source.startsWith(IMPORT_SOURCE));

/** The sources as they are stored in a column. */
export const writeSources = (sources: Sources): string => JSON.stringify(sources);
export const readSources = (stored: string): Sources => JSON.parse(stored) as Sources;

/** Untrusted sources that the parts of a message bring into a prompt. Superseded attempts are in no prompt. */
export const untrustedIn = (parts: readonly Part[]): Sources =>
  joinSources(...parts.map((part) => (part.aside === undefined ? untrustedInPart(part) : [])));

/** Whether the text of a user message was written by a program for the user. Attached files do not count. */
export const isUntrustedText = (parts: readonly Part[]): boolean =>
  parts.some((part) => part.kind === "text" && (part.untrusted ?? []).length > 0);

function untrustedInPart(part: Part): Sources {
  switch (part.kind) {
    case "file":
      return joinSources(part.untrusted, part.attachmentId === undefined ? [] : [fileSource(part.name)]);
    case "source":
      // Without a status it was cited by the provider's own search, which has read that page.
      return joinSources(part.untrusted, part.status === undefined && part.url !== undefined ? [hostOf(part.url)] : []);
    case "tool":
      return part.untrusted ?? guessSources(part);
    default:
      return part.untrusted ?? [];
  }
}

/**
 * Tools whose own results are trusted, by their names now and in 0.1.0. Results of all other tools, including removed ones, are
 * untrusted.
 */
const ownToolsBefore02 = new Set(
  (
    "now calculate weather plan_research working_memory summarize find_tools create_entities update_entities delete_entities " +
    "link_entities list_entities get_entity view_file write_file delete_file rename_file search_files replace_lines " +
    "add_dependency remove_dependency lov-view lov-write lov-delete lov-rename lov-search-files lov-line-replace " +
    "lov-add-dependency lov-remove-dependency"
  ).split(" "),
);

/** Sources of a call that was stored before 0.2, when calls did not record them. */
function guessSources({ name, input, state }: PartOf<"tool">): Sources {
  if (state === "denied" || state === "cancelled") return [];
  const inner = (input as { readonly name?: unknown } | null | undefined)?.name;
  const meant = name === "use_tool" && typeof inner === "string" ? inner : name;
  return ownToolsBefore02.has(meant) ? [] : [toSource(`the tool ${meant}`)];
}

/** Replaces the sources of run states and compactions stored before 0.2, which recorded only that there was one. */
export const PRE_UPGRADE_SOURCE = "content read before the upgrade";
