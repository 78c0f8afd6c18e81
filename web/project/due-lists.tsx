import { useEffect, useRef, useState } from "react";
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
  const [isWhole, setIsWhole] = useState(false);
  const { lines, phase, hasMore, more } = useEntities({ open: "true", sort: "due", limit: 200 }, isDated);
  const dated = lines.toSorted((a, b) => dateOf(a) - dateOf(b));
  const overdue = dated.filter((line) => isOverdue(line, now));
  const upcoming = dated.filter((line) => !isOverdue(line, now) && dateOf(line) >= now - dayMs && !isPast(line, now));
  const count = Math.max(late, overdue.length);
  const rest = count - (isWhole ? overdue.length : Math.min(maxShown, overdue.length));
  const showMore = (): void => {
    if (isWhole) more();
    setIsWhole(true);
  };
  return (
    <>
      {overdue.length > 0 && (
        <Section title={strings.overview.overdue} count={count}>
          <Lines lines={overdue} now={now} isWhole={isWhole} />
          {rest > 0 && (!isWhole || hasMore) && (
            <button type="button" className="plain-button min-h-8" onClick={showMore}>
              {strings.overview.more(groupDigits(rest))}
            </button>
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

type LinesProps = { readonly lines: readonly EntityLine[]; readonly now: number; readonly isWhole?: boolean };

const Lines = ({ lines, now, isWhole = false }: LinesProps) => {
  const { projectId } = useProject();
  const list = useRef<HTMLUListElement>(null);
  // The button that had the focus may be gone.
  useEffect(() => {
    if (isWhole) list.current?.querySelectorAll("a")[maxShown]?.focus();
  }, [isWhole]);
  return (
    <ul ref={list} className="-mx-2.5">
      {lines.slice(0, isWhole ? undefined : maxShown).map((line) => (
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
