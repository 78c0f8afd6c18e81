import { isEnded } from "../../protocol/project/kinds.ts";
import type { EntityLine } from "../../protocol/project/project.ts";
import { useNow } from "../lib/use-now.ts";
import { toProjectPath } from "../state/route.ts";
import { EntityLink } from "./entity-link.tsx";
import { DueMark, StateMark } from "./entity-marks.tsx";
import { QuickAdd } from "./quick-add.tsx";
import { Section } from "../ui/section.tsx";
import { useProject, useProjectFields } from "../state/project/project-context.ts";
import { useEntities } from "../state/project/use-entities.ts";
import { toPlural } from "../labels/entities.ts";
import { capital } from "../lib/format.ts";

const shown = 6;

/** What is aimed at of one kind: how far it is, and what is next. */
export const Aims = ({ kind }: { readonly kind: string }) => {
  const { projectId } = useProject();
  const now = useNow();
  const count = useProjectFields()?.counts.find((one) => one.kind === kind);
  const { lines } = useEntities({ kind, open: "true", sort: "due", limit: shown }, fitsOf(kind));
  const [total, open] = [count?.total ?? 0, count?.open ?? 0];
  return (
    <Section
      title={capital(toPlural(kind))}
      actions={
        total > 0 && (
          <a
            href={toProjectPath(projectId, toPlural(kind))}
            className="rounded-lg px-2 py-1 text-xs text-soft hover:text-ink"
          >
            {total - open} of {total}
            <span className="sr-only"> {toPlural(kind)} reached, show all</span>
          </a>
        )
      }
    >
      {total > 0 && <Progress done={total - open} total={total} label={toPlural(kind)} />}
      <ul className="-mx-2.5">
        {lines.slice(0, shown).map((line) => (
          <li key={line.id}>
            <EntityLink projectId={projectId} entity={line} tab="overview">
              <DueMark entity={line} now={now} />
              <StateMark kind={line.kind} state={line.state} />
            </EntityLink>
          </li>
        ))}
      </ul>
      <QuickAdd kind={kind} className="-mx-2.5" />
    </Section>
  );
};

const fits = new Map<string, (line: EntityLine) => boolean>();

/** The same function each time for a kind. */
function fitsOf(kind: string): (line: EntityLine) => boolean {
  const known = fits.get(kind) ?? ((line: EntityLine) => line.kind === kind && !isEnded(kind, line.state));
  fits.set(kind, known);
  return known;
}

type ProgressProps = { readonly done: number; readonly total: number; readonly label: string };

const Progress = ({ done, total, label }: ProgressProps) => (
  <div
    role="progressbar"
    aria-label={`${capital(label)} reached`}
    aria-valuemin={0}
    aria-valuemax={total}
    aria-valuenow={done}
    className="mb-1 h-1 overflow-hidden rounded-full bg-hover"
  >
    <div className="h-full rounded-full bg-good" style={{ width: `${(100 * done) / total}%` }} />
  </div>
);
