import type { SearchHit } from "../../protocol/api.ts";
import { toPath } from "../state/route.ts";
import { toRelativeTime } from "../list/relative-time.ts";
import { moveAmongRows } from "../list/row-keys.ts";
import { splitMarks } from "./split-marks.ts";
import type { SearchState } from "./use-search.ts";
import { useNow } from "../list/use-now.ts";

type Props = { readonly state: SearchState };

export const SearchHits = ({ state }: Props) => {
  const hits = state.phase === "found" ? state.hits.filter(isInThread) : [];
  return (
    <nav aria-label="Search results" onKeyDown={moveAmongRows} className="min-h-0 flex-1 overflow-y-auto px-2 pb-4">
      <p role="status" className={hits.length > 0 ? "sr-only" : "px-3 py-6 text-sm text-soft"}>
        {toSummary(state)}
      </p>
      <ul className="grid gap-0.5">
        {hits.map((hit) => (
          <li key={`${hit.thread.id} ${hit.messageId} ${hit.title}`}>
            <Hit hit={hit} />
          </li>
        ))}
      </ul>
    </nav>
  );
};

type ThreadHit = SearchHit & { readonly thread: NonNullable<SearchHit["thread"]> };

const isInThread = (hit: SearchHit): hit is ThreadHit => hit.thread !== null;

const Hit = ({ hit }: { readonly hit: ThreadHit }) => {
  const now = useNow();
  return (
    <a
      href={toPath(hit.thread.id, hit.messageId)}
      data-row={hit.thread.id}
      className="block rounded-xl px-3 py-2 transition-colors hover:bg-hover focus-visible:bg-hover"
    >
      <span className="flex items-baseline gap-2">
        <span dir="auto" className="min-w-0 flex-1 truncate text-sm font-medium">
          {hit.thread.title}
        </span>
        <span className="flex-none text-xs text-soft">{toRelativeTime(hit.at, now)}</span>
      </span>
      <span dir="auto" className="mt-0.5 line-clamp-2 text-[0.8rem] text-soft wrap-anywhere">
        {splitMarks(hit.snippet, hit.marks).map(({ text, marked }, index) =>
          marked ? (
            <mark key={index} className="rounded-xs bg-mark text-ink">
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </span>
    </a>
  );
};

function toSummary(state: SearchState): string {
  switch (state.phase) {
    case "found":
      return state.hits.length === 0 ? "Nothing found." : `${state.hits.length} found`;
    case "failed":
      return "Search did not work. Try once more.";
    default:
      return "Searching…";
  }
}
