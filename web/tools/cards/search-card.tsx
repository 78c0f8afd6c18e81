import { lowRelevance } from "../../sources/collect-sources.ts";
import { Relevance } from "../../sources/relevance.tsx";
import { Disclosure } from "../../ui/disclosure.tsx";
import type { ToolPart } from "../../labels/tools.ts";
import { ToolFrame } from "../tool-frame.tsx";
import { PageLine } from "./page-line.tsx";
import { listAt, numberAt, textAt } from "../../lib/read-json.ts";
import { own } from "../../lib/own.ts";
import { toSettingsPath } from "../../state/route.ts";
import { toolCards as strings } from "../../strings/tool-cards.ts";

export const SearchCard = ({ part }: { readonly part: ToolPart }) => {
  const search = readSearch(part);
  const { query, provider, note, results, failures } = search;
  const isOk = part.state === "ok";
  // The call itself is complete: its result for the model says that no provider could be reached.
  const isUnreachable = isOk && provider === "" && results.length === 0 && failures.every(({ isEmpty }) => !isEmpty);
  const brief = [
    isOk && !isUnreachable ? strings.search.resultCount(results.length) : "",
    provider,
    failures.length > 0 ? strings.search.failed(failures.length) : "",
  ].filter((word) => word !== "");
  return (
    <ToolFrame
      part={part}
      isFailed={isUnreachable}
      {...(query === "" ? {} : { title: strings.search.query(query) })}
      {...(brief.length > 0 ? { brief: brief.join(" · ") } : {})}
      {...(results.length + failures.length > 0 ? { more: <Results search={search} /> } : {})}
    >
      {isUnreachable && (
        <p className="text-sm">
          {strings.search.unreachable}{" "}
          <a href={toSettingsPath("tools")} className="font-medium text-accent underline underline-offset-2">
            {strings.search.setUp}
          </a>
        </p>
      )}
      {isOk && note !== "" && provider !== "" && (
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
      <ol aria-label={strings.search.results} className="grid gap-0.5">
        {results.map((result, index) => (
          <Result key={`${index} ${result.url}`} result={result} />
        ))}
      </ol>
    )}
    {failures.length > 0 && (
      <Disclosure label={strings.search.providersFailed(failures.length)}>
        <ul className="grid gap-1 ps-5.5 text-sm text-soft">
          {failures.map(({ provider, text }) => (
            <li key={`${provider} ${text}`} className="wrap-anywhere">
              {provider !== "" && <span className="font-medium text-ink">{provider}: </span>}
              {text}
            </li>
          ))}
        </ul>
      </Disclosure>
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

type SearchResult = {
  readonly title: string;
  readonly url: string;
  readonly relevance: number | undefined;
  readonly ref: number | undefined;
};

type Failure = { readonly provider: string; readonly text: string; readonly isEmpty: boolean };

type SearchView = {
  readonly query: string;
  readonly provider: string;
  readonly note: string;
  /** Search providers that failed before, with the reason. */
  readonly failures: readonly Failure[];
  readonly results: readonly SearchResult[];
};

function readSearch({ input, output }: ToolPart): SearchView {
  return {
    query: textAt(input, "query") || textAt(output, "query"),
    provider: toProvider(textAt(output, "provider")),
    note: textAt(output, "note"),
    failures: listAt(output, "attempts").map((value) => ({
      provider: toProvider(textAt(value, "provider")),
      text: textAt(value, "reason", "code"),
      isEmpty: textAt(value, "code") === "nothing-found",
    })),
    results: listAt(output, "results").flatMap(toResult),
  };
}

function toResult(value: unknown): readonly SearchResult[] {
  const url = textAt(value, "url");
  const title = textAt(value, "title") || url;
  return title === "" ? [] : [{ title, url, relevance: numberAt(value, "relevance"), ref: numberAt(value, "ref") }];
}

const toProvider = (name: string): string => own(strings.search.providers, name) ?? name;
