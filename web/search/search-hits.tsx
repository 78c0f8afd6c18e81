import { ListFilter } from "lucide-react";
import { moveAmongRows } from "../lib/row-keys.ts";
import { useNow } from "../lib/use-now.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toHitKey } from "./group-hits.ts";
import { HitLine } from "./hit-line.tsx";
import { toSearchPath } from "../state/search-route.ts";
import { useSearch, type SearchState } from "./use-search.ts";
import { actions } from "../strings/actions.ts";
import { search as strings } from "../strings/search.ts";

/** Hits while typing, in place of the thread list. The full search with filters is one click away. */
const SearchHits = ({ query }: { readonly query: string }) => {
  const { state, isLoading, retry } = useSearch({ q: query });
  const hidden = useSignal(usePage().deletions.hidden);
  const now = useNow();
  const hits = state.phase === "found" ? state.hits.filter(({ thread }) => !thread || !hidden.has(thread.id)) : [];
  return (
    <nav
      aria-label={strings.quick.results}
      aria-busy={isLoading}
      onKeyDown={moveAmongRows}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 pb-4"
    >
      <a
        href={toSearchPath({ q: query.trim() })}
        className="mb-1 flex min-h-9 items-center gap-2.5 rounded-xl px-3 text-sm font-medium text-accent hover:bg-hover focus-visible:-outline-offset-2 pointer-coarse:min-h-11"
      >
        <ListFilter aria-hidden="true" className="size-4 flex-none" />
        {strings.quick.allResults}
      </a>
      <p role="status" className={hits.length > 0 ? "sr-only" : "px-3 py-6 text-sm text-soft"}>
        {toSummary(state, hits.length)}
      </p>
      {state.phase === "failed" && (
        <button type="button" className="plain-button mx-3" onClick={retry}>
          {actions.retry}
        </button>
      )}
      <ul className="grid gap-0.5">
        {hits.map((hit) => (
          <li key={toHitKey(hit)} className="min-w-0">
            <HitLine hit={hit} now={now} />
          </li>
        ))}
      </ul>
    </nav>
  );
};

export default SearchHits;

export function toSummary(state: SearchState, count: number): string {
  switch (state.phase) {
    case "found":
      if (count === 0) return strings.empty;
      return count === state.limit ? strings.foundNewest(count) : strings.found(count);
    case "failed":
      return strings.failed(state.text);
    case "searching":
      return strings.searching;
    case "idle":
      return "";
  }
}
