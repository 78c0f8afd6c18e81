import { X } from "lucide-react";
import { Suspense, useCallback, useEffect, useMemo, useState, type ReactNode } from "react";
import { useDeleteTemporary } from "./delete-temporary.ts";
import { hideButtonId, Sidebar } from "./sidebar.tsx";
import type { SheetRoute } from "../state/panels.ts";
import { ToastList } from "../ui/toast-list.tsx";
import { useSelected, useSignal, type Signal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { AttentionNotes, useTabTitle } from "./attention.tsx";
import { useLateLoads } from "./late-loads.ts";
import { takeSharedId } from "../state/device/shared-content.ts";
import { beginTab, type Route, toSettingsPath } from "../state/route.ts";
import { StartPage } from "../thread/start-page.tsx";
import { ThreadPage } from "../thread/thread-page.tsx";
import { DrawerContext, drawerButtonId } from "../ui/drawer-button.tsx";
import { PaneWidthContext, ResizablePane } from "../ui/split-handle.tsx";
import { bufferKeys } from "../state/buffered-keys.ts";
import { focusSoon } from "../lib/focus-soon.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { shell as strings } from "../strings/shell.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { accountChunk, lazyChunk } from "../lib/lazy-chunk.ts";
import { useMedia } from "../lib/use-media.ts";
import { composerFieldId } from "../composer/composer.tsx";
import { searchFieldId } from "../search/search-field.tsx";
import { everywhere, type ShortcutName } from "../labels/shortcuts.ts";

const LateView = lazyChunk(() => import("../context/lazy-view.tsx"));
const Palette = lazyChunk(() => import("../palette/palette.tsx"));
const ThreadSheet = lazyChunk(() => import("../share/thread-sheet.tsx"));
const SharedSheet = lazyChunk(() => import("./shared-sheet.tsx"));
const Drawer = lazyChunk(() => import("./drawer.tsx"));
const SettingsPage = lazyChunk(() => import("../settings/settings-page.tsx"));
const SearchView = lazyChunk(() => import("../search/search-view.tsx"));
const SignIn = accountChunk(() => import("../account/sign-in.tsx"));
const ProjectPage = lazyChunk(() => import("../project/project-page.tsx"));

export const App = () => {
  const { session, list, route: routeSignal } = usePage();
  const { phase } = useSignal(session.state);
  const route = useSignal(routeSignal);
  useEffect(() => {
    void session.load();
    list.open();
  }, [session, list]);
  useLateLoads(route.threadId !== null);
  useDocumentTitle();
  if (phase === "signed-out")
    return (
      <Suspense>
        <SignIn />
      </Suspense>
    );
  return (
    <Frame route={route}>
      <ErrorBoundary resetKey={route}>
        <CurrentPage route={route} />
      </ErrorBoundary>
    </Frame>
  );
};

const CurrentPage = ({ route: { threadId, project, settings, search } }: { readonly route: Route }) => {
  if (threadId !== null) return <ThreadPage key={threadId} threadId={threadId} />;
  if (search !== null)
    return (
      <Suspense>
        <SearchView route={search} />
      </Suspense>
    );
  if (settings !== null)
    return (
      <Suspense>
        <SettingsPage route={settings} />
      </Suspense>
    );
  if (project === null) return <StartPage key="" />;
  const { projectId, tab, entityId } = project;
  if (tab === beginTab) return <StartPage key={`${projectId} ${entityId}`} project={project} />;
  return (
    <Suspense>
      <ProjectPage key={projectId} route={project} />
    </Suspense>
  );
};

type FrameProps = { readonly route: Route; readonly children: ReactNode };

const Frame = ({ route, children }: FrameProps) => {
  const [isOpen, setOpen] = useState(false);
  const [sharedId, setSharedId] = useState(takeSharedId);
  const isWide = useIsWide();
  const { sheet, sidebar, toasts, storage } = usePage();
  const [isHidden, setHidden] = useHiddenSidebar(isWide);
  const open = useCallback(() => (isWide ? setHidden(false) : setOpen(true)), [isWide, setHidden]);
  const hide = useCallback(() => setHidden(true), [setHidden]);
  const drawer = useMemo(() => ({ open, isHidden }), [open, isHidden]);
  const openSheet = useSignal(sheet);
  const view = useSignal(sidebar);
  useShortcuts(open, isWide && !isHidden ? hide : open);
  useDeleteTemporary();
  useEffect(() => setOpen(false), [route, openSheet]);
  // A view that was chosen elsewhere opens the drawer, so that the user sees it.
  useEffect(() => {
    if (view !== "threads") open();
  }, [view, open]);
  useEffect(() => {
    if (!isWide && !isOpen) sidebar.set("threads");
  }, [isWide, isOpen, sidebar]);
  return (
    <DrawerContext value={drawer}>
      <PaneWidthContext value={storage}>
        <div className="flex h-full">
          {isWide && !isHidden && (
            <ResizablePane
              name="sidebar"
              edge="start"
              least={leastSidebarPx}
              aria-label={strings.sidebar.label}
              handleLabel={strings.sidebar.width}
              className="w-72 lg:w-80"
            >
              <Sidebar onHide={hide} />
            </ResizablePane>
          )}
          <Suspense>{isOpen && !isWide && <Drawer onClose={() => setOpen(false)} />}</Suspense>
          <main className="flex h-full min-w-0 flex-1 flex-col">{children}</main>
          <ThreadSidePanel threadId={route.threadId} />
          <Suspense>{openSheet && <OpenSheet route={openSheet} onClose={() => sheet.set(null)} />}</Suspense>
          {(isWide ? isHidden : !isOpen) && (
            <ToastList
              toasts={toasts}
              className="pointer-events-none fixed inset-x-4 bottom-[max(9rem,env(safe-area-inset-bottom))] z-30"
            />
          )}
          <Suspense>{sharedId !== null && <SharedSheet id={sharedId} onClose={() => setSharedId(null)} />}</Suspense>
          <AttentionNotes />
          <ErrorNotice />
          <Confirmation />
        </div>
      </PaneWidthContext>
    </DrawerContext>
  );
};

const OpenSheet = ({ route, onClose }: { readonly route: SheetRoute; readonly onClose: () => void }) => {
  switch (route.kind) {
    case "palette":
      return <Palette onClose={onClose} />;
    case "share":
    case "rename":
    case "delete":
      return <ThreadSheet route={route} onClose={onClose} />;
    default:
      return <LateView route={route} onClose={onClose} />;
  }
};

/** The panel next to the thread: loaded on first use, closed when the thread changes. */
const ThreadSidePanel = ({ threadId }: { readonly threadId: string | null }) => {
  const { sidePanel } = usePage();
  const route = useSignal(sidePanel);
  const close = useCallback(() => sidePanel.set(null), [sidePanel]);
  const isElsewhere = route !== null && route.threadId !== threadId;
  useEffect(() => {
    if (isElsewhere) close();
  }, [isElsewhere, close]);
  return <Suspense>{route && !isElsewhere && <LateView route={route} onClose={close} />}</Suspense>;
};

const errorMs = 8000;
const confirmationMs = 5000;

/** A text that is cleared after some time. */
function useExpiring(signal: Signal<string | null>, ms: number): string | null {
  const text = useSignal(signal);
  useEffect(() => {
    if (text === null) return;
    const timer = setTimeout(() => signal.set(null), ms);
    return () => clearTimeout(timer);
  }, [signal, text, ms]);
  return text;
}

/** The last error as the server worded it. */
const ErrorNotice = () => {
  const { errorMessage } = usePage();
  const text = useExpiring(errorMessage, errorMs);
  return (
    <div role="alert" className="fixed inset-x-4 top-4 z-50 mx-auto w-fit max-w-lg">
      {text !== null && (
        <p className="flex animate-rise items-start gap-2 rounded-xl bg-danger-wash py-2 ps-4 pe-2 text-sm shadow-float">
          <span className="py-1">{text}</span>
          <IconButton label={strings.dismiss} className="size-7" onClick={() => errorMessage.set(null)}>
            <X aria-hidden="true" className="size-4" />
          </IconButton>
        </p>
      )}
    </div>
  );
};

const Confirmation = () => {
  const text = useExpiring(usePage().note, confirmationMs);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-4 top-[calc(3.5rem+env(safe-area-inset-top))] z-50 mx-auto w-fit max-w-lg"
    >
      {text !== null && (
        <p className="animate-rise rounded-2xl bg-raised px-4 py-2 text-sm shadow-float wrap-anywhere">{text}</p>
      )}
    </div>
  );
};

