import { Suspense, useCallback, useEffect, useState, type ReactNode } from "react";
import { Sidebar } from "./sidebar.tsx";
import type { Sheet } from "../context/places.ts";
import { UndoToasts } from "../list/undo-toasts.tsx";
import { loadMarkdown } from "../markdown/markdown.tsx";
import { useSignal } from "../state/cell.ts";
import { usePage } from "../state/page.ts";
import { beginTab, type Route } from "../state/route.ts";
import { StartPage } from "../thread/start-page.tsx";
import { ThreadPage } from "../thread/thread-page.tsx";
import { DrawerContext } from "./drawer-button.tsx";
import { SignIn } from "./sign-in.tsx";
import { Note } from "./note.tsx";
import { Trouble } from "./trouble.tsx";
import { useIsWide } from "./use-is-wide.ts";
import { useShortcuts } from "./use-shortcuts.ts";
import { useLeaving } from "./use-leaving.ts";
import { useTitle } from "./use-title.ts";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { lazyChunk } from "../ui/lazy-chunk.ts";

const LateView = lazyChunk(() => import("../context/late-view.tsx"));
const Palette = lazyChunk(() => import("../palette/palette.tsx"));
const ThreadSheet = lazyChunk(() => import("../share/thread-sheet.tsx"));
const Drawer = lazyChunk(() => import("./drawer.tsx"));
const SettingsPage = lazyChunk(() => import("../settings/settings-page.tsx"));
const SearchView = lazyChunk(() => import("../search/search-view.tsx"));
const ProjectPage = lazyChunk(() => import("../project/project-page.tsx"));

export const App = () => {
  const { session, list, route } = usePage();
  const { phase } = useSignal(session.state);
  const place = useSignal(route);
  useEffect(() => {
    void session.load();
    list.open();
    loadMarkdown();
  }, [session, list]);
  useTitle();
  if (phase === "signed-out") return <SignIn />;
  return (
    <Frame place={place}>
      <ErrorBoundary place={place}>
        <Shown place={place} />
      </ErrorBoundary>
    </Frame>
  );
};

const Shown = ({ place: { threadId, project, settings, search } }: { readonly place: Route }) => {
  if (threadId !== null) return <ThreadPage key={threadId} threadId={threadId} />;
  if (search !== null)
    return (
      <Suspense>
        <SearchView place={search} />
      </Suspense>
    );
  if (settings !== null)
    return (
      <Suspense>
        <SettingsPage place={settings} />
      </Suspense>
    );
  if (project === null) return <StartPage key="" />;
  const { projectId, tab, entityId } = project;
  if (tab === beginTab) return <StartPage key={`${projectId} ${entityId}`} project={project} />;
  return (
    <Suspense>
      <ProjectPage key={projectId} place={project} />
    </Suspense>
  );
};

type FrameProps = { readonly place: Route; readonly children: ReactNode };

const Frame = ({ place, children }: FrameProps) => {
  const [isOpen, setOpen] = useState(false);
  const open = useCallback(() => setOpen(true), []);
  const isWide = useIsWide();
  const { sheet, sidebar } = usePage();
  const lying = useSignal(sheet);
  const view = useSignal(sidebar);
  useShortcuts(open);
  useLeaving();
  useEffect(() => setOpen(false), [place, lying]);
  // What was asked for there is to be seen, and not when it is opened next.
  useEffect(() => {
    if (view !== "threads") setOpen(true);
  }, [view]);
  useEffect(() => {
    if (!isWide && !isOpen) sidebar.set("threads");
  }, [isWide, isOpen, sidebar]);
  return (
    <DrawerContext value={open}>
      <div className="flex h-full">
        {isWide && (
          <aside aria-label="Sidebar" className="w-72 flex-none lg:w-80">
            <Sidebar />
          </aside>
        )}
        <Suspense>{isOpen && !isWide && <Drawer onClose={() => setOpen(false)} />}</Suspense>
        <main className="flex h-full min-w-0 flex-1 flex-col">{children}</main>
        <Beside threadId={place.threadId} />
        <Suspense>{lying && <Lying place={lying} onClose={() => sheet.set(null)} />}</Suspense>
        {!isWide && !isOpen && (
          <UndoToasts className="pointer-events-none fixed inset-x-4 bottom-[max(9rem,env(safe-area-inset-bottom))] z-30" />
        )}
        <Trouble />
        <Note />
      </div>
    </DrawerContext>
  );
};

const Lying = ({ place, onClose }: { readonly place: Sheet; readonly onClose: () => void }) => {
  switch (place.kind) {
    case "palette":
      return <Palette onClose={onClose} />;
    case "share":
    case "rename":
    case "delete":
      return <ThreadSheet place={place} onClose={onClose} />;
    default:
      return <LateView place={place} onClose={onClose} />;
  }
};

/** What stands beside the thread is fetched with its first use, and goes with its thread. */
const Beside = ({ threadId }: { readonly threadId: string | null }) => {
  const { beside } = usePage();
  const place = useSignal(beside);
  const close = useCallback(() => beside.set(null), [beside]);
  const isElsewhere = place !== null && place.threadId !== threadId;
  useEffect(() => {
    if (isElsewhere) close();
  }, [isElsewhere, close]);
  return <Suspense>{place && !isElsewhere && <LateView place={place} onClose={close} />}</Suspense>;
};
