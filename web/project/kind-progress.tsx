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
import { nameKinds, toPlural } from "../labels/entities.ts";
import { capital } from "../lib/format.ts";
import { project as strings } from "../strings/project/page.ts";

const maxShown = 6;

/** Progress of one kind of entity, and the unfinished ones that are due next. */
export const KindProgress = ({ kind }: { readonly kind: string }) => {
  const { projectId } = useProject();
  const now = useNow();
  const count = useProjectFields()?.counts.find((one) => one.kind === kind);
  const { lines } = useEntities({ kind, open: "true", sort: "due", limit: maxShown }, getFilter(kind));
  const total = count?.total ?? 0;
  const done = total - (count?.open ?? 0);
  return (
    <Section
      title={capital(nameKinds(kind))}
      actions={
        total > 0 && (
          <a
            href={toProjectPath(projectId, toPlural(kind))}
            aria-label={strings.overview.progressLink(done, total, nameKinds(kind))}
            className="rounded-lg px-2 py-1 text-xs text-soft hover:text-ink"
          >
            {strings.overview.progress(done, total)}
          </a>
        )
      }
    >
      {total > 0 && (
        <ProgressBar done={done} total={total} label={strings.overview.progressBar(capital(nameKinds(kind)))} />
      )}
      <ul className="-mx-2.5">
        {lines.slice(0, maxShown).map((line) => (
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

const filters = new Map<string, (line: EntityLine) => boolean>();

/** The same function for the same kind, so that hooks do not run again. */
function getFilter(kind: string): (line: EntityLine) => boolean {
  const filter = filters.get(kind) ?? ((line: EntityLine) => line.kind === kind && !isEnded(kind, line.state));
  filters.set(kind, filter);
  return filter;
}

type ProgressProps = { readonly done: number; readonly total: number; readonly label: string };

const ProgressBar = ({ done, total, label }: ProgressProps) => (
  <div
    role="progressbar"
    aria-label={label}
    aria-valuemin={0}
    aria-valuemax={total}
    aria-valuenow={done}
    className="mb-1 h-1 overflow-hidden rounded-full bg-hover"
  >
    <div className="h-full rounded-full bg-good" style={{ width: `${(100 * done) / total}%` }} />
  </div>
);
