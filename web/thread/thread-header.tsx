import { FolderKanban, Hourglass, Share2, SquarePen, Users } from "lucide-react";
import { Suspense, useEffect, useRef, useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import type { LinkState } from "../api/follow.ts";
import { DrawerButton } from "../ui/drawer-button.tsx";
import { useSignal, type Signal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toPath } from "../state/route.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { MenuButton } from "../ui/menu-button.tsx";
import { RenameField } from "../ui/rename-field.tsx";
import { ContextButtons } from "../context/context-buttons.tsx";
import { WorkspaceButton } from "../workspace/workspace-button.tsx";
import { members } from "../strings/project/members.ts";
import { thread as strings } from "../strings/thread.ts";
import { LinkNote } from "../ui/link-note.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";

type Props = {
  readonly threadId: string;
  readonly thread: ThreadSummary | null;
  readonly link: Signal<LinkState>;
};

const LateProject = lazyChunk(() => import("../project/lazy-project.tsx"));

export const ThreadHeader = ({ threadId, thread, link }: Props) => (
  <header className="flex min-h-13 flex-none flex-wrap items-center gap-x-1 px-3 pt-[env(safe-area-inset-top)] sm:px-5 @max-3xl:pt-[max(0.4rem,env(safe-area-inset-top))]">
    <DrawerButton />
    <ThreadTitle thread={thread} />
    {thread?.shared && <SharedMark />}
    {thread?.temporary && <TemporaryMark threadId={threadId} />}
    <LinkNote isWaiting={useSignal(link) === "waiting"} />
    {thread && !thread.temporary && <ProjectChoice thread={thread} />}
    {thread && <ContextButtons threadId={threadId} />}
    {thread?.projectId && <WorkspaceButton projectId={thread.projectId} />}
    {thread && !thread.temporary && <ShareButton threadId={threadId} />}
    {thread && !thread.temporary && <ThreadMenu thread={thread} />}
    <a
      href={toPath(null)}
      aria-label={strings.header.newThread}
      title={strings.header.newThread}
      className="icon-button md:hidden"
    >
      <SquarePen aria-hidden="true" className="size-4.5" />
    </a>
  </header>
);

const longestTitle = 200;

/** The title; a click renames the thread in place. */
const ThreadTitle = ({ thread }: { readonly thread: ThreadSummary | null }) => {
  const { threadActions } = usePage();
  const [isEditing, setEditing] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const wasEditing = useRef(false);
  useEffect(() => {
    // In the next frame, so that the key that ended the editing does not press the button.
    if (!isEditing && wasEditing.current) requestAnimationFrame(() => button.current?.focus());
    wasEditing.current = isEditing;
  }, [isEditing]);
  if (thread && isEditing)
    return (
      <RenameField
        label={strings.header.title}
        title={thread.title}
        longest={longestTitle}
        className="h-9 min-w-0 flex-1 rounded-lg bg-hover px-2 text-sm font-medium"
        onDone={(title) => {
          setEditing(false);
          if (title) void threadActions.rename(thread.id, title);
        }}
      />
    );
  const title = thread?.title ?? "";
  return (
    <h1 className="flex min-w-0 flex-1 text-sm font-medium text-soft">
      {thread && title !== "" && (
        <button
          ref={button}
          type="button"
          title={strings.header.rename}
          className="min-h-9 min-w-0 rounded-lg px-2 text-start hover:bg-hover hover:text-ink"
          onClick={() => setEditing(true)}
        >
          <span dir="auto" className="block truncate">
            {title}
          </span>
        </button>
      )}
    </h1>
  );
};

const ShareButton = ({ threadId }: { readonly threadId: string }) => {
  const { sheet } = usePage();
  return (
    <IconButton
      label={strings.header.share}
      className="@max-md:hidden"
      onClick={() => sheet.set({ kind: "share", threadId })}
    >
      <Share2 aria-hidden="true" className="size-4.5" />
    </IconButton>
  );
};

const ThreadMenuPopup = lazyChunk(() => import("../list/thread-menu-popup.tsx"));

/** The same menu as in the list, loaded on first use. */
const ThreadMenu = ({ thread }: { readonly thread: ThreadSummary }) => {
  const { threadActions, sheet } = usePage();
  const [isUsed, setUsed] = useState(false);
  const { id } = thread;
  const actions = {
    onRename: () => sheet.set({ kind: "rename", threadId: id }),
    onPin: threadActions.pin,
    onArchive: threadActions.archive,
    onMove: threadActions.move,
    onDelete: () => sheet.set({ kind: "delete", threadId: id }),
  } as const;
  const button = <MenuButton title={strings.header.menuTarget} aria-expanded={false} onClick={() => setUsed(true)} />;
  if (!isUsed) return button;
  return (
    <Suspense fallback={button}>
      <ThreadMenuPopup thread={thread} name={strings.header.menuTarget} actions={actions} />
    </Suspense>
  );
};

const SharedMark = () => (
  <span role="img" aria-label={members.shared} title={members.shared} className="flex-none px-1.5 text-soft">
    <Users aria-hidden="true" className="size-4" />
  </span>
);

const TemporaryMark = ({ threadId }: { readonly threadId: string }) => {
  const { commands } = usePage();
  return (
    <span
      title={strings.temporary.hint}
      className="flex flex-none items-center gap-1.5 rounded-full bg-accent-wash py-1 ps-2.5 pe-1 text-xs font-medium text-accent-strong"
    >
      <Hourglass aria-hidden="true" className="size-3.5" />
      <span>
        {strings.temporary.name}
        <span className="font-normal @max-md:sr-only">{strings.temporary.detail}</span>
      </span>
      <button
        type="button"
        title={strings.temporary.keepHint}
        className="min-h-6 rounded-full bg-raised px-2.5 text-ink hover:bg-hover pointer-coarse:min-h-9"
        onClick={() => void commands.changeThread(threadId, { temporary: false })}
      >
        {strings.temporary.keep}
      </button>
    </span>
  );
};

/** The thread's project. Without one there is a single button, whose menu is loaded on first use. */
const ProjectChoice = ({ thread }: { readonly thread: ThreadSummary }) => {
  const { commands, projectMenu } = usePage();
  const opened = useSignal(projectMenu);
  const change = ({ temporary: _, ...next }: Partial<ThreadSummary>) => void commands.changeThread(thread.id, next);
  // The menu is loaded and opened by the first click; it is opened again by a new key.
  const [first] = useState(opened);
  if (thread.projectId === null) {
    const button = (
      <IconButton label={strings.header.addToProject} onClick={() => projectMenu.set(opened + 1)}>
        <FolderKanban aria-hidden="true" className="size-4.5" />
      </IconButton>
    );
    if (opened === first) return button;
    return (
      <Suspense fallback={button}>
        <LateProject
          key={opened}
          choice={{
            projectId: null,
            label: strings.header.addToProject,
            look: "icon-button",
            startsOpen: true,
            onPick: (projectId) => change({ projectId, focusId: null }),
            children: <FolderKanban aria-hidden="true" className="size-4.5" />,
          }}
        />
      </Suspense>
    );
  }
  return (
    <div className="min-w-0 @max-3xl:order-last @max-3xl:basis-full @max-3xl:pb-1.5">
      <Suspense fallback={<div className="h-8" />}>
        <LateProject chips={{ project: thread, turn: thread.updatedAt, onChange: change }} />
      </Suspense>
    </div>
  );
};
