import { Archive, FolderKanban, MessageSquare, Search, X } from "lucide-react";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { moveAmongRows } from "../lib/row-keys.ts";
import { useNow } from "../lib/use-now.ts";
import { DrawerButton } from "../ui/drawer-button.tsx";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toPath, toProjectPath } from "../state/route.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { groupHits, toHitKey, type HitGroup } from "./group-hits.ts";
import { HitLine } from "./hit-line.tsx";
import { SearchFilters } from "./search-filters.tsx";
import { toSummary } from "./search-hits.tsx";
import { countFilters, everywhere, toSearchPath, toSearchQuery, type SearchRoute } from "../state/search-route.ts";
import { useSearch, type SearchState } from "./use-search.ts";
import { actions } from "../strings/actions.ts";
import { search as strings } from "../strings/search.ts";

const firstLimit = 50;
/** The server returns no more. */
const maxLimit = 200;

/** Full search over messages, artifacts and projects. The query is in the URL, so that the search can be bookmarked. */
const SearchView = ({ route: initialRoute }: { readonly route: SearchRoute }) => {
  const { projects, deletions } = usePage();
  const [route, setRoute] = useState(initialRoute);
  const [limit, setLimit] = useState(firstLimit);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => setRoute(initialRoute), [initialRoute]);
  useEffect(() => void projects.load(), [projects]);
  useEffect(() => {
    if (matchMedia("(hover: hover)").matches || initialRoute.q === "") field.current?.focus();
  }, [initialRoute]);
  const { state, isLoading, retry } = useSearch(toSearchQuery(route, limit), () =>
    history.replaceState(null, "", toSearchPath(route)),
  );
  const hidden = useSignal(deletions.hidden);
  const groups = useMemo(() => {
    const hits = state.phase === "found" ? state.hits : [];
    return groupHits(hits.filter(({ thread }) => !thread || !hidden.has(thread.id)));
  }, [state, hidden]);
  const change = (patch: Partial<SearchRoute>) => {
    setLimit(firstLimit);
    setRoute((before) => ({ ...before, ...patch }));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const rows = event.currentTarget.querySelectorAll("[data-row]");
    const isFirst = document.activeElement === rows[0];
    if ((event.key === "ArrowUp" && isFirst) || event.key === "Escape") {
      event.preventDefault();
      return field.current?.focus();
    }
    moveAmongRows(event);
  };
  const count = groups.reduce((sum, { hits }) => sum + hits.length, 0);
  return (
    <>
      <header className="flex h-13 flex-none items-center gap-2 px-3 pt-[env(safe-area-inset-top)] sm:ps-8 sm:pe-5">
        <DrawerButton />
        <h1 className="min-w-0 flex-1 truncate font-serif text-2xl tracking-tight">{strings.title}</h1>
      </header>
      <div
        role="search"
        aria-label={strings.everything}
        className="mx-auto grid w-full max-w-3xl flex-none gap-3 px-4 pt-1 pb-3 sm:px-8"
      >
        <QueryField ref={field} q={route.q} onChange={(q) => change({ q })} />
        <SearchFilters route={route} onChange={change} />
      </div>
      <div
        role="region"
        aria-label={strings.results}
        aria-busy={isLoading}
        tabIndex={0}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
      >
        <div className="mx-auto w-full max-w-3xl px-2 pb-24 sm:px-5">
          <p role="status" className="px-3 pb-2 text-sm text-soft empty:hidden">
            {toSummary(state, count)}
          </p>
          {state.phase === "idle" && <IdleHint />}
          {state.phase === "failed" && (
            <button type="button" className="plain-button mx-3" onClick={retry}>
              {actions.retry}
            </button>
          )}
          {state.phase === "found" && count === 0 && (
            <NoResults route={route} onClear={() => change({ ...everywhere, q: route.q })} />
          )}
          <div className={`transition-opacity ${isLoading ? "opacity-60" : ""}`}>
            {groups.map((group) => (
              <Group key={group.key} group={group} />
            ))}
          </div>
          <More state={state} onMore={() => setLimit(maxLimit)} />
        </div>
      </div>
    </>
  );
};

