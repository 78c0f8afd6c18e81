import { Check, ChevronDown, FolderKanban, FolderPlus, FolderX, type LucideIcon } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useEffect, useState, type ReactNode } from "react";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { CreateProject } from "../create-project.tsx";
import { projectThread as strings } from "../../strings/project/thread.ts";

type Props = {
  readonly projectId: string | null;
  readonly look: string;
  readonly onPick: (projectId: string | null) => void;
  /** Label and icon of the choice without a project. */
  readonly none?: { readonly name: string; readonly Icon: LucideIcon };
  readonly label?: string;
  /** The button's content. */
  readonly children?: ReactNode;
  readonly startsOpen?: boolean;
};

const noProject = { name: strings.noProject, Icon: FolderX };

/** Menu to choose a thread's project, or to create one. */
export const ProjectChoice = (props: Props) => {
  const { projectId, look, onPick, none = noProject, children, startsOpen = false } = props;
  const { projects } = usePage();
  const { projects: all } = useSignal(projects.state);
  const [isOpen, setOpen] = useState(startsOpen);
  const [isNaming, setNaming] = useState(false);
  useEffect(() => void projects.load(), [projects]);
  const open = all.filter(({ archived, id }) => !archived || id === projectId);
  const label = props.label ?? (projectId === null ? strings.chooseProject : strings.changeProject);
  return (
    <DropdownMenu.Root
      modal={false}
      open={isOpen}
      onOpenChange={(next) => {
        setNaming(false);
        setOpen(next);
      }}
    >
      <DropdownMenu.Trigger className={look} aria-label={label} title={label}>
        {children ?? (
          <>
            {projectId === null && <none.Icon aria-hidden="true" className="size-3.5 flex-none text-soft" />}
            {projectId === null && <span className="text-soft">{none.name}</span>}
            <ChevronDown aria-hidden="true" className="size-3.5 flex-none text-soft" />
          </>
        )}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          className="z-50 max-h-80 w-64 animate-rise overflow-y-auto rounded-xl bg-raised p-1.5 shadow-float"
        >
          {isNaming ? (
            <CreateProject
              look="p-1.5"
              button={strings.createProject}
              onCreated={(created) => {
                setOpen(false);
                onPick(created);
              }}
            />
          ) : (
            <>
              <DropdownMenu.Label className="px-2.5 py-1 text-xs text-soft">{strings.project}</DropdownMenu.Label>
              <DropdownMenu.RadioGroup
                value={projectId ?? ""}
                onValueChange={(next) => next !== (projectId ?? "") && onPick(next === "" ? null : next)}
              >
                <Item value="" name={none.name} Icon={none.Icon} />
                {open.map(({ id, name }) => (
                  <Item key={id} value={id} name={name} Icon={FolderKanban} />
                ))}
              </DropdownMenu.RadioGroup>
              <DropdownMenu.Item
                className={itemLook}
                onSelect={(event) => {
                  event.preventDefault();
                  setNaming(true);
                }}
              >
                <FolderPlus aria-hidden="true" className="size-4 flex-none text-soft" />
                {strings.newProject}
              </DropdownMenu.Item>
            </>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};

const itemLook =
  "flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover data-[state=checked]:font-semibold pointer-coarse:py-2.5";

type ItemProps = { readonly value: string; readonly name: string; readonly Icon: LucideIcon };

const Item = ({ value, name, Icon }: ItemProps) => (
  <DropdownMenu.RadioItem value={value} className={itemLook}>
    <Icon aria-hidden="true" className="size-4 flex-none text-soft" />
    <span dir="auto" className="line-clamp-2 min-w-0 flex-1 wrap-anywhere">
      {name}
    </span>
    <DropdownMenu.ItemIndicator>
      <Check aria-hidden="true" className="size-4 text-accent" />
    </DropdownMenu.ItemIndicator>
  </DropdownMenu.RadioItem>
);

type BuilderProps = { readonly projectId: string | null; readonly onPick: (projectId: string | null) => void };

/** Where a new builder thread puts its files: into a new project, unless the user chooses one. */
export const BuilderProject = ({ projectId, onPick }: BuilderProps) => {
  const name = useSignal(usePage().projects.state).projects.find(({ id }) => id === projectId)?.name;
  return (
    <p className="mb-3 flex flex-wrap items-center justify-center gap-x-2 gap-y-1 text-sm text-soft">
      {strings.builder.text}
      <ProjectChoice
        projectId={projectId}
        none={{ name: strings.builder.named, Icon: FolderPlus }}
        label={strings.builder.choose(name ?? strings.builder.newProject)}
        look="inline-flex h-8 min-w-0 max-w-full items-center gap-1.5 rounded-full bg-sunk px-3 text-xs font-medium text-ink hover:bg-hover pointer-coarse:h-10"
        onPick={onPick}
      >
        <FolderKanban aria-hidden="true" className="size-3.5 flex-none text-soft" />
        <span dir="auto" className="min-w-0 truncate">
          {name ?? strings.builder.newProject}
        </span>
        <ChevronDown aria-hidden="true" className="size-3.5 flex-none text-soft" />
      </ProjectChoice>
    </p>
  );
};
