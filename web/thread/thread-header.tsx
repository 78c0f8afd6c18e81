import { FolderKanban, Hourglass } from "lucide-react";
import { Suspense, useState } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import type { LinkState } from "../api/follow.ts";
import { DrawerButton } from "../ui/drawer-button.tsx";
import { useSignal, type Signal } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { ContextButtons } from "../context/context-buttons.tsx";
import { WorkspaceButton } from "../workspace/workspace-button.tsx";
import { thread as strings } from "../strings/thread.ts";
import { LinkNote } from "../ui/link-note.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";

type Props = {
  readonly threadId: string;
  readonly thread: ThreadSummary | null;
  readonly link: Signal<LinkState>;
};

const LateProject = lazyChunk(() => import("../project/late-project.tsx"));

export const ThreadHeader = ({ threadId, thread, link }: Props) => (
  <header className="flex min-h-13 flex-none flex-wrap items-center gap-x-2 px-3 pt-[env(safe-area-inset-top)] sm:px-5 @max-3xl:pt-[max(0.4rem,env(safe-area-inset-top))]">
    <DrawerButton />
    <h1 dir="auto" className="min-w-0 flex-1 truncate text-sm font-medium text-soft">
      {thread?.title ?? ""}
    </h1>
    {thread?.temporary && <TemporaryMark />}
    <LinkNote isWaiting={useSignal(link) === "waiting"} />
    {thread && <Place thread={thread} />}
    {thread && <ContextButtons threadId={threadId} />}
    {thread?.projectId && <WorkspaceButton projectId={thread.projectId} />}
  </header>
);

const TemporaryMark = () => (
  <span
    title={strings.temporary.hint}
    className="flex flex-none items-center gap-1.5 rounded-full bg-accent-wash px-2.5 py-1 text-xs font-medium text-accent-strong"
  >
    <Hourglass aria-hidden="true" className="size-3.5" />
    <span>
      {strings.temporary.name}
      <span className="font-normal @max-md:sr-only">{strings.temporary.detail}</span>
    </span>
  </span>
);

/** The thread's project. Without one there is a single button, whose menu is loaded on first use. */
const Place = ({ thread }: { readonly thread: ThreadSummary }) => {
  const { commands, projectMenu } = usePage();
  const opened = useSignal(projectMenu);
  const change = (next: Partial<ThreadSummary>) => void commands.changeThread(thread.id, next);
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
