import { Hand, Pin, Trash2, Users } from "lucide-react";
import { memo, Suspense, useState, type KeyboardEvent, type ReactNode } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { isUnread } from "../../protocol/list-fold.ts";
import { toPath } from "../state/route.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { RenameField } from "../ui/rename-field.tsx";
import { startThreadDrag } from "./dragged-thread.ts";
import type { RowActions } from "./use-row-actions.tsx";
import { toRelativeTime } from "../lib/time.ts";
import { actions as shared } from "../strings/actions.ts";
import { list } from "../strings/list.ts";
import { members } from "../strings/project/members.ts";
import { MenuButton } from "../ui/menu-button.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const strings = list.row;
const ThreadMenuPopup = lazyChunk(() => import("./thread-menu-popup.tsx"));

type Props = {
  readonly thread: ThreadSummary;
  readonly selected: boolean;
  readonly renaming: boolean;
  readonly now: number;
  readonly actions: RowActions;
};

export const ThreadRow = memo(({ thread, selected, renaming, now, actions }: Props) => {
  if (renaming)
    return (
      <RenameField
        label={strings.title}
        title={thread.title}
        longest={200}
        className="w-full rounded-xl bg-raised px-3 py-2.5 text-sm font-medium"
        onDone={(title) => actions.onRenamed(thread.id, title)}
      />
    );
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Delete") actions.onDelete(thread);
    if (event.key === "F2") actions.onRename(thread.id);
  };
  const unread = !selected && isUnread(thread);
  return (
    <div
      className={`group/row relative rounded-xl transition-colors ${selected ? "bg-press" : "hover:bg-hover focus-within:bg-hover"}`}
    >
      <a
        href={toPath(thread.id)}
        data-row={thread.id}
        aria-current={selected ? "page" : undefined}
        draggable
        onDragStart={(event) => startThreadDrag(event, thread)}
        onKeyDown={onKeyDown}
        onDoubleClick={() => actions.onRename(thread.id)}
        className="block scroll-my-10 rounded-xl px-3 py-2 focus-visible:-outline-offset-2 pointer-coarse:pe-12"
      >
        <span className="flex items-baseline gap-2">
          {thread.status === "streaming" && <PulseDot />}
          {thread.status === "waiting" && <NeedsApproval />}
          {unread && thread.status !== "waiting" && <UnreadDot />}
          <span
            dir="auto"
            className={`min-w-0 flex-1 truncate text-sm ${selected || unread ? "font-semibold" : "font-medium"}`}
          >
            {thread.title || strings.untitled}
          </span>
          {thread.shared && (
            <Users role="img" aria-label={members.shared} className="size-3 flex-none self-center text-soft" />
          )}
          {thread.pinned && <Pin aria-label={strings.pinned} className="size-3 flex-none self-center text-soft" />}
          <span className="flex-none text-xs text-soft pointer-fine:group-focus-within/row:invisible pointer-fine:group-hover/row:invisible">
            {toRelativeTime(thread.updatedAt, now)}
          </span>
        </span>
        <span dir="auto" className="mt-0.5 block truncate text-[0.8rem] text-soft">
          {describeState(thread) ?? thread.preview}
        </span>
      </a>
      <span className="absolute end-1 top-1 flex pointer-coarse:top-2 opacity-0 transition-opacity group-focus-within/row:opacity-100 group-hover/row:opacity-100 pointer-coarse:opacity-100">
        <IconButton
          label={strings.delete(thread.title)}
          hint={shared.delete}
          className="size-7 pointer-coarse:hidden"
          onClick={() => actions.onDelete(thread)}
        >
          <Trash2 aria-hidden="true" className="size-3.5" />
        </IconButton>
        <ThreadMenu thread={thread} actions={actions} />
      </span>
    </div>
  );
});

/** Shown instead of the newest answer; null: the answer is shown. */
function describeState({ title, status, preview }: ThreadSummary): ReactNode {
  if (status === "waiting") return <span className="text-accent-strong">{strings.needsApproval}</span>;
  if (status === "streaming") return <i>{strings.writing}</i>;
  if (preview !== "") return null;
  return <i>{title === "" ? strings.noMessages : status === "error" ? strings.failed : strings.noAnswer}</i>;
}

/** The menu is loaded on first use; until then only its button is rendered. */
const ThreadMenu = ({ thread, actions }: Pick<Props, "thread" | "actions">) => {
  const [isUsed, setUsed] = useState(false);
  const button = <MenuButton title={thread.title} aria-expanded={false} onClick={() => setUsed(true)} />;
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <ThreadMenuPopup thread={thread} actions={actions} />
    </Suspense>
  );
};

const PulseDot = () => (
  <span
    role="img"
    aria-label={strings.answering}
    className="size-2 flex-none animate-pulse-dot self-center rounded-full bg-accent"
  />
);

const UnreadDot = () => (
  <span role="img" aria-label={strings.unread} className="size-2 flex-none self-center rounded-full bg-accent" />
);

const NeedsApproval = () => <Hand aria-hidden="true" className="size-3.5 flex-none self-center text-accent-strong" />;