/** Sets the document title to the open thread, project or section. */
function useDocumentTitle(): void {
  const { route, list, projects } = usePage();
  const threadId = useSelected(route, (now) => now.threadId);
  const title = useSelected(list.state, ({ view }) => view.threads.find((thread) => thread.id === threadId)?.title);
  const projectId = useSelected(route, (now) => now.project?.projectId);
  const name = useSelected(projects.state, (state) => state.projects.find((project) => project.id === projectId)?.name);
  const isSettings = useSelected(route, (now) => now.settings !== null);
  const isSearch = useSelected(route, (now) => now.search !== null);
  const page = isSearch ? strings.pages.search : isSettings ? strings.pages.settings : (title ?? name);
  useTabTitle(page ? strings.documentTitle(page) : strings.app);
}

/** Whether the sidebar fits next to the thread. */
const useIsWide = (): boolean => useMedia("(min-width: 48rem)");

const hiddenKey = "sidebar.hidden";
const leastSidebarPx = 220;

/** Whether the user has hidden the sidebar of a wide page. The focus moves between the two buttons that change it. */
function useHiddenSidebar(isWide: boolean): readonly [boolean, (isHidden: boolean) => void] {
  const { storage } = usePage();
  const [isHidden, setHidden] = useState(() => storage.get(hiddenKey) !== null);
  const change = useCallback(
    (next: boolean) => {
      storage.set(hiddenKey, next ? "1" : null);
      const isInside = document.activeElement?.closest(`#${hideButtonId}, #${drawerButtonId}`) !== null;
      setHidden(next);
      if (isInside) focusSoon(() => document.getElementById(next ? drawerButtonId : hideButtonId));
    },
    [storage],
  );
  return [isWide && isHidden, change];
}

