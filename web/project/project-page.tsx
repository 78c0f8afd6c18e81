import { CloudOff, MessageSquarePlus } from "lucide-react";
import { Suspense, useEffect, useMemo, type ReactNode } from "react";
import { kinds } from "../../protocol/project/kinds.ts";
import { DrawerButton } from "../ui/drawer-button.tsx";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { beginTab, toProjectPath, type ProjectRoute } from "../state/route.ts";
import { LinkNote } from "../ui/link-note.tsx";
import { StaleSheet } from "./stale-sheet.tsx";
import { ToastList } from "../ui/toast-list.tsx";
import { Board } from "./board/board.tsx";
import { Documents } from "./documents/documents.tsx";
import { EntityPanel } from "./entity/entity-panel.tsx";
import { KindList } from "./entity/kind-list.tsx";
import { Graph } from "./board/graph.tsx";
import { Overview } from "./overview.tsx";
import { Missing } from "../ui/missing.tsx";
import { Settings } from "./settings.tsx";
import { getOpenProject, ProjectContext, useProject } from "../state/project/project-context.ts";
import { Timeline } from "./board/timeline.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";
import type { Act } from "../../protocol/project/project.ts";
import { useNow } from "../lib/use-now.ts";
import { Failed, Quiet, Section, Waiting } from "../ui/section.tsx";
import { describeDay, toToday } from "../lib/dates.ts";
import { AddFiles, UploadList } from "./add-files.tsx";
import { ActRow } from "./act-row.tsx";
import { useActs } from "./use-acts.ts";
import { actions } from "../strings/actions.ts";
import { project as strings } from "../strings/project/page.ts";

/** The file editor is large, so it is loaded on demand. */
const WorkspacePage = lazyChunk(() => import("../workspace/workspace-page.tsx"));

const tabs = ["overview", "tasks", "timeline", "documents", "graph", "files", "activity", "settings"] as const;

/** A project's page. It follows the project's stream while it is open; each view loads its own data. */
const ProjectPage = ({ route }: { readonly route: ProjectRoute }) => {
  const page = usePage();
  const { projectId, tab, entityId } = route;
  const open = useMemo(() => getOpenProject(page, projectId), [page, projectId]);
  useEffect(() => open.feed.open(), [open]);
  const state = useSignal(open.feed.state);
  const link = useSignal(open.feed.link);
  const known = useSignal(page.projects.state).projects.find(({ id }) => id === projectId);
  const name = state.phase === "ready" ? state.project.name : (known?.name ?? "");
  useEffect(() => void page.projects.load(), [page]);
  if (state.phase === "gone" || state.phase === "failed")
    return <Missing what="project" state={state} onRetry={() => open.feed.reload()} />;
  const close = () => page.go(toProjectPath(projectId, tab));
  return (
    <ProjectContext value={open}>
      <div className="flex min-h-0 flex-1">
        <div className="flex min-h-0 min-w-0 flex-1 flex-col">
          <header className="flex h-13 flex-none items-center gap-2 px-3 pt-[env(safe-area-inset-top)] sm:ps-8 sm:pe-5">
            <DrawerButton />
            <h1 dir="auto" className="min-w-0 flex-1 truncate font-serif text-2xl tracking-tight">
              {name}
            </h1>
            <LinkNote isWaiting={link === "waiting"} />
            <AddFiles as={tab === "files" ? "file" : "document"} />
            <a
              href={toProjectPath(projectId, beginTab)}
              aria-label={strings.newThreadHere}
              className="plain-button flex-none"
            >
              <MessageSquarePlus aria-hidden="true" className="size-4" />
              <span className="max-sm:hidden">{strings.newThread}</span>
            </a>
          </header>
          <Tabs route={route} />
          <UploadList />
          {renderTab(route)}
        </div>
        {entityId !== null && tab !== "documents" && <EntityPanel key={entityId} entityId={entityId} onClose={close} />}
      </div>
      <UndoToast />
      <StaleSheet />
    </ProjectContext>
  );
};

export default ProjectPage;

