import { FolderKanban, Link2, ListTree, PencilLine, Plus, Trash2, type LucideIcon } from "lucide-react";
import { isEnded } from "../../../protocol/project/kinds.ts";
import { toProjectPath } from "../../state/route.ts";
import { nameCall, type ToolPart } from "../../labels/tools.ts";
import { joinList } from "../../lib/format.ts";
import { asRecord, numberAt, textAt } from "../../lib/read-json.ts";
import { createSignal, useSelected } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import type { ThreadState } from "../../state/thread-feed.ts";
import { useFacts, useUndone } from "../../sources/message-facts.ts";
import { ToolFrame } from "../../tools/tool-frame.tsx";
import { EntityLink } from "../entity-link.tsx";
import { DueMark, StateMark } from "../entity-marks.tsx";
import { readEntities } from "./read-acts.ts";
import { useState } from "react";
import { fromDay } from "../../lib/dates.ts";
import { useNow } from "../../lib/use-now.ts";
import { own } from "../../lib/own.ts";
import { projectThread as strings } from "../../strings/project/thread.ts";

const icons: Readonly<Record<string, LucideIcon>> = {
  create_entities: Plus,
  update_entities: PencilLine,
  link_entities: Link2,
  delete_entities: Trash2,
};
const maxShown = 5;

/** Entities that a tool call found or wrote, each with a link. */
export const EntitiesCard = ({ part }: { readonly part: ToolPart }) => {
  const isWrite = Object.hasOwn(icons, part.name);
  const entities = readEntities(part);
  const isDeleted = part.name === "delete_entities";
  const [showsAll, setShowsAll] = useState(false);
  const shown = isDeleted ? [] : entities.slice(0, isWrite ? (showsAll ? entities.length : maxShown) : 0);
  const total = numberAt(part.output, "total") ?? entities.length;
  const project = useForeignProject(asRecord(part.output)["project"]);
  const done = textAt(part.output, "done");
  const title = nameCall(part.name, joinList(entities.map((entity) => entity.title))) ?? done;
  const isUndone = useUndone(textAt(part.output, "act_id", "actId"));
  const brief = isUndone
    ? strings.undone
    : isWrite
      ? project
      : part.state === "ok" && part.name === "list_entities"
        ? strings.found(total)
        : "";
  const rest = entities.length - shown.length;
  return (
    <ToolFrame
      part={part}
      Face={own(icons, part.name) ?? ListTree}
      {...(done === "" || !isWrite ? {} : { title })}
      {...(brief === "" ? {} : { brief })}
      {...(isWrite || entities.length === 0 ? {} : { more: <Lines entities={entities} /> })}
    >
      {shown.length > 0 && <Lines entities={shown} isUndone={isUndone} />}
      {shown.length > 0 && rest > 0 && (
        <button
          type="button"
          className="min-h-7 rounded-lg text-xs text-soft hover:text-ink pointer-coarse:min-h-11"
          onClick={() => setShowsAll(true)}
        >
          {strings.more(rest)}
        </button>
      )}
    </ToolFrame>
  );
};

/** The project's name; empty in a thread of this project. */
function useForeignProject(project: unknown): string {
  const { getFeed } = usePage();
  const threadId = useFacts()?.threadId;
  const [none] = useState(() => createSignal<ThreadState>({ phase: "loading" }));
  const own = useSelected(threadId === undefined ? none : getFeed(threadId).state, (state) =>
    state.phase === "ready" ? (state.view.thread?.projectId ?? null) : null,
  );
  return own !== null && own === textAt(project, "id") ? "" : textAt(project, "name");
}

/** A day without a time, or a moment. */
const toEnd = (ends: string): number | null =>
  ends.includes("T") ? Date.parse(ends) || null : fromDay(ends.slice(0, 10), "end");

type LinesProps = { readonly entities: ReturnType<typeof readEntities>; readonly isUndone?: boolean };

/** After an undo the states of the call are out of date, so they are left out. */
const Lines = ({ entities, isUndone = false }: LinesProps) => {
  const now = useNow();
  return (
    <ul aria-label={strings.items} className="-mx-2.5 grid">
      {entities.map((entity) => (
        <li key={entity.id} className="min-w-0">
          {entity.kind === "project" || entity.projectId === "" ? (
            <ProjectLine id={entity.kind === "project" ? entity.id : ""} title={entity.title} />
          ) : (
            <EntityLink
              projectId={entity.projectId}
              entity={entity}
              isDone={isUndone || isEnded(entity.kind, entity.state)}
            >
              {!isUndone && <DueMark entity={{ ...entity, endsAt: toEnd(entity.ends) }} now={now} />}
              {!isUndone && entity.state !== "" && <StateMark kind={entity.kind} state={entity.state} />}
            </EntityLink>
          )}
        </li>
      ))}
    </ul>
  );
};

const ProjectLine = ({ id, title }: { readonly id: string; readonly title: string }) =>
  id === "" ? (
    <span dir="auto" className="block truncate px-2.5 py-1.5 text-sm">
      {title}
    </span>
  ) : (
    <a href={toProjectPath(id)} className="flex min-h-9 items-center gap-2.5 rounded-xl px-2.5 text-sm hover:bg-hover">
      <FolderKanban aria-hidden="true" className="size-4 flex-none text-soft" />
      <span dir="auto" className="min-w-0 truncate">
        {title}
      </span>
    </a>
  );
