import { FolderKanban, Link2, ListTree, PencilLine, Plus, Trash2, type LucideIcon } from "lucide-react";
import { isEnded } from "../../../protocol/project/kinds.ts";
import { toProjectPath } from "../../state/route.ts";
import type { ToolPart } from "../../labels/tools.ts";
import { asRecord, numberAt, textAt } from "../../lib/read-json.ts";
import { ToolFrame } from "../../tools/tool-frame.tsx";
import { EntityLink } from "../entity-link.tsx";
import { StateMark } from "../entity-marks.tsx";
import { readEntities } from "./read-acts.ts";
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
  const shown = isDeleted ? [] : entities.slice(0, isWrite ? maxShown : 0);
  const total = numberAt(part.output, "total") ?? entities.length;
  const project = textAt(asRecord(part.output)["project"], "name");
  const done = textAt(part.output, "done");
  const brief = isWrite ? project : part.state === "ok" && part.name === "list_entities" ? strings.found(total) : "";
  const rest = entities.length - shown.length;
  return (
    <ToolFrame
      part={part}
      Face={own(icons, part.name) ?? ListTree}
      {...(done === "" || !isWrite ? {} : { title: done })}
      {...(brief === "" ? {} : { brief })}
      {...(isWrite || entities.length === 0 ? {} : { more: <Lines entities={entities} /> })}
    >
      {shown.length > 0 && <Lines entities={shown} />}
      {shown.length > 0 && rest > 0 && <p className="px-2.5 text-xs text-soft">{strings.more(rest)}</p>}
    </ToolFrame>
  );
};

const Lines = ({ entities }: { readonly entities: ReturnType<typeof readEntities> }) => (
  <ul aria-label={strings.items} className="-mx-2.5 grid">
    {entities.map((entity) => (
      <li key={entity.id} className="min-w-0">
        {entity.kind === "project" || entity.projectId === "" ? (
          <ProjectLine id={entity.kind === "project" ? entity.id : ""} title={entity.title} />
        ) : (
          <EntityLink projectId={entity.projectId} entity={entity} isDone={isEnded(entity.kind, entity.state)}>
            {entity.ends !== "" && (
              <span className="flex-none text-xs text-soft tabular-nums">{entity.ends.slice(0, 10)}</span>
            )}
            {entity.state !== "" && <StateMark kind={entity.kind} state={entity.state} />}
          </EntityLink>
        )}
      </li>
    ))}
  </ul>
);

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
