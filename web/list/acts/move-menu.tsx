import { ChevronRight, FolderInput, FolderKanban, FolderX } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useEffect } from "react";
import type { ThreadSummary } from "../../../protocol/events.ts";
import { useCell } from "../../state/cell.ts";
import { usePage } from "../../state/page.ts";
import { MenuItem } from "../menu-item.tsx";

type Props = {
  readonly thread: ThreadSummary;
  /** Where it is drawn. */
  readonly home: HTMLElement | null;
  readonly onMove: (thread: ThreadSummary, projectId: string | null) => void;
};

/** Into a project and out of it, for those who do not drag. */
export const MoveMenu = ({ thread, home, onMove }: Props) => {
  const { projects } = usePage();
  const { projects: all } = useCell(projects.state);
  useEffect(() => void projects.load(), [projects]);
  const others = all.filter(({ id, archived }) => !archived && id !== thread.projectId);
  if (others.length === 0 && thread.projectId === null) return null;
  return (
    <DropdownMenu.Sub>
      <DropdownMenu.SubTrigger className="flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover data-[state=open]:bg-hover pointer-coarse:py-2.5">
        <FolderInput aria-hidden="true" className="size-4 opacity-80" />
        <span className="flex-1">Move to project</span>
        <ChevronRight aria-hidden="true" className="size-4 text-soft rtl:-scale-x-100" />
      </DropdownMenu.SubTrigger>
      <DropdownMenu.Portal container={home}>
        <DropdownMenu.SubContent
          sideOffset={6}
          collisionPadding={12}
          className="animate-rise z-50 max-h-80 max-w-64 min-w-44 overflow-y-auto rounded-xl bg-raised p-1.5 shadow-float"
        >
          {others.map(({ id, name }) => (
            <MenuItem key={id} Icon={FolderKanban} label={name} onSelect={() => onMove(thread, id)} />
          ))}
          {thread.projectId !== null && (
            <MenuItem Icon={FolderX} label="No project" onSelect={() => onMove(thread, null)} />
          )}
        </DropdownMenu.SubContent>
      </DropdownMenu.Portal>
    </DropdownMenu.Sub>
  );
};
