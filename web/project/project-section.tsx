import { ChevronRight, FolderKanban, MessageSquarePlus, Plus, Users } from "lucide-react";
import { useEffect, useState } from "react";
import type { Project } from "../../protocol/project/project.ts";
import { useThreadDrop } from "../list/dragged-thread.ts";
import { moveAmongRows } from "../lib/row-keys.ts";
import { useSignal, useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { beginTab, toProjectPath } from "../state/route.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { ThreadRows } from "../list/thread-rows.tsx";
import { CreateProject } from "./create-project.tsx";
import { useProjectThreads } from "./use-project-threads.ts";
import { sumOverdue } from "./count-overdue.ts";
import { projectList as strings } from "../strings/project/list.ts";
import { members } from "../strings/project/members.ts";

const maxShown = 6;

/** The user's projects above the threads, with overdue counts. */
export const ProjectSection = ({ archived }: { readonly archived: boolean }) => {
  const { projects, sidebar, go } = usePage();
  const isAdding = useSignal(sidebar) === "new project";
  const { projects: all, phase } = useSignal(projects.state);
  const [showsAll, setShowsAll] = useState(false);
  useEffect(() => void projects.load(), [projects]);
  const listed = all.filter((project) => project.archived === archived);
  const shown = showsAll ? listed : listed.slice(0, maxShown);
  const overdue = useOverdue(archived ? none : shown);
  if (archived && listed.length === 0) return null;
  return (
    <nav
      aria-label={archived ? strings.archived : strings.title}
      onKeyDown={moveAmongRows}
      className="max-h-[45%] flex-none overflow-x-hidden overflow-y-auto px-2 pb-2"
    >
      <header className="flex items-center ps-3">
        <h2 className="flex-1 text-xs font-medium text-soft">{strings.title}</h2>
        {!archived && (
          <IconButton
            label={strings.new}
            className="size-7 pointer-coarse:size-10"
            onClick={() => sidebar.set("new project")}
          >
            <Plus aria-hidden="true" className="size-4" />
          </IconButton>
        )}
      </header>
      {isAdding && (
        <CreateProject
          look="px-1 pb-1"
          onLeave={() => sidebar.set("threads")}
          onCreated={(id) => {
            sidebar.set("threads");
            go(toProjectPath(id));
          }}
        />
      )}
      {phase === "failed" && <p className="px-3 py-1 text-sm text-soft">{strings.failed}</p>}
      <ul className="grid grid-cols-1 gap-0.5">
        {shown.map((project) => (
          <ProjectRow key={project.id} project={project} overdue={overdue.get(project.id) ?? 0} />
        ))}
      </ul>
      {listed.length > shown.length && (
        <button
          type="button"
          className="ms-1 rounded-lg px-2 py-1 text-xs text-soft hover:text-ink"
          onClick={() => setShowsAll(true)}
        >
          {strings.showAll(listed.length)}
        </button>
      )}
    </nav>
  );
};

const none: readonly Project[] = [];

type RowProps = { readonly project: Project; readonly overdue: number };

const ProjectRow = ({ project: { id, name, role }, overdue }: RowProps) => {
  const { route, storage, list, threadActions } = usePage();
  const key = `group.${id}`;
  const isCurrent = useSelected(route, ({ project }) => project?.projectId === id);
  const threadId = useSelected(route, (now) => now.threadId);
  const hasCurrentThread = useSelected(list.state, ({ view }) =>
    view.threads.some((thread) => thread.id === threadId && thread.projectId === id),
  );
  const [isExpanded, setExpanded] = useState(() => storage.get(key) === "open");
  useEffect(() => {
    if (hasCurrentThread) setExpanded(true);
  }, [hasCurrentThread]);
  const toggle = () => {
    storage.set(key, isExpanded ? null : "open");
    setExpanded(!isExpanded);
  };
  const { isOver, target } = useThreadDrop((dropped) => {
    const thread = list.state.get().view.threads.find((one) => one.id === dropped);
    if (thread) void threadActions.move(thread, id);
  });
  return (
    <li {...target} className={`rounded-xl ${isOver ? "bg-accent-wash ring-2 ring-accent ring-inset" : ""}`}>
      <div
        className={`group/project flex items-center rounded-xl pe-1 ${isCurrent ? "bg-press" : "hover:bg-hover focus-within:bg-hover"}`}
      >
        <button
          type="button"
          aria-label={strings.threads(name)}
          aria-expanded={isExpanded}
          className="grid size-7 flex-none place-items-center rounded-lg text-soft hover:text-ink pointer-coarse:size-10"
          onClick={toggle}
        >
          <ChevronRight
            aria-hidden="true"
            className={`size-4 transition-transform rtl:-scale-x-100 ${isExpanded ? "rotate-90" : ""}`}
          />
        </button>
        <a
          href={toProjectPath(id)}
          data-row={id}
          aria-current={isCurrent ? "page" : undefined}
          className="flex min-h-9 min-w-0 flex-1 items-center gap-2 rounded-lg pe-1 text-sm pointer-coarse:min-h-11"
        >
          <FolderKanban aria-hidden="true" className="size-4 flex-none text-soft" />
          <span className={`min-w-0 flex-1 truncate ${isCurrent ? "font-semibold" : "font-medium"}`}>
            <bdi>{name}</bdi>
          </span>
          {role !== undefined && (
            <Users role="img" aria-label={members.sharedProject} className="size-3.5 flex-none text-soft" />
          )}
          {overdue > 0 && (
            <span className="flex-none text-xs text-danger tabular-nums">
              <span aria-hidden="true">{overdue}</span>
              <span className="sr-only">{strings.overdue(overdue)}</span>
            </span>
          )}
        </a>
        <a
          href={toProjectPath(id, beginTab)}
          aria-label={strings.newThread(name)}
          title={strings.newThreadHere}
          className="icon-button size-7 opacity-0 group-focus-within/project:opacity-100 group-hover/project:opacity-100 pointer-coarse:size-10 pointer-coarse:opacity-100"
        >
          <MessageSquarePlus aria-hidden="true" className="size-4" />
        </a>
      </div>
      {isExpanded && <GroupedThreads projectId={id} />}
    </li>
  );
};

/** The threads of one project. */
const GroupedThreads = ({ projectId }: { readonly projectId: string }) => {
  const threads = useProjectThreads(projectId);
  return (
    <div className="ps-5 pb-1">
      {threads.length === 0 ? (
        <p className="px-3 py-1 text-xs text-soft">{strings.noThreads}</p>
      ) : (
        <ThreadRows threads={threads} />
      )}
    </div>
  );
};

/** Overdue counts, requested one after the other when the page is idle, and again after changes. */
function useOverdue(projects: readonly Project[]): ReadonlyMap<string, number> {
  const { client } = usePage();
  const [counts, setCounts] = useState<ReadonlyMap<string, number>>(new Map());
  const key = projects.map(({ id, seq }) => `${id} ${seq}`).join();
  useEffect(() => {
    const controller = new AbortController();
    const load = async () => {
      for (const id of key.split(",").map((one) => one.split(" ")[0] ?? "")) {
        if (id === "" || controller.signal.aborted) return;
        const answer = await client.getProject({ params: { projectId: id } }, controller.signal).catch(() => null);
        if (!answer) continue;
        const late = sumOverdue(answer.counts);
        setCounts((before) => (before.get(id) === late ? before : new Map([...before, [id, late]])));
      }
    };
    const timer = setTimeout(() => void load(), idleMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [client, key]);
  return counts;
}

const idleMs = 600;
