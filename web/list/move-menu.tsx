import { ChevronRight, FolderInput, FolderKanban, FolderX } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useEffect, useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { useSignal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { list as strings } from "../strings/list.ts";
import { MenuItem } from "../ui/menu-item.tsx";

type Props = {
  readonly thread: ThreadSummary;
  readonly onMove: (thread: ThreadSummary, projectId: string | null) => void;
};

/** Moves a thread into or out of a project. Expands inside the menu: a phone has no space for a submenu. */
export const MoveMenu = ({ thread, onMove }: Props) => {
  const { projects } = usePage();
  const { projects: all } = useSignal(projects.state);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => void projects.load(), [projects]);
  const others = all.filter(({ id, archived }) => !archived && id !== thread.projectId);
  if (others.length === 0 && thread.projectId === null) return null;
  return (
    <>
      <DropdownMenu.Item
        aria-expanded={isOpen}
        onSelect={(event) => {
          event.preventDefault();
          setOpen(!isOpen);
        }}
        className="flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover pointer-coarse:py-2.5"
      >
        <FolderInput aria-hidden="true" className="size-4 flex-none opacity-80" />
        <span className="flex-1">{strings.menu.move}</span>
        <ChevronRight
          aria-hidden="true"
          className={`size-4 text-soft transition-transform rtl:-scale-x-100 ${isOpen ? "rotate-90" : ""}`}
        />
      </DropdownMenu.Item>
      {isOpen && (
        <DropdownMenu.Group aria-label={strings.menu.projects} className="max-h-60 max-w-60 overflow-y-auto ps-4">
          {others.map(({ id, name }) => (
            <MenuItem key={id} Icon={FolderKanban} label={name} onSelect={() => onMove(thread, id)} />
          ))}
          {thread.projectId !== null && (
            <MenuItem Icon={FolderX} label={strings.menu.noProject} onSelect={() => onMove(thread, null)} />
          )}
        </DropdownMenu.Group>
      )}
    </>
  );
};
