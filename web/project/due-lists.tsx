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
import { project as strings } from "../strings/project/page.ts";

const maxShown = 7;
const isDated = ({ kind, state, endsAt, startsAt }: EntityLine): boolean =>
  !isEnded(kind, state) && (endsAt !== null || startsAt !== null);

/** Overdue and upcoming entities, sorted by date. */
export const DueLists = () => {
  const now = useNow();
  const counts = useProjectFields()?.counts ?? [];
  const late = sumOverdue(counts);
  const { lines, phase } = useEntities({ open: "true", sort: "due", limit: 200 }, isDated);
  const dated = lines.toSorted((a, b) => dateOf(a) - dateOf(b));
  const overdue = dated.filter((line) => isOverdue(line, now));
  const upcoming = dated.filter((line) => !isOverdue(line, now) && dateOf(line) >= now - dayMs && !isPast(line, now));
  return (
    <>
      {overdue.length > 0 && (
        <Section title={strings.overview.overdue} count={Math.max(late, overdue.length)}>
          <Lines lines={overdue} now={now} />
          {late > maxShown && (
            <Quiet>{strings.overview.more(groupDigits(late - Math.min(maxShown, overdue.length)))}</Quiet>
          )}
        </Section>
      )}
      <Section title={strings.overview.upcoming}>
        {phase === "loading" && <Waiting />}
        {phase === "ready" && upcoming.length === 0 && <Quiet>{strings.overview.nothingUpcoming}</Quiet>}
        <Lines lines={upcoming} now={now} />
      </Section>
    </>
  );
};

const dayMs = 86_400_000;
const dateOf = ({ startsAt, endsAt, kind }: EntityLine): number =>
  (findKind(kind)?.ends === "due" ? (endsAt ?? startsAt) : (startsAt ?? endsAt)) ?? Infinity;
/** Past events. */
const isPast = ({ endsAt }: EntityLine, now: number): boolean => endsAt !== null && endsAt < now;

const Lines = ({ lines, now }: { readonly lines: readonly EntityLine[]; readonly now: number }) => {
  const { projectId } = useProject();
  return (
    <ul className="-mx-2.5">
      {lines.slice(0, maxShown).map((line) => (
        <li key={line.id}>
          <EntityLink projectId={projectId} entity={line} tab="overview">
            <PriorityMark priority={line.priority} />
            <DueMark entity={{ ...line, endsAt: dateOf(line) }} now={now} />
          </EntityLink>
        </li>
      ))}
    </ul>
  );
};
