import { lowRelevance } from "../../sources/collect-sources.ts";
import { Relevance } from "../../sources/relevance.tsx";
import { Fold } from "../../ui/fold.tsx";
import type { ToolPart } from "../calls/names.ts";
import { ToolFrame } from "../frame/tool-frame.tsx";
import { PageLine } from "./page-line.tsx";
import { readSearch, type SearchResult, type SearchView } from "./read-search.ts";

export const SearchCard = ({ part }: { readonly part: ToolPart }) => {
  const search = readSearch(part);
  const brief = describe(search, part.state === "ok");
  return (
    <ToolFrame
      part={part}
      title={
        search.query === "" || part.title?.includes(search.query)
          ? (part.title ?? "Search the web")
          : `“${search.query}”`
      }
      {...(brief === "" ? {} : { brief })}
      {...(search.results.length + search.failures.length > 0 ? { more: <Results search={search} /> } : {})}
    />
  );
};

const describe = ({ results, provider, failures }: SearchView, isOk: boolean): string =>
  [
    isOk ? `${results.length === 1 ? "1 result" : `${results.length || "no"} results`}` : "",
    provider,
    failures.length > 0 ? `${failures.length} did not answer` : "",
  ]
    .filter((word) => word !== "")
    .join(" · ");

const Results = ({ search: { results, failures } }: { readonly search: SearchView }) => (
  <>
    {results.length > 0 && (
      <ol aria-label="Results" className="grid gap-0.5">
        {results.map((result, index) => (
          <Result key={`${index} ${result.url}`} result={result} />
        ))}
      </ol>
    )}
    {failures.length > 0 && (
      <Fold label={failures.length === 1 ? "1 provider did not answer" : `${failures.length} providers did not answer`}>
        <ul className="grid gap-1 ps-5.5 text-sm text-soft">
          {failures.map(({ provider, text }) => (
            <li key={`${provider} ${text}`} className="wrap-anywhere">
              {provider !== "" && <span className="font-medium text-ink">{provider}: </span>}
              {text}
            </li>
          ))}
        </ul>
      </Fold>
    )}
  </>
);

const Result = ({ result }: { readonly result: SearchResult }) => {
  const isLow = result.relevance !== undefined && result.relevance < lowRelevance;
  return (
    <PageLine url={result.url} title={result.title} opens={result.ref} isDim={isLow}>
      <Relevance value={result.relevance} />
    </PageLine>
  );
};
