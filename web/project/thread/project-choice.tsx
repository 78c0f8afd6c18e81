import { ChevronDown, FolderKanban, FolderX } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useSignal } from "../../lib/signal.ts";
import { usePage } from "../../state/page.ts";
import { projectThread as strings } from "../../strings/project/thread.ts";

type Props = {
  readonly projectId: string | null;
  readonly look: string;
  readonly onPick: (projectId: string | null) => void;
};

/** Menu to choose a thread's project. */
export const ProjectChoice = ({ projectId, look, onPick }: Props) => {
  const { projects } = usePage();
  const { projects: all } = useSignal(projects.state);
  const open = all.filter(({ archived, id }) => !archived || id === projectId);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger
        className={look}
        aria-label={projectId === null ? strings.chooseProject : strings.changeProject}
      >
        {projectId === null && <FolderKanban aria-hidden="true" className="size-3.5 flex-none text-soft" />}
        {projectId === null && <span className="text-soft">{strings.noProject}</span>}
        <ChevronDown aria-hidden="true" className="size-3.5 flex-none text-soft" />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="start"
          sideOffset={6}
          collisionPadding={12}
          className="z-50 max-h-80 w-64 animate-rise overflow-y-auto rounded-xl bg-raised p-1.5 shadow-float"
        >
          <DropdownMenu.Label className="px-2.5 py-1 text-xs text-soft">{strings.project}</DropdownMenu.Label>
          <DropdownMenu.RadioGroup
            value={projectId ?? ""}
            onValueChange={(next) => next !== (projectId ?? "") && onPick(next === "" ? null : next)}
          >
            {open.map(({ id, name }) => (
              <Item key={id} value={id} name={name} Icon={FolderKanban} />
            ))}
            <Item value="" name={strings.noProject} Icon={FolderX} />
          </DropdownMenu.RadioGroup>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};

type ItemProps = { readonly value: string; readonly name: string; readonly Icon: typeof FolderX };

const Item = ({ value, name, Icon }: ItemProps) => (
  <DropdownMenu.RadioItem
    value={value}
    className="flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover data-[state=checked]:font-semibold pointer-coarse:py-2.5"
  >
    <Icon aria-hidden="true" className="size-4 flex-none text-soft" />
    <span dir="auto" className="min-w-0 truncate">
      {name}
    </span>
  </DropdownMenu.RadioItem>
);
