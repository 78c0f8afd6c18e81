import { readJson } from "../outputs/read-json.ts";
import { readPages, readSearch, toFields, toList, toText, type Page, type Search } from "../outputs/read-web.ts";
import type { Made } from "../turn.ts";

/** What was planned, searched and read in this answer, as far as the request still shows it. */
export type Findings = {
  readonly planned: readonly string[];
  readonly searches: readonly Search[];
  readonly pages: readonly Page[];
  /** Texts that were opened again by their number. */
  readonly kept: readonly Page[];
};

export const gather = (made: readonly Made[]): Findings => {
  const of = (wanted: string): readonly Made[] => made.filter(({ name }) => name === wanted);
  return {
    planned: of("plan_research").flatMap(readPlan),
    searches: of("search_web").map(readSearch),
    pages: of("scrape_webpage").flatMap(readPages),
    kept: of("read_artifact")
      .filter(({ failed }) => !failed)
      .flatMap(readPages),
  };
};

const gathering = /^(?:plan_research|search_web|scrape_webpage|read_artifact)$/;
export const isGathering = ({ name }: Made): boolean => gathering.test(name);

const readPlan = ({ text, failed, input }: Made): readonly string[] => {
  if (failed) return [];
  const queries = toList(toFields(readJson(text))?.["queries"] ?? input["queries"]);
  return queries.map((one) => toText(toFields(one)?.["query"])).filter((query) => query !== "");
};

/** What came to nothing, one line each, in the words of the tools. */
export const listFailures = (made: readonly Made[]): readonly string[] => {
  const { searches, pages } = gather(made);
  const others = made.filter(({ name, failed }) => failed && /^(?:plan_research|read_artifact)$/.test(name));
  return [
    ...others.map(({ name, text }) => `The tool \`${name}\` failed: ${toLine(text)}`),
    ...searches.flatMap(({ query, problem }) =>
      problem === undefined ? [] : [`The search for “${query}” brought nothing: ${toLine(problem)}`],
    ),
    ...pages.flatMap(({ url, error }) =>
      error === undefined ? [] : [`The page ${url} could not be read: ${toLine(error)}`],
    ),
  ];
};

const toLine = (text: string): string => text.replace(/\s+/g, " ").trim().slice(0, 500).toWellFormed();

/** Queries that differ only in case and spaces are the same. */
export const toKey = (query: string): string => query.trim().replace(/\s+/g, " ").toLowerCase();
