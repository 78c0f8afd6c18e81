import type { Part, PartOf } from "../parts.ts";

/**
 * Names of the untrusted sources that a text may derive from: a host, an MCP server, an attached file. Empty: it comes from the
 * user, the operator, or a model that has read nothing else. Sources are only ever added along the way, never dropped.
 */
export type Sources = readonly string[];

const MOST_SOURCES = 8;
const LONGEST_SOURCE = 100;
const OTHERS = "other sources";

export function joinSources(...lists: readonly (Sources | undefined)[]): Sources {
  const all = new Set(lists.flatMap((list) => list ?? []));
  if (all.size <= MOST_SOURCES) return [...all];
  all.delete(OTHERS);
  return [...[...all].slice(0, MOST_SOURCES), OTHERS];
}

/** A source's name comes from outside too: one line, bounded. */
export const toSource = (name: string): string => {
  const line = name.toWellFormed().replace(/[\p{C}\s]+/gu, " ");
  return line.length > LONGEST_SOURCE ? `${line.slice(0, LONGEST_SOURCE).toWellFormed()}…` : line;
};

export const hostOf = (url: string): string => toSource(URL.canParse(url) ? new URL(url).host || url : url);

export const fileSource = (name: string | undefined): string => toSource(`the file “${name ?? "unnamed"}”`);

/** As a column stores them. */
export const writeSources = (sources: Sources): string => JSON.stringify(sources);
export const readSources = (stored: string): Sources => JSON.parse(stored) as Sources;

/** What the parts of a message bring into a prompt. Superseded attempts are in no prompt. */
export const untrustedIn = (parts: readonly Part[]): Sources =>
  joinSources(...parts.map((part) => (part.aside === undefined ? untrustedInPart(part) : [])));

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
const ownTools = new Set(
  (
    "now calculate weather plan_research working_memory summarize find_tools create_entities update_entities delete_entities " +
    "link_entities list_entities get_entity view_file write_file delete_file rename_file search_files replace_lines " +
    "add_dependency remove_dependency lov-view lov-write lov-delete lov-rename lov-search-files lov-line-replace " +
    "lov-add-dependency lov-remove-dependency"
  ).split(" "),
);

/** Of calls that were stored without their sources, before 0.2. */
function guessSources({ name, input, state }: PartOf<"tool">): Sources {
  if (state === "denied" || state === "cancelled") return [];
  const inner = (input as { readonly name?: unknown } | null | undefined)?.name;
  const meant = name === "use_tool" && typeof inner === "string" ? inner : name;
  return ownTools.has(meant) ? [] : [toSource(`the tool ${meant}`)];
}

/** Of run states and compactions that were stored before 0.2, which only knew that there was a source. */
export const EARLIER_SOURCE = "content read before the upgrade";
