import {
  Archive,
  ArchiveRestore,
  Braces,
  Download,
  Pencil,
  Pin,
  PinOff,
  Printer,
  Search,
  Share2,
  Trash2,
} from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { MoveMenu } from "./move-menu.tsx";
import type { RowActions } from "./use-row-actions.tsx";
import { exportThread } from "../api/export-thread.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { list as strings } from "../strings/list.ts";
import { actions as shared } from "../strings/actions.ts";
import { MenuButton } from "../ui/menu-button.tsx";
import { MenuItem } from "../ui/menu-item.tsx";

type Props = {
  readonly thread: ThreadSummary;
  readonly actions: Omit<RowActions, "onRenamed">;
  /** Names the thread on the button; its title by default. */
  readonly name?: string;
};

/** Mounted by the first click on its button, so it starts open. */
const ThreadMenuPopup = ({ thread, actions, name = thread.title }: Props) => {
  const { sheet, finding, route, go } = usePage();
  // Rendered next to its row: in the sidebar or in the drawer.
  const [container, setContainer] = useState<HTMLElement | null>(null);
  return (
    <DropdownMenu.Root defaultOpen modal={false}>
      <DropdownMenu.Trigger asChild>
        <MenuButton
          title={name}
          ref={(button) => setContainer(button?.closest<HTMLElement>("[role=dialog], aside, main") ?? null)}
        />
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal container={container}>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={keepFocus}
          className="animate-rise z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-44 overflow-y-auto rounded-xl bg-raised p-1.5 shadow-float"
        >
          <MenuItem Icon={Pencil} label={shared.rename} onSelect={() => actions.onRename(thread.id)} />
          <MenuItem
            Icon={thread.pinned ? PinOff : Pin}
            label={thread.pinned ? strings.menu.unpin : strings.menu.pin}
            onSelect={() => actions.onPin(thread)}
          />
          <MenuItem
            Icon={thread.archived ? ArchiveRestore : Archive}
            label={thread.archived ? strings.menu.unarchive : strings.menu.archive}
            onSelect={() => actions.onArchive(thread)}
          />
          <MoveMenu thread={thread} onMove={actions.onMove} />
          <MenuItem
            Icon={Search}
            label={strings.menu.find}
            onSelect={() => {
              if (route.get().threadId !== thread.id) go(toPath(thread.id));
              finding.set(thread.id);
            }}
          />
          <MenuItem
            Icon={Share2}
            label={strings.menu.share}
            onSelect={() => sheet.set({ kind: "share", threadId: thread.id })}
          />
          <MenuItem
            Icon={Download}
            label={strings.menu.exportMarkdown}
            onSelect={() => exportThread(thread.id, "markdown")}
          />
          <MenuItem Icon={Printer} label={strings.menu.exportHtml} onSelect={() => exportThread(thread.id, "html")} />
          <MenuItem Icon={Braces} label={strings.menu.exportJson} onSelect={() => exportThread(thread.id, "json")} />
          <MenuItem Icon={Trash2} label={shared.delete} tone="text-danger" onSelect={() => actions.onDelete(thread)} />
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
};

/** The chosen action may have moved the focus: then it stays there. */
const keepFocus = (event: Event): void => {
  if (document.activeElement !== document.body) event.preventDefault();
};

export default ThreadMenuPopup;
