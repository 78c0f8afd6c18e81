import { Ellipsis, FilePlus2, FolderPlus, History, Pencil, Trash2 } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useRef } from "react";
import { MenuItem } from "../../ui/menu-item.tsx";
import type { TreeRow } from "./tree-rows.ts";

export type RowAction = "file" | "folder" | "rename" | "delete" | "versions";

type Props = {
  readonly row: TreeRow;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onDeed: (deed: RowAction, row: TreeRow) => void;
};

/** What can be done to a file or a folder. Its button is no stop of the Tab key: the tree has keys for all of it. */
export const RowMenu = ({ row, isOpen, onOpen, onDeed }: Props) => {
  const button = useRef<HTMLButtonElement>(null);
  const chosen = useRef<RowAction>(null);
  const run = (deed: RowAction) => () => {
    chosen.current = deed;
  };
  // Not before the menu is gone: until then it holds on to the focus, which a field for a name wants.
  const finish = (event: Event) => {
    event.preventDefault();
    const deed = chosen.current;
    chosen.current = null;
    if (deed) onDeed(deed, row);
    else button.current?.closest<HTMLElement>("[data-path]")?.focus();
  };
  return (
    <DropdownMenu.Root open={isOpen} onOpenChange={onOpen} modal={false}>
      <DropdownMenu.Trigger asChild>
        <button
          ref={button}
          type="button"
          tabIndex={-1}
          aria-label={`More for ${row.name}`}
          onClick={(event) => event.stopPropagation()}
          className="icon-button size-6 rounded-md opacity-0 group-hover/row:opacity-100 focus-visible:opacity-100 data-[state=open]:opacity-100 pointer-coarse:size-9 pointer-coarse:opacity-100"
        >
          <Ellipsis aria-hidden="true" className="size-4" />
        </button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={document.querySelector("main")}>
        <DropdownMenu.Content
          align="start"
          sideOffset={2}
          onCloseAutoFocus={finish}
          onClick={(event) => event.stopPropagation()}
          onKeyDown={(event) => event.stopPropagation()}
          className="z-50 min-w-44 animate-rise rounded-xl bg-raised p-1.5 shadow-float"
        >
          {row.kind === "folder" && (
            <>
              <MenuItem Icon={FilePlus2} label="New file in here" onSelect={run("file")} />
              <MenuItem Icon={FolderPlus} label="New folder in here" onSelect={run("folder")} />
            </>
          )}
          {row.kind === "file" && <MenuItem Icon={History} label="Its edits" onSelect={run("versions")} />}
          <MenuItem Icon={Pencil} label="Rename or move" onSelect={run("rename")} />
          <MenuItem Icon={Trash2} label="Delete" tone="text-danger" onSelect={run("delete")} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};
