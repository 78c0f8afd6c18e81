import { lowRelevance } from "../../sources/collect-sources.ts";
import { Relevance } from "../../sources/relevance.tsx";
import { Fold } from "../../ui/fold.tsx";
import type { ToolPart } from "../names.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { PageLine } from "./page-line.tsx";
import { readSearch, type SearchResult, type SearchView } from "./read-search.ts";

export const SearchCard = ({ part }: { readonly part: ToolPart }) => {
  const search = readSearch(part);
  const { query, provider, note, results, failures } = search;
  const isOk = part.state === "ok";
  const brief = [
    isOk ? (results.length === 1 ? "1 result" : `${results.length || "no"} results`) : "",
    provider,
    failures.length > 0 ? `${failures.length} gave nothing` : "",
  ].filter((word) => word !== "");
  return (
    <ToolFrame
      part={part}
      {...(query === "" ? {} : { title: `“${query}”` })}
      {...(brief.length > 0 ? { brief: brief.join(" · ") } : {})}
      {...(results.length + failures.length > 0 ? { more: <Results search={search} /> } : {})}
    >
      {isOk && note !== "" && (
        <p dir="auto" className="text-sm text-soft wrap-anywhere">
          {note}
        </p>
      )}
    </ToolFrame>
  );
};

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
      <Fold label={failures.length === 1 ? "1 provider gave nothing" : `${failures.length} providers gave nothing`}>
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
