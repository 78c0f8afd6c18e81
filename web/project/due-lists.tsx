import { findKind, isEnded } from "../../protocol/project/kinds.ts";
import type { EntityLine } from "../../protocol/project/project.ts";
import { useNow } from "../lib/use-now.ts";
import { groupDigits } from "../lib/format.ts";
import { EntityLink } from "./entity-link.tsx";
import { DueMark, PriorityMark } from "./entity-marks.tsx";
import { Quiet, Section, Waiting } from "../ui/section.tsx";
import { useProject, useProjectFields } from "../state/project/project-context.ts";
import { useEntities } from "../state/project/use-entities.ts";
import { sumOverdue } from "./count-overdue.ts";
import { isOverdue } from "../labels/entities.ts";

const shown = 7;
const isDated = ({ kind, state, endsAt, startsAt }: EntityLine): boolean =>
  !isEnded(kind, state) && (endsAt !== null || startsAt !== null);

/** What is late, and what comes next: by the same list, in the order of their dates. */
export const DueLists = () => {
  const now = useNow();
  const counts = useProjectFields()?.counts ?? [];
  const late = sumOverdue(counts);
  const { lines, phase } = useEntities({ open: "true", sort: "due", limit: 200 }, isDated);
  const dated = lines.toSorted((a, b) => whenOf(a) - whenOf(b));
  const overdue = dated.filter((line) => isOverdue(line, now));
  const next = dated.filter((line) => !isOverdue(line, now) && whenOf(line) >= now - dayMs && !isPast(line, now));
  return (
    <>
      {overdue.length > 0 && (
        <Section title="Overdue" count={Math.max(late, overdue.length)}>
          <Lines lines={overdue} now={now} />
          {late > shown && <Quiet>and {groupDigits(late - Math.min(shown, overdue.length))} more</Quiet>}
        </Section>
      )}
      <Section title="Next">
        {phase === "loading" && <Waiting />}
        {phase === "ready" && next.length === 0 && <Quiet>Nothing has a date ahead of it.</Quiet>}
        <Lines lines={next} now={now} />
      </Section>
    </>
  );
};

const dayMs = 86_400_000;
const whenOf = ({ startsAt, endsAt, kind }: EntityLine): number =>
  (findKind(kind)?.ends === "due" ? (endsAt ?? startsAt) : (startsAt ?? endsAt)) ?? Infinity;
/** An event that is over. */
const isPast = ({ endsAt }: EntityLine, now: number): boolean => endsAt !== null && endsAt < now;

const Lines = ({ lines, now }: { readonly lines: readonly EntityLine[]; readonly now: number }) => {
  const { projectId } = useProject();
  return (
    <ul className="-mx-2.5">
      {lines.slice(0, shown).map((line) => (
        <li key={line.id}>
          <EntityLink projectId={projectId} entity={line} tab="overview">
            <PriorityMark priority={line.priority} />
            <DueMark entity={{ ...line, endsAt: whenOf(line) }} now={now} />
          </EntityLink>
        </li>
      ))}
    </ul>
  );
};
