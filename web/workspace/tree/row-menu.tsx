import { Ellipsis, FilePlus2, FolderPlus, History, Pencil, Trash2 } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useRef } from "react";
import { MenuItem } from "../../ui/menu-item.tsx";
import type { TreeRow } from "./tree-rows.ts";
import { workspace as strings } from "../../strings/workspace/workspace.ts";
import { ui } from "../../strings/ui.ts";
import { actions } from "../../strings/actions.ts";

export type RowAction = "file" | "folder" | "rename" | "delete" | "versions";

type Props = {
  readonly row: TreeRow;
  readonly isOpen: boolean;
  readonly onOpen: (isOpen: boolean) => void;
  readonly onAction: (action: RowAction, row: TreeRow) => void;
};

/** Actions for a file or folder. The button is not reachable by Tab, because the tree has keys for all actions. */
export const RowMenu = ({ row, isOpen, onOpen, onAction }: Props) => {
  const button = useRef<HTMLButtonElement>(null);
  const chosen = useRef<RowAction>(null);
  const run = (action: RowAction) => () => {
    chosen.current = action;
  };
  // Runs after the menu has closed: until then it would take the focus from the name field.
  const finish = (event: Event) => {
    event.preventDefault();
    const action = chosen.current;
    chosen.current = null;
    if (action) onAction(action, row);
    else button.current?.closest<HTMLElement>("[data-path]")?.focus();
  };
  return (
    <DropdownMenu.Root open={isOpen} onOpenChange={onOpen} modal={false}>
      <DropdownMenu.Trigger asChild>
        <button
          ref={button}
          type="button"
          tabIndex={-1}
          aria-label={ui.moreFor(row.name)}
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
              <MenuItem Icon={FilePlus2} label={strings.files.newFile} onSelect={run("file")} />
              <MenuItem Icon={FolderPlus} label={strings.files.newFolder} onSelect={run("folder")} />
            </>
          )}
          {row.kind === "file" && <MenuItem Icon={History} label={strings.files.versions} onSelect={run("versions")} />}
          <MenuItem Icon={Pencil} label={strings.files.rename} onSelect={run("rename")} />
          <MenuItem Icon={Trash2} label={actions.delete} tone="text-danger" onSelect={run("delete")} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};
