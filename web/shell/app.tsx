import { X } from "lucide-react";
import { Suspense, useCallback, useEffect, useMemo, useState, type ReactNode, type FormEvent } from "react";
import { hideButtonId, Sidebar } from "./sidebar.tsx";
import type { SheetRoute } from "../state/panels.ts";
import { ToastList } from "../ui/toast-list.tsx";
import { loadMarkdown } from "../markdown/markdown.tsx";
import { useSelected, useSignal, type Signal } from "../lib/signal.ts";
import { usePage, type Page } from "../state/page.ts";
import { beginTab, type Route, toSettingsPath } from "../state/route.ts";
import { StartPage } from "../thread/start-page.tsx";
import { ThreadPage } from "../thread/thread-page.tsx";
import { DrawerContext, drawerButtonId } from "../ui/drawer-button.tsx";
import { PaneWidthContext, ResizablePane } from "../ui/split-handle.tsx";
import { focusSoon } from "../lib/focus-soon.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { shell as strings } from "../strings/shell.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import { toErrorText } from "../lib/use-load.ts";
import { Bird } from "../ui/bird.tsx";
import { useMedia } from "../lib/use-media.ts";
import { composerFieldId } from "../composer/composer.tsx";
import { searchFieldId } from "../search/search-field.tsx";
import { everywhere, type ShortcutName } from "../labels/shortcuts.ts";

const LateView = lazyChunk(() => import("../context/late-view.tsx"));
const Palette = lazyChunk(() => import("../palette/palette.tsx"));
const ThreadSheet = lazyChunk(() => import("../share/thread-sheet.tsx"));
const Drawer = lazyChunk(() => import("./drawer.tsx"));
const SettingsPage = lazyChunk(() => import("../settings/settings-page.tsx"));
const SearchView = lazyChunk(() => import("../search/search-view.tsx"));
const ProjectPage = lazyChunk(() => import("../project/project-page.tsx"));

export const App = () => {
  const { session, list, route: routeSignal } = usePage();
  const { phase } = useSignal(session.state);
  const route = useSignal(routeSignal);
  useEffect(() => {
    void session.load();
    list.open();
    loadMarkdown();
  }, [session, list]);
  useDocumentTitle();
  if (phase === "signed-out") return <SignIn />;
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
      className="pointer-events-none fixed inset-x-4 top-[max(1rem,env(safe-area-inset-top))] z-50 mx-auto w-fit max-w-lg"
    >
      {text !== null && (
        <p className="animate-rise rounded-2xl bg-raised px-4 py-2 text-sm shadow-float wrap-anywhere">{text}</p>
      )}
    </div>
  );
};

const tokenVariable = "STONECHAT_TOKEN";

/** Reloads the page after signing in, so that no data of another user stays in memory. */
const SignIn = () => {
  const { client } = usePage();
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = String(new FormData(event.currentTarget).get("token") ?? "").trim();
    if (token === "") return;
    setBusy(true);
    try {
      await client.signIn({ params: {}, body: { token } });
      location.reload();
    } catch (cause) {
      setError(toErrorText(cause));
      setBusy(false);
    }
  };
  return (
    <main className="grid h-full place-content-center px-6">
      <form onSubmit={(event) => void onSubmit(event)} className="grid w-80 max-w-full justify-items-center gap-4">
        <Bird className="size-14" />
        <h1 className="font-serif text-3xl tracking-tight">{strings.app}</h1>
        <label className="grid w-full gap-1.5 text-sm text-soft">
          {strings.signIn.token}
          <input
            name="token"
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            aria-invalid={error !== null}
            aria-describedby="sign-in-error"
            className="h-11 rounded-xl bg-raised px-3.5 text-base text-ink shadow-float"
          />
        </label>
        <p id="sign-in-error" role="alert" className="w-full text-sm text-danger empty:hidden">
          {error}
        </p>
        <button type="submit" disabled={busy} className="plain-button strong-button h-11 w-full">
          {busy ? strings.signIn.submitting : strings.signIn.submit}
        </button>
        <p className="text-center text-sm text-soft">
          {strings.signIn.hint} <code className="font-mono text-[0.8rem]">{tokenVariable}</code>
        </p>
      </form>
    </main>
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
  useEffect(() => {
    document.title = page ? strings.documentTitle(page) : strings.app;
  }, [page]);
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

/**
 * Deletes a temporary thread when the user leaves it or closes the page. Opening the settings does not count as leaving.
 * The server deletes temporary threads after a day, in case the page could not.
 */
function useDeleteTemporary(): void {
  const page = usePage();
  useEffect(() => {
    const { route, commands, drafts, outbox, note } = page;
    let shown = route.get().threadId;
    const leave = (threadId: string) => {
      for (const item of outbox.items.get()) if (item.threadId === threadId) outbox.discard(item.id);
      drafts.of(threadId).forget();
      void commands.deleteThread(threadId, false).then((isDone) => {
        if (isDone) note.set(strings.temporaryDeleted);
      });
    };
    const onRoute = () => {
      const { threadId, settings } = route.get();
      if (settings !== null || threadId === shown) return;
      const left = shown;
      shown = threadId;
      if (left !== null && isTemporary(page, left)) leave(left);
    };
    const onHide = () => {
      if (shown === null || !isTemporary(page, shown)) return;
      drafts.of(shown).forget();
      void commands.deleteThread(shown, false);
    };
    const unsubscribe = route.subscribe(onRoute);
    addEventListener("pagehide", onHide);
    return () => {
      unsubscribe();
      removeEventListener("pagehide", onHide);
    };
  }, [page]);
}

function isTemporary({ getFeed, outbox }: Page, threadId: string): boolean {
  const state = getFeed(threadId).state.get();
  if (state.phase === "ready" && state.view.thread) return state.view.thread.temporary;
  return outbox.items.get().some((item) => item.threadId === threadId && item.create?.temporary === true);
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
      palette: () => sheet.set(sheet.get()?.kind === "palette" ? null : { kind: "palette" }),
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