function renderTab({ projectId, tab, entityId, file }: ProjectRoute): ReactNode {
  switch (tab) {
    case "tasks":
      return <Board kind="task" openId={entityId} />;
    case "timeline":
    case "events":
      return <Timeline />;
    case "documents":
      return <Documents openId={entityId} />;
    case "graph":
      return <Graph />;
    case "files":
      return (
        <Suspense>
          <WorkspacePage projectId={projectId} path={file ?? null} />
        </Suspense>
      );
    case "activity":
      return (
        <Scrolled label={strings.tabs.activity}>
          <Activity />
        </Scrolled>
      );
    case "settings":
      return (
        <Scrolled label={strings.tabs.settings}>
          <Settings />
        </Scrolled>
      );
    default: {
      const kind = kinds.find(({ plural }) => plural === tab);
      if (kind) return <KindList key={kind.name} kind={kind.name} />;
      return (
        <Scrolled label={strings.tabs.overview}>
          <Overview />
        </Scrolled>
      );
    }
  }
}

const Scrolled = ({ label, children }: { readonly label: string; readonly children: ReactNode }) => (
  <div
    role="region"
    aria-label={label}
    tabIndex={0}
    className="min-h-0 flex-1 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
  >
    {children}
  </div>
);

/** On a phone not all tabs fit: scrolls to the current one. */
const showTab = (link: HTMLAnchorElement | null) => link?.scrollIntoView({ block: "nearest", inline: "center" });

const Tabs = ({ route: { projectId, tab } }: { readonly route: ProjectRoute }) => (
  <nav
    aria-label={strings.views}
    className="mb-2 flex flex-none gap-1 overflow-x-auto overscroll-x-contain px-3 py-1 [scrollbar-width:none] sm:px-6"
  >
    {tabs.map((one) => (
      <a
        key={one}
        href={toProjectPath(projectId, one)}
        ref={one === tab ? showTab : null}
        aria-current={one === tab ? "page" : undefined}
        className={`flex h-9 flex-none items-center rounded-xl px-3 text-sm transition-colors ${one === tab ? "bg-press font-medium" : "text-soft hover:bg-hover hover:text-ink"}`}
      >
        {strings.tabs[one]}
      </a>
    ))}
  </nav>
);

/** The project's activity by day. */
const Activity = () => {
  const { phase, text, acts, hasMore, more, reload } = useActs();
  const now = useNow();
  const days = [...Map.groupBy(acts, ({ createdAt }) => toToday(createdAt))];
  return (
    <div className="mx-auto grid w-full max-w-3xl gap-6 px-4 pt-2 pb-24 sm:px-8">
      {phase === "loading" && <Waiting />}
      {phase === "failed" && <Failed text={text} onRetry={reload} />}
      {phase === "ready" && acts.length === 0 && <Quiet>{strings.activity.empty}</Quiet>}
      {days.map(([day, list]) => (
        <Section key={day} title={toDayName(list, now)}>
          {list.map((act) => (
            <ActRow key={act.id} act={act} now={now} />
          ))}
        </Section>
      ))}
      {hasMore && (
        <button type="button" className="plain-button justify-self-center" onClick={more}>
          {strings.activity.showEarlier}
        </button>
      )}
    </div>
  );
};

const toDayName = ([first]: readonly Act[], now: number): string =>
  first ? describeDay(first.createdAt, now).replace(/ \d\d:\d\d$/, "") : "";

/** The last change to the project with its undo, and a warning while changes cannot be sent. */
const UndoToast = () => {
  const { writer } = useProject();
  const stalled = useSignal(writer.stalled);
  const waiting = useSignal(writer.waiting);
  return (
    <ToastList
      toasts={writer.toasts}
      className="pointer-events-none fixed inset-x-4 bottom-[max(1rem,env(safe-area-inset-bottom))] z-30 justify-items-center *:max-w-lg"
    >
      {stalled !== null && (
        <p className="pointer-events-auto flex animate-rise items-center gap-2 rounded-2xl bg-warn-wash py-1.5 ps-4 pe-2 text-sm shadow-float">
          <CloudOff aria-hidden="true" className="size-4 flex-none" />
          <span className="min-w-0 flex-1">{strings.unsaved(waiting, stalled)}</span>
          <button type="button" className="plain-button min-h-8" onClick={() => writer.retry()}>
            {actions.retry}
          </button>
        </p>
      )}
    </ToastList>
  );
};
