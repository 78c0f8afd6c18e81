import {
  Archive,
  ArrowLeft,
  SquarePen,
  Brain,
  ChartNoAxesColumn,
  Command,
  LogOut,
  Monitor,
  Moon,
  Settings,
  Sun,
} from "lucide-react";
import { Suspense, useState, type ReactNode } from "react";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toPath, toSettingsPath } from "../state/route.ts";
import { Bird } from "../ui/bird.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { SearchField } from "../search/search-field.tsx";
import { shell as strings } from "../strings/shell.ts";
import { CreateMenu } from "./create-menu.tsx";
import { ThreadList } from "../list/thread-list.tsx";
import { ToastList } from "../ui/toast-list.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { useLook, type Look } from "../state/look.ts";

const SearchHits = lazyChunk(() => import("../search/search-hits.tsx"));
const ProjectSection = lazyChunk(() => import("../project/project-section.tsx"));

/** The sidebar: search, new thread, projects and threads. */
export const Sidebar = () => {
  const [query, setQuery] = useState("");
  const { sidebar, toasts } = usePage();
  const archived = useSignal(sidebar) === "archived";
  return (
    <div className="flex h-full min-h-0 flex-col bg-sunk">
      <header className="flex items-center gap-2 px-4 pt-[max(0.9rem,env(safe-area-inset-top))] pb-2">
        <a href={toPath(null)} className="flex items-center gap-2 rounded-lg font-serif text-lg tracking-tight">
          <Bird />
          {strings.app}
        </a>
        <a
          href={toPath(null)}
          aria-label={strings.newThread.label}
          title={strings.newThread.hint}
          className="icon-button ms-auto"
        >
          <SquarePen aria-hidden="true" className="size-4.5" />
        </a>
        <CreateMenu />
      </header>
      <SearchField query={query} onChange={setQuery} />
      {archived && query === "" && (
        <button
          type="button"
          className="mx-3 mb-1 flex items-center gap-2 rounded-lg px-2 py-1.5 text-sm font-medium hover:bg-hover"
          onClick={() => sidebar.set("threads")}
        >
          <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" />
          {strings.sidebar.archived}
        </button>
      )}
      {query.trim() === "" ? (
        <>
          {/* Same height as the loaded section, so that nothing moves under the pointer. */}
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
      <ToastList toasts={toasts} className="flex-none px-2" />
      <SidebarFoot>
        <IconButton
          label={strings.sidebar.archived}
          aria-pressed={archived}
          onClick={() => sidebar.set(archived ? "threads" : "archived")}
        >
          <Archive aria-hidden="true" className="size-4.5" />
        </IconButton>
      </SidebarFoot>
    </div>
  );
};

const SidebarFoot = ({ children }: { readonly children: ReactNode }) => {
  const { client, session, sheet } = usePage();
  const state = useSignal(session.state);
  const signOut = () => void client.signOut({ params: {}, body: {} }).finally(session.signOut);
  return (
    <footer className="flex items-center gap-1 px-3 pt-1 pb-[max(0.6rem,env(safe-area-inset-bottom))]">
      <IconButton
        label={strings.sidebar.palette}
        hint={strings.sidebar.paletteHint}
        onClick={() => sheet.set({ kind: "palette" })}
      >
        <Command aria-hidden="true" className="size-4.5" />
      </IconButton>
      {children}
      <IconButton label={strings.sidebar.memory} onClick={() => sheet.set({ kind: "memory" })}>
        <Brain aria-hidden="true" className="size-4.5" />
      </IconButton>
      <IconButton label={strings.sidebar.usage} onClick={() => sheet.set({ kind: "usage" })}>
        <ChartNoAxesColumn aria-hidden="true" className="size-4.5" />
      </IconButton>
      <ThemeButton />
      <a
        href={toSettingsPath()}
        aria-label={strings.sidebar.settings}
        title={strings.sidebar.settingsHint}
        className="icon-button"
      >
        <Settings aria-hidden="true" className="size-4.5" />
      </a>
      {state.phase === "signed-in" && state.me.signIn === "token" && (
        <IconButton label={strings.sidebar.signOut} className="ms-auto" onClick={signOut}>
          <LogOut aria-hidden="true" className="size-4.5" />
        </IconButton>
      )}
    </footer>
  );
};

const themes: Readonly<Record<Look<"theme">, { readonly Icon: typeof Sun; readonly next: Look<"theme"> }>> = {
  system: { Icon: Monitor, next: "light" },
  light: { Icon: Sun, next: "dark" },
  dark: { Icon: Moon, next: "system" },
};

const ThemeButton = () => {
  const [theme, setTheme] = useLook("theme");
  const { Icon, next } = themes[theme];
  return (
    <IconButton label={strings.sidebar.theme(theme, next)} onClick={() => setTheme(next)}>
      <Icon aria-hidden="true" className="size-4.5" />
    </IconButton>
  );
};
