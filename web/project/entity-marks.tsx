import { createElement } from "react";
import { CalendarClock, ChevronsUp, ChevronUp, Equal, Minus } from "lucide-react";
import type { Priority } from "../../protocol/project/kinds.ts";
import type { EntityLine } from "../../protocol/project/project.ts";
import { describeDay } from "../lib/dates.ts";
import { isOverdue, namePriority, nameState, toneDots, toPicture, toTone } from "../labels/entities.ts";
import { capital } from "../lib/format.ts";
import { entities as strings } from "../strings/project/entities.ts";

/** Icons and labels for an entity's kind, state, priority and due date. */
export const KindMark = ({ kind, className = "size-4" }: { readonly kind: string; readonly className?: string }) => {
  return createElement(toPicture(kind), { "aria-hidden": true, className: `flex-none text-soft ${className}` });
};

type StateProps = { readonly kind: string; readonly state: string };

export const StateDot = ({ kind, state }: StateProps) => (
  <span aria-hidden="true" className={`size-2 flex-none rounded-full ${toneDots[toTone(kind, state)]}`} />
);

export const StateMark = ({ kind, state }: StateProps) => (
  <span className="inline-flex flex-none items-center gap-1.5 text-xs text-soft">
    <StateDot kind={kind} state={state} />
    {capital(nameState(state))}
  </span>
);

const looks = {
  none: null,
  low: { Icon: Minus, tone: "text-soft" },
  medium: { Icon: Equal, tone: "text-soft" },
  high: { Icon: ChevronUp, tone: "text-accent" },
  urgent: { Icon: ChevronsUp, tone: "text-danger" },
} as const satisfies Record<Priority, unknown>;

export const PriorityMark = ({ priority }: { readonly priority: Priority }) => {
  const look = looks[priority];
  if (!look) return null;
  const { Icon, tone } = look;
  return (
    <span className={`inline-flex flex-none items-center gap-0.5 text-xs ${tone}`}>
      <Icon aria-hidden="true" className="size-3.5" />
      {capital(namePriority(priority))}
    </span>
  );
};

type DueProps = { readonly entity: Pick<EntityLine, "kind" | "state" | "endsAt">; readonly now: number };

export const DueMark = ({ entity, now }: DueProps) => {
  if (entity.endsAt === null) return null;
  const isLate = isOverdue(entity, now);
  return (
    <span className={`inline-flex flex-none items-center gap-1 text-xs ${isLate ? "text-danger" : "text-soft"}`}>
      <CalendarClock aria-hidden="true" className="size-3.5" />
      {describeDay(entity.endsAt, now)}
      {isLate && <span className="sr-only">{strings.overdue}</span>}
    </span>
  );
};
