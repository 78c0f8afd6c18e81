import type { ReactNode } from "react";
import type { EntityLine } from "../../protocol/project/project.ts";
import { toProjectPath } from "../state/route.ts";
import { toTab } from "../labels/entities.ts";
import { KindMark } from "./entity-marks.tsx";

type Props = {
  readonly projectId: string;
  readonly entity: Pick<EntityLine, "id" | "kind" | "title">;
  /** The tab that opens it; default: the tab of its kind. */
  readonly tab?: string;
  readonly isDone?: boolean;
  /** After the title. */
  readonly children?: ReactNode;
};

/** An entity in one line, linked. */
export const EntityLink = ({ projectId, entity, tab, isDone = false, children }: Props) => (
  <a
    href={toProjectPath(projectId, tab ?? toTab(entity.kind), entity.id)}
    data-row={entity.id}
    className="flex min-h-9 min-w-0 items-center gap-2.5 rounded-xl px-2.5 py-1.5 text-sm transition-colors hover:bg-hover pointer-coarse:min-h-11"
  >
    <KindMark kind={entity.kind} />
    <span dir="auto" className={`min-w-0 flex-1 truncate ${isDone ? "text-soft line-through" : ""}`}>
      {entity.title}
    </span>
    {children}
  </a>
);
