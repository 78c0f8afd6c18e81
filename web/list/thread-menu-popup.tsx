import { Archive, ArchiveRestore, Pencil, Pin, PinOff, Trash2, type LucideIcon } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ThreadSummary } from "../../protocol/events.ts";
import { MenuButton } from "./menu-button.tsx";
import type { RowActions } from "./thread-row.tsx";

type Props = { readonly thread: ThreadSummary; readonly actions: RowActions };

/** Mounted by the first press on its button, so it begins open. */
const ThreadMenuPopup = ({ thread, actions }: Props) => (
  <DropdownMenu.Root defaultOpen>
    <DropdownMenu.Trigger asChild>
      <MenuButton title={thread.title} />
    </DropdownMenu.Trigger>
    <DropdownMenu.Portal>
      <DropdownMenu.Content
        align="end"
        sideOffset={4}
        onCloseAutoFocus={(event) => event.preventDefault()}
        className="animate-rise z-50 min-w-44 rounded-xl bg-raised p-1.5 shadow-float"
      >
        <Item Icon={Pencil} label="Rename" onSelect={() => actions.onRename(thread.id)} />
        <Item
          Icon={thread.pinned ? PinOff : Pin}
          label={thread.pinned ? "Unpin" : "Pin"}
          onSelect={() => actions.onPin(thread)}
        />
        <Item
          Icon={thread.archived ? ArchiveRestore : Archive}
          label={thread.archived ? "Unarchive" : "Archive"}
          onSelect={() => actions.onArchive(thread)}
        />
        <Item Icon={Trash2} label="Delete" tone="text-danger" onSelect={() => actions.onDelete(thread)} />
      </DropdownMenu.Content>
    </DropdownMenu.Portal>
  </DropdownMenu.Root>
);

type ItemProps = {
  readonly Icon: LucideIcon;
  readonly label: string;
  readonly tone?: string;
  readonly onSelect: () => void;
};

const Item = ({ Icon, label, tone = "", onSelect }: ItemProps) => (
  <DropdownMenu.Item
    onSelect={onSelect}
    className={`flex cursor-pointer items-center gap-2.5 rounded-lg px-2.5 py-1.5 text-sm outline-none data-highlighted:bg-hover ${tone}`}
  >
    <Icon aria-hidden="true" className="size-4 opacity-80" />
    {label}
  </DropdownMenu.Item>
);

export default ThreadMenuPopup;
