import { Archive, ArrowLeft, Search, SquarePen, X } from "lucide-react";
import { useRef, useState, type KeyboardEvent } from "react";
import { toPath } from "../state/route.ts";
import { Bird } from "../ui/bird.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { SearchHits } from "./search-hits.tsx";
import { SidebarFoot } from "./sidebar-foot.tsx";
import { ThreadList } from "./thread-list.tsx";
import { useSearch } from "./use-search.ts";

export const searchFieldId = "search-threads";

/** The whole left side: find, start, and choose a thread. */
export const Sidebar = () => {
  const [query, setQuery] = useState("");
  const [archived, setArchived] = useState(false);
  const search = useSearch(query);
  return (
    <div className="flex h-full min-h-0 flex-col bg-sunk">
      <header className="flex items-center gap-2 px-4 pt-[max(0.9rem,env(safe-area-inset-top))] pb-2">
        <a href={toPath(null)} className="flex items-center gap-2 rounded-lg font-serif text-lg tracking-tight">
          <Bird />
          Stonechat
        </a>
        <a href={toPath(null)} aria-label="New thread" title="New thread (Ctrl Shift O)" className="icon-button ms-auto">
          <SquarePen aria-hidden="true" className="size-4.5" />
        </a>
      </header>
      <SearchField query={query} onChange={setQuery} />
      {archived && query === "" && (
        <button
          type="button"
          className="mx-3 mb-1 flex items-center gap-2 rounded-lg px-2 py-1.5 text-sm font-medium hover:bg-hover"
          onClick={() => setArchived(false)}
        >
          <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" />
          Archived threads
        </button>
      )}
      {query.trim() === "" ? <ThreadList archived={archived} /> : <SearchHits state={search} />}
      <SidebarFoot>
        <IconButton label="Archived threads" aria-pressed={archived} onClick={() => setArchived(!archived)}>
          <Archive aria-hidden="true" className="size-4.5" />
        </IconButton>
      </SidebarFoot>
    </div>
  );
};

const SearchField = ({ query, onChange }: { readonly query: string; readonly onChange: (query: string) => void }) => {
  const field = useRef<HTMLInputElement>(null);
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Escape") onChange("");
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    document.querySelector<HTMLElement>("[data-row]")?.focus();
  };
  return (
    <div role="search" className="relative mx-3 mb-2">
      <Search aria-hidden="true" className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-soft" />
      <input
        ref={field}
        id={searchFieldId}
        type="text"
        enterKeyHint="search"
        dir="auto"
        aria-label="Search threads"
        placeholder="Search"
        maxLength={200}
        value={query}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-9 w-full rounded-xl bg-hover ps-9 pe-9 text-sm placeholder:text-soft"
      />
      {query !== "" && (
        <IconButton
          label="Clear search"
          className="absolute end-1 top-1 size-7"
          onClick={() => {
            onChange("");
            field.current?.focus();
          }}
        >
          <X aria-hidden="true" className="size-4" />
        </IconButton>
      )}
    </div>
  );
};