export default SearchView;

type QueryFieldProps = {
  readonly q: string;
  readonly onChange: (q: string) => void;
  readonly ref: React.RefObject<HTMLInputElement | null>;
};

const QueryField = ({ q, onChange, ref }: QueryFieldProps) => {
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Escape" && q !== "") onChange("");
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    if (event.nativeEvent.isComposing) return;
    event.preventDefault();
    document.querySelector<HTMLElement>("main [data-row]")?.focus();
  };
  return (
    <div className="relative">
      <Search
        aria-hidden="true"
        className="pointer-events-none absolute start-4 top-1/2 size-4.5 -translate-y-1/2 text-soft"
      />
      <input
        ref={ref}
        type="text"
        enterKeyHint="search"
        dir="auto"
        aria-label={strings.query}
        placeholder={strings.placeholder}
        maxLength={200}
        value={q}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-12 w-full rounded-2xl bg-raised ps-11 pe-12 text-base shadow-float placeholder:text-soft"
      />
      {q !== "" && (
        <IconButton
          label={strings.clear}
          className="absolute end-2 top-1/2 -translate-y-1/2"
          onClick={() => {
            onChange("");
            ref.current?.focus();
          }}
        >
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      )}
    </div>
  );
};

const IdleHint = () => <p className="px-3 py-6 text-sm text-pretty text-soft">{strings.idle}</p>;

const NoResults = ({ route, onClear }: { readonly route: SearchRoute; readonly onClear: () => void }) => (
  <div className="grid justify-items-start gap-3 px-3 text-sm text-soft">
    {countFilters(route) > 0 ? (
      <>
        <p>{strings.tryWithoutFilters}</p>
        <button type="button" className="plain-button" onClick={onClear}>
          {strings.searchEverywhere}
        </button>
      </>
    ) : (
      <p>{strings.tryFewerWords}</p>
    )}
  </div>
);

const Group = ({ group: { parent, hits } }: { readonly group: HitGroup }) => {
  const { projects } = usePage();
  const all = useSignal(projects.state).projects;
  const now = useNow();
  const projectId = parent.in === "project" ? parent.projectId : parent.thread.projectId;
  const name = all.find(({ id }) => id === projectId)?.name;
  const isThread = parent.in === "thread";
  const title = isThread ? parent.thread.title || strings.newThread : (name ?? strings.project);
  const Icon = isThread ? MessageSquare : FolderKanban;
  return (
    <section aria-label={title} className="pb-5">
      <h2 className="flex min-w-0 items-center gap-2 px-3 pb-1 text-sm">
        <Icon aria-hidden="true" className="size-4 flex-none text-accent" />
        <a
          dir="auto"
          href={isThread ? toPath(parent.thread.id) : toProjectPath(parent.projectId)}
          className="min-w-0 truncate rounded font-semibold underline-offset-2 hover:underline"
        >
          {title}
        </a>
        {isThread && name !== undefined && (
          <span dir="auto" className="min-w-0 max-w-[40%] truncate text-xs text-soft">
            {name}
          </span>
        )}
        {isThread && parent.thread.archived && (
          <span className="flex flex-none items-center gap-1 text-xs text-soft">
            <Archive aria-hidden="true" className="size-3" />
            {strings.archived}
          </span>
        )}
      </h2>
      <ul className="grid gap-0.5">
        {hits.map((hit) => (
          <li key={toHitKey(hit)} className="min-w-0">
            <HitLine hit={hit} now={now} isUnderThread={isThread} />
          </li>
        ))}
      </ul>
    </section>
  );
};

const More = ({ state, onMore }: { readonly state: SearchState; readonly onMore: () => void }) => {
  if (state.phase !== "found" || state.hits.length < state.limit) return null;
  if (state.limit < maxLimit)
    return (
      <button type="button" className="plain-button mx-auto flex" onClick={onMore}>
        {strings.showMore}
      </button>
    );
  return <p className="px-3 text-sm text-soft">{strings.limitReached(maxLimit)}</p>;
};
