import { define } from "./language.ts";
import { plural } from "./plural.ts";

/** Sources and citations of an answer. */
export const sources = define("sources", {
  title: "Sources",
  count: (count: number) => plural(count, "source"),
  countCited: (count: number, cited: number) => `${plural(count, "source")}, ${cited} cited`,
  more: (count: number) => `${count} more`,
  untitled: "Untitled",
  document: "document",
  found: "found",
  read: "read",
  failed: "failed",
  about: {
    found: "Found by a search; only its excerpt was used",
    read: "The page was read",
    failed: "The page could not be read",
  },
  all: "Show all",
  fewer: "Show fewer",
  lowRelevance: "low relevance",
  relevance: (percent: number) => `Relevance ${percent}%`,

  citation: {
    name: (number: number) => `Source ${number}`,
    label: (number: number, source: string) => `Source ${number}: ${source}`,
    labelWithDoubt: (number: number, source: string, doubt: string) => `Source ${number}: ${source}, ${doubt}`,
    unverified: "not found in the source",
    missing: "no such source",
  },
});
