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
import { projectThread as strings } from "../../strings/project/thread.ts";

type ThreadProject = Pick<ThreadSummary, "projectId" | "focusId" | "mode">;
type Props = {
  readonly project: ThreadProject;
  /** Changes when an answer has ended, to reload the title of the focus. */
  readonly turn?: number | string;
  /** Wraps instead of scrolling. */
  readonly isWrapped?: boolean;
  readonly onChange: (change: Partial<ThreadProject>) => void;
};

const chip =
  "inline-flex h-8 min-w-0 items-center gap-1.5 rounded-full bg-sunk px-3 text-xs font-medium hover:bg-hover pointer-coarse:h-9";

/** A thread's project, its focus, and how much of the project the model sees. */
export const ProjectChips = ({ project, turn = 0, isWrapped = false, onChange }: Props) => {
  const { projectId, focusId } = project;
  return (
    <div
      role="group"
      aria-label={strings.title}
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
    <span className="inline-flex max-w-52 min-w-24 shrink">
      {projectId !== null && (
        <a href={toProjectPath(projectId)} title={name} className={`${chip} rounded-e-none pe-1.5`}>
          <FolderKanban aria-hidden="true" className="size-3.5 flex-none text-soft" />
          <span dir="auto" className="min-w-0 truncate">
            {name ?? strings.project}
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
  const title = entity?.title ?? (state.phase === "failed" ? strings.deletedFocus : "…");
  return (
    <span className="inline-flex max-w-60 min-w-20 shrink">
      <Popover.Root open={isOpen} onOpenChange={setOpen}>
        <Popover.Trigger
          className={`${chip} ${focusId === null ? "text-soft" : "rounded-e-none pe-1.5"}`}
          aria-label={focusId === null ? strings.chooseFocus : strings.changeFocus(title)}
        >
          {entity ? (
            <KindMark kind={entity.kind} className="size-3.5" />
          ) : (
            <Crosshair aria-hidden="true" className="size-3.5 flex-none" />
          )}
          <span dir="auto" className="min-w-0 truncate">
            {focusId === null ? strings.focus : title}
          </span>
        </Popover.Trigger>
        <Popover.Portal>
          <Popover.Content
            align="start"
            sideOffset={6}
            collisionPadding={12}
            aria-label={strings.focus}
            className="z-50 w-[min(22rem,calc(100vw-1.5rem))] animate-rise rounded-2xl bg-raised p-2 shadow-float"
          >
            <EntityPicker
              projectId={projectId}
              label={strings.findFocus}
              hint={strings.findFocusHint}
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
                {strings.openFocus(entity.title)}
              </a>
            )}
          </Popover.Content>
        </Popover.Portal>
      </Popover.Root>
      {focusId !== null && (
        <button
          type="button"
          aria-label={strings.clearFocus}
          title={strings.clearFocus}
          className={`${chip} flex-none rounded-s-none ps-1 pe-2 text-soft`}
          onClick={() => onChange({ focusId: null })}
        >
          <X aria-hidden="true" className="size-3.5" />
        </button>
      )}
    </span>
  );
};

const automatic = "automatic";

const ModeMenu = ({ project: { projectId, focusId, mode }, onChange }: Pick<Props, "project" | "onChange">) => {
  const automaticMode = toAutomaticMode(projectId, focusId);
  const canChoose = (one: ContextMode) =>
    one === "global" || (projectId !== null && (one !== "focus" || focusId !== null));
  const available = (Object.keys(strings.modes) as readonly ContextMode[]).filter(canChoose);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={`${chip} min-w-20 shrink text-soft`}
        aria-label={strings.changeContext(strings.modes[mode ?? automaticMode].name)}
      >
        <ScanText aria-hidden="true" className="size-3.5 flex-none" />
        <span className="min-w-0 truncate">{strings.modes[mode ?? automaticMode].name}</span>
        <ChevronDown aria-hidden="true" className="size-3.5 flex-none" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          className="z-50 w-[min(20rem,calc(100vw-1.5rem))] animate-rise rounded-xl bg-raised p-1.5 shadow-float"
        >
          <DropdownMenu.Label className="px-2.5 py-1 text-xs text-soft">{strings.context}</DropdownMenu.Label>
          <DropdownMenu.RadioGroup
            value={mode ?? automatic}
            onValueChange={(next) => onChange({ mode: next === automatic ? null : (next as ContextMode) })}
          >
            <ModeItem
              value={automatic}
              name={strings.automatic}
              about={strings.automaticNow(strings.modes[automaticMode].name)}
            />
            {available.map((one) => (
              <ModeItem key={one} value={one} {...strings.modes[one]} />
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

/** The mode of a thread without a chosen one. */
const toAutomaticMode = (projectId: string | null, focusId: string | null): ContextMode =>
  projectId === null ? "global" : focusId === null ? "project" : "focus";
