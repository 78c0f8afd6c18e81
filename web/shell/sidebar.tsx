import { Archive, ArrowLeft, SquarePen } from "lucide-react";
import { Suspense, useState } from "react";
import { useSignal } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { Bird } from "../ui/bird.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { SearchField } from "../search/search-field.tsx";
import { BeginMenu } from "./begin-menu.tsx";
import { SidebarFoot } from "./sidebar-foot.tsx";
import { ThreadList } from "../list/thread-list.tsx";
import { UndoToasts } from "../list/undo-toasts.tsx";
import { lazyChunk } from "../ui/lazy-chunk.ts";

const SearchHits = lazyChunk(() => import("../search/search-hits.tsx"));
const ProjectSection = lazyChunk(() => import("../project/project-section.tsx"));

/** The whole left side: find, start, and choose a thread or a project. */
export const Sidebar = () => {
  const [query, setQuery] = useState("");
  const { sidebar } = usePage();
  const archived = useSignal(sidebar) === "archived";
  return (
    <div className="flex h-full min-h-0 flex-col bg-sunk">
      <header className="flex items-center gap-2 px-4 pt-[max(0.9rem,env(safe-area-inset-top))] pb-2">
        <a href={toPath(null)} className="flex items-center gap-2 rounded-lg font-serif text-lg tracking-tight">
          <Bird />
          Stonechat
        </a>
        <a
          href={toPath(null)}
          aria-label="New thread"
          title="New thread (Ctrl Shift O)"
          className="icon-button ms-auto"
        >
          <SquarePen aria-hidden="true" className="size-4.5" />
        </a>
        <BeginMenu />
      </header>
      <SearchField query={query} onChange={setQuery} />
      {archived && query === "" && (
        <button
          type="button"
          className="mx-3 mb-1 flex items-center gap-2 rounded-lg px-2 py-1.5 text-sm font-medium hover:bg-hover"
          onClick={() => sidebar.set("threads")}
        >
          <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" />
          Archived threads
        </button>
      )}
      {query.trim() === "" ? (
        <>
          {/* As tall as what comes, so that nothing moves under a pointer. */}
          <Suspense fallback={<div className="h-9 flex-none pointer-coarse:h-12" />}>
            <ProjectSection archived={archived} />
          </Suspense>
          <ThreadList archived={archived} />
        </>
      ) : (
        <Suspense fallback={<div className="flex-1" />}>
          <SearchHits query={query} />
        </Suspense>
      )}
      <UndoToasts className="flex-none px-2" />
      <SidebarFoot>
        <IconButton
          label="Archived threads"
          aria-pressed={archived}
          onClick={() => sidebar.set(archived ? "threads" : "archived")}
        >
          <Archive aria-hidden="true" className="size-4.5" />
        </IconButton>
      </SidebarFoot>
    </div>
  );
};