const names = new Map<string, ShortcutName>(
  (Object.keys(everywhere) as ShortcutName[]).map((name) => [everywhere[name].press, name]),
);

/** Global keyboard shortcuts. */
function useShortcuts(openDrawer: () => void, toggleSidebar: () => void): void {
  const { go, goTo, route, commands, sheet } = usePage();
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing || !(event.ctrlKey || event.metaKey)) return;
      const name = names.get(`${event.shiftKey ? "shift " : ""}${event.key.toLowerCase()}`);
      if (!name) return;
      event.preventDefault();
      acts[name]();
    };
    const acts: Readonly<Record<ShortcutName, () => void>> = {
      palette: () => {
        const isOpen = () => sheet.get()?.kind === "palette";
        if (isOpen()) return sheet.set(null);
        // The palette may have to be loaded first.
        bufferKeys(isOpen, () => sheet.set(null));
        sheet.set({ kind: "palette" });
      },
      search: () => focusSearch(openDrawer),
      startThread: () => {
        goTo(null);
        focusSoon(() => document.getElementById(composerFieldId));
      },
      write: () => document.getElementById(composerFieldId)?.focus(),
      stop: () => {
        const { threadId } = route.get();
        if (threadId) void commands.stop(threadId);
      },
      settings: () => go(toSettingsPath()),
      sidebar: toggleSidebar,
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  }, [go, goTo, route, commands, sheet, openDrawer, toggleSidebar]);
}

function focusSearch(openDrawer: () => void): void {
  const field = document.getElementById(searchFieldId);
  if (field) return field.focus();
  openDrawer();
  focusSoon(() => document.getElementById(searchFieldId));
}
