import { aimKinds, kinds, projectLimits } from "../../protocol/project/kinds.ts";
import { useNow } from "../lib/use-now.ts";
import { toProjectPath, beginTab, toPath } from "../state/route.ts";
import { capital, groupDigits } from "../lib/format.ts";
import { ActRow } from "./act-row.tsx";
import { useActs } from "./use-acts.ts";
import { InPlace } from "../ui/in-place.tsx";
import { KindMark } from "./entity-marks.tsx";
import { Quiet, Section } from "../ui/section.tsx";
import { useProject, useProjectFields } from "../state/project/project-context.ts";
import { nameKinds, toTab } from "../labels/entities.ts";
import { KindProgress } from "./kind-progress.tsx";
import { DueLists } from "./due-lists.tsx";
import { MessageSquarePlus } from "lucide-react";
import { toRelativeTime } from "../lib/time.ts";
import { useProjectThreads } from "./use-project-threads.ts";
import { project as strings } from "../strings/project/page.ts";

const maxRecent = 6;

/** Description, progress, due dates, threads and recent activity of the project. */
export const Overview = () => (
  <div className="mx-auto grid w-full max-w-6xl gap-x-14 gap-y-8 px-4 pt-2 pb-24 sm:px-8 xl:grid-cols-[3fr_2fr]">
    <div className="grid content-start gap-8 [&>*]:min-w-0">
      <About />
      {aimKinds.map((kind) => (
        <KindProgress key={kind} kind={kind} />
      ))}
      <Counts />
    </div>
    <div className="grid content-start gap-8 [&>*]:min-w-0">
      <DueLists />
      <ProjectThreads />
      <Recent />
    </div>
  </div>
);

const About = () => {
  const { writer } = useProject();
  const project = useProjectFields()?.project;
  if (!project) return null;
  return (
    <div className="grid gap-4">
      <InPlace
        label={strings.overview.description}
        value={project.description}
        version={project.version}
        hint={strings.overview.descriptionHint}
        limit={projectLimits.titleCharacters * 4}
        isLong
        look="leading-relaxed"
        onSave={(description, version) => void writer.change({ version, description })}
      />
      <Section title={strings.overview.instructions}>
        <InPlace
          label={strings.overview.instructions}
          value={project.instructions}
          version={project.version}
          hint={strings.overview.instructionsHint}
          limit={projectLimits.instructionCharacters}
          isLong
          look="text-sm leading-relaxed max-h-96 overflow-y-auto"
          onSave={(instructions, version) => void writer.change({ version, instructions })}
        />
      </Section>
    </div>
  );
};

/** Number of entities of each kind. */
const Counts = () => {
  const { projectId } = useProject();
  const fields = useProjectFields();
  const countOf = (kind: string) => fields?.counts.find((one) => one.kind === kind);
  return (
    <Section title={strings.overview.items}>
      <ul className="grid grid-cols-2 gap-1 sm:grid-cols-3">
        {kinds.map(({ name }) => {
          const count = countOf(name);
          return (
            <li key={name}>
              <a
                href={toProjectPath(projectId, toTab(name))}
                className="flex min-h-11 items-center gap-2.5 rounded-xl bg-sunk px-3 text-sm hover:bg-hover"
              >
                <KindMark kind={name} />
                <span className="flex-1">{capital(nameKinds(name))}</span>
                <span className="text-xs text-soft tabular-nums">{groupDigits(count?.total ?? 0)}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </Section>
  );
};

const Recent = () => {
  const { projectId } = useProject();
  const { acts, phase } = useActs(undefined, maxRecent);
  const now = useNow();
  return (
    <Section
      title={strings.activity.title}
      actions={
        <a
          href={toProjectPath(projectId, "activity")}
          aria-label={strings.overview.viewAllActivity}
          className="rounded-lg px-2 py-1 text-xs text-soft hover:text-ink"
        >
          {strings.overview.viewAll}
        </a>
      }
    >
      {phase === "ready" && acts.length === 0 && <Quiet>{strings.activity.empty}</Quiet>}
      {acts.slice(0, maxRecent).map((act) => (
        <ActRow key={act.id} act={act} now={now} />
      ))}
    </Section>
  );
};

const maxThreads = 8;

/** Threads of this project, newest first. */
const ProjectThreads = () => {
  const { projectId } = useProject();
  const threads = useProjectThreads(projectId);
  const now = useNow();
  return (
    <Section
      title={strings.overview.threads}
      actions={
        <a href={toProjectPath(projectId, beginTab)} className="plain-button min-h-8 bg-transparent text-accent">
          <MessageSquarePlus aria-hidden="true" className="size-4" />
          {strings.overview.newThread}
        </a>
      }
    >
      {threads.length === 0 && <Quiet>{strings.overview.noThreads}</Quiet>}
      <ul className="-mx-2.5">
        {threads.slice(0, maxThreads).map((thread) => (
          <li key={thread.id}>
            <a
              href={toPath(thread.id)}
              className="flex min-h-9 items-center gap-2.5 rounded-xl px-2.5 py-1.5 text-sm hover:bg-hover pointer-coarse:min-h-11"
            >
              <span dir="auto" className="min-w-0 flex-1 truncate">
                {thread.title || strings.newThread}
              </span>
              <span className="flex-none text-xs text-soft">{toRelativeTime(thread.updatedAt, now)}</span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
};
