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

export const fileSource = (name: string | undefined): string => toSource(`the file “${name ?? "unnamed"}”`);

/** For storage in a column. */
export const writeSources = (sources: Sources): string => JSON.stringify(sources);
export const readSources = (stored: string): Sources => JSON.parse(stored) as Sources;

/** Untrusted sources that the parts of a message bring into a prompt. Superseded attempts are in no prompt. */
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

/** For calls stored before 0.2, which did not record their sources. */
function guessSources({ name, input, state }: PartOf<"tool">): Sources {
  if (state === "denied" || state === "cancelled") return [];
  const inner = (input as { readonly name?: unknown } | null | undefined)?.name;
  const meant = name === "use_tool" && typeof inner === "string" ? inner : name;
  return ownTools.has(meant) ? [] : [toSource(`the tool ${meant}`)];
}

/** For run states and compactions stored before 0.2, which recorded only that there was a source. */
export const PRE_UPGRADE_SOURCE = "content read before the upgrade";
