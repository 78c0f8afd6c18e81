import { ChevronDown, Crosshair, FolderKanban, ScanText, X } from "lucide-react";
import { DropdownMenu, Popover } from "radix-ui";
import { useEffect, useState } from "react";
import type { ThreadSummary } from "../../../protocol/events.ts";
import type { ContextMode } from "../../../protocol/project/project.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useSelected } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { toProjectPath } from "../../state/route.ts";
import { KindMark } from "../entity-marks.tsx";
import { EntityPicker } from "../entity-picker.tsx";
import { toTab } from "../../labels/entities.ts";
import { ProjectChoice } from "./project-choice.tsx";

type ThreadProject = Pick<ThreadSummary, "projectId" | "focusId" | "mode">;
type Props = {
  readonly project: ThreadProject;
  /** Another number once an answer has ended: what it is about may be called otherwise now. */
  readonly turn?: number | string;
  /** In several lines where one is too short, instead of one that scrolls. */
  readonly isWrapped?: boolean;
  readonly onChange: (change: Partial<ThreadProject>) => void;
};

const chip =
  "inline-flex h-8 min-w-0 items-center gap-1.5 rounded-full bg-sunk px-3 text-xs font-medium hover:bg-hover pointer-coarse:h-9";

/** Where a thread belongs, what it is about, and how much of that the model is told. */
export const ProjectChips = ({ project, turn = 0, isWrapped = false, onChange }: Props) => {
  const { projectId, focusId } = project;
  return (
    <div
      role="group"
      aria-label="What this thread is about"
      className={`flex min-w-0 items-center gap-1.5 ${isWrapped ? "flex-wrap justify-center" : "overflow-x-auto [scrollbar-width:none]"}`}
    >
      <ProjectChip projectId={projectId} onChange={onChange} />
      {projectId !== null && (
        <FocusChip
          key={`${projectId} ${focusId}`}
          projectId={projectId}
          focusId={focusId}
          turn={turn}
          onChange={onChange}
        />
      )}
      <ModeMenu project={project} onChange={onChange} />
    </div>
  );
};

type ProjectChipProps = { readonly projectId: string | null; readonly onChange: Props["onChange"] };

const ProjectChip = ({ projectId, onChange }: ProjectChipProps) => {
  const { projects } = usePage();
  useEffect(() => void projects.load(), [projects]);
  const name = useSelected(projects.state, (state) => state.projects.find(({ id }) => id === projectId)?.name);
  return (
    <span className="inline-flex min-w-0 max-w-52 flex-none">
      {projectId !== null && (
        <a href={toProjectPath(projectId)} title={name} className={`${chip} rounded-e-none pe-1.5`}>
          <FolderKanban aria-hidden="true" className="size-3.5 flex-none text-soft" />
          <span dir="auto" className="min-w-0 truncate">
            {name ?? "Project"}
          </span>
        </a>
      )}
      <ProjectChoice
        projectId={projectId}
        look={projectId === null ? chip : `${chip} flex-none rounded-s-none ps-1 pe-2`}
        onPick={(next) => onChange({ projectId: next, focusId: null })}
      />
    </span>
  );
};

type FocusProps = {
  readonly projectId: string;
  readonly focusId: string | null;
  readonly turn: number | string;
  readonly onChange: Props["onChange"];
};

const FocusChip = ({ projectId, focusId, turn, onChange }: FocusProps) => {
  const { client } = usePage();
  const [isOpen, setOpen] = useState(false);
  const { state } = useLoad(focusId === null ? null : `${projectId} ${focusId} ${turn}`, (signal) =>
    client.getEntity({ params: { projectId, entityId: focusId ?? "" } }, signal),
  );
  const entity = state.phase === "ready" ? state.value.entity : null;
  return (
    <span className="inline-flex min-w-0 max-w-60 flex-none">
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger
          className={`${chip} ${focusId === null ? "text-soft" : "rounded-e-none pe-1.5"}`}
          aria-label={
            focusId === null
              ? "Focus: choose what this thread is about"
              : `About ${entity?.title ?? "something"}: change`
          }
        >
          {entity ? (
            <KindMark kind={entity.kind} className="size-3.5" />
          ) : (
            <Crosshair aria-hidden="true" className="size-3.5 flex-none" />
          )}
          <span dir="auto" className="min-w-0 truncate">
            {focusId === null ? "Focus" : (entity?.title ?? (state.phase === "failed" ? "It is gone" : "…"))}
          </span>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            align="start"
            sideOffset={6}
            collisionPadding={12}
            aria-label="What this thread is about"
            className="z-50 w-[min(22rem,calc(100vw-1.5rem))] animate-rise rounded-2xl bg-raised p-2 shadow-float"
          >
            <EntityPicker
              projectId={projectId}
              label="Find what this thread is about"
              hint="Type to find something in the project"
              onLeave={() => setOpen(false)}
              onPick={({ id }) => {
                setOpen(false);
                onChange({ focusId: id });
              }}
            />
            {entity && (
              <a
                href={toProjectPath(projectId, toTab(entity.kind), entity.id)}
                className="mt-1 block rounded-xl px-2.5 py-2 text-sm text-accent hover:bg-hover"
              >
                Open “{entity.title}”
              </a>
            )}
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      {focusId !== null && (
        <button
          type="button"
          aria-label="Focus on nothing"
          title="Focus on nothing"
          className={`${chip} flex-none rounded-s-none ps-1 pe-2 text-soft`}
          onClick={() => onChange({ focusId: null })}
        >
          <X aria-hidden="true" className="size-3.5" />
        </button>
      )}
    </span>
  );
};

const usual = "usual";

const ModeMenu = ({ project: { projectId, focusId, mode }, onChange }: Pick<Props, "project" | "onChange">) => {
  const held = toUsualMode(projectId, focusId);
  const canChoose = (one: ContextMode) =>
    one === "global" || (projectId !== null && (one !== "focus" || focusId !== null));
  const modes = (Object.keys(modeWords) as readonly ContextMode[]).filter(canChoose);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={`${chip} flex-none text-soft`}
        aria-label={`The model is told: ${modeWords[mode ?? held].name}. Change`}
      >
        <ScanText aria-hidden="true" className="size-3.5 flex-none" />
        {modeWords[mode ?? held].name}
        <ChevronDown aria-hidden="true" className="size-3.5 flex-none" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          className="z-50 w-[min(20rem,calc(100vw-1.5rem))] animate-rise rounded-xl bg-raised p-1.5 shadow-float"
        >
          <DropdownMenu.Label className="px-2.5 py-1 text-xs text-soft">What the model is told</DropdownMenu.Label>
          <DropdownMenu.RadioGroup
            value={mode ?? usual}
            onValueChange={(next) => onChange({ mode: next === usual ? null : (next as ContextMode) })}
          >
            <ModeItem value={usual} name="What fits" about={`Now: ${modeWords[held].name.toLowerCase()}`} />
            {modes.map((one) => (
              <ModeItem key={one} value={one} {...modeWords[one]} />
            ))}
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};

type ItemProps = { readonly value: string; readonly name: string; readonly about: string };

const ModeItem = ({ value, name, about }: ItemProps) => (
  <DropdownMenu.RadioItem
    value={value}
    className="block cursor-pointer rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover data-[state=checked]:font-semibold data-[state=checked]:text-accent"
  >
    {name}
    <span className="block text-xs font-normal text-soft">{about}</span>
  </DropdownMenu.RadioItem>
);

/** How a thread looks at the work, in words. */
const modeWords: Readonly<Record<ContextMode, { readonly name: string; readonly about: string }>> = {
  global: { name: "All projects", about: "Where each of them stands, without single tasks" },
  project: { name: "This project", about: "Its goals, tasks, events and documents" },
  focus: { name: "The focus", about: "One thing whole, with all it is linked to" },
  ontology: { name: "Kinds and relations", about: "What there is and how it hangs together" },
};

/** What holds where nothing was chosen. */
const toUsualMode = (projectId: string | null, focusId: string | null): ContextMode =>
  projectId === null ? "global" : focusId === null ? "project" : "focus";
