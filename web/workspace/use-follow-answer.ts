import { useEffect, useEffectEvent, useRef } from "react";
import { isActive, type ThreadView } from "../../protocol/fold.ts";
import { cardKindOf } from "../labels/card-kind.ts";
import { unwrapCall } from "../labels/tools.ts";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import type { WorkspaceRoute, WorkspaceSide } from "../state/workspace-route.ts";
import { readFileCall } from "./read-call.ts";
import { useWorkspaceStore } from "./state/use-workspace-store.ts";

type Following = { readonly isOn: boolean; readonly last: string | null };
type Options = { readonly route: WorkspaceRoute; readonly onSide: (side: WorkspaceSide) => void };

/**
 * While an answer writes files, opens each one, and at the end the preview. Only if the answer began while the files were
 * shown, and until the user chooses another view or file.
 */
export function useFollowAnswer({ route, onSide }: Options): void {
  const page = usePage();
  const store = useWorkspaceStore(route.projectId);
  const threadId = useSelected(page.route, (now) => now.threadId) ?? "";
  const { state } = page.getFeed(threadId);
  const read = (now: ReturnType<typeof state.get>) => (now.phase === "ready" ? now.view : null);
  const runId = useSelected(state, (now) => {
    const run = read(now)?.run;
    return run && isActive(run) ? run.id : null;
  });
  const path = useSelected(state, (now) => findWritten(read(now)));
  const following = useRef<Following | null>(null);

  const begin = useEffectEvent(() => {
    following.current = { isOn: route.side === "files", last: null };
  });
  const open = useEffectEvent((written: string) => {
    const now = following.current;
    if (!now?.isOn) return;
    const { at } = store.tabs.row.get();
    const hasLeft = route.side !== "files" || (now.last !== null && at !== now.last);
    if (hasLeft || (at !== null && store.buffers.isUnsaved(at))) {
      following.current = { ...now, isOn: false };
      return;
    }
    store.tabs.open(written);
    following.current = { ...now, last: written };
  });
  const end = useEffectEvent(() => {
    // The last file and the end of the answer may arrive together.
    if (path !== null) open(path);
    const now = following.current;
    following.current = null;
    // It still runs if the user leaves the thread.
    if (!now?.isOn || now.last === null || runId !== null) return;
    if (route.side === "files" && store.tabs.row.get().at === now.last) onSide("preview");
  });
  useEffect(() => {
    if (runId === null) return;
    begin();
    return () => end();
  }, [runId]);
  useEffect(() => {
    if (path !== null) open(path);
  }, [path, runId]);

  // A short answer can begin and end between two renders.
  const startedAt = useSelected(state, (now) => (now.phase === "ready" ? (now.view.run?.startedAt ?? 0) : null));
  const newest = useRef<{ readonly threadId: string; readonly startedAt: number } | null>(null);
  const followMissed = useEffectEvent(() => {
    begin();
    end();
  });
  useEffect(() => {
    if (startedAt === null) return;
    const before = newest.current?.threadId === threadId ? newest.current.startedAt : Infinity;
    newest.current = { threadId, startedAt: before === Infinity ? startedAt : Math.max(before, startedAt) };
    if (startedAt > before && runId === null) followMissed();
  }, [threadId, startedAt, runId]);
}

/** A thread that was finished elsewhere opens with its preview, if there is a page to run. Decided once, when both are loaded. */
export function useFirstPreview({ route, onSide }: Options): void {
  const page = usePage();
  const { feed, tabs } = useWorkspaceStore(route.projectId);
  const threadId = useSelected(page.route, (now) => now.threadId) ?? "";
  const isRunning = useSelected(page.getFeed(threadId).state, (now) =>
    now.phase === "ready" ? now.view.run !== null && isActive(now.view.run) : null,
  );
  const hasPage = useSelected(feed.state, (now) =>
    now.phase === "ready" ? now.files.some(({ path }) => startFiles.test(path)) : null,
  );
  const isDecided = useRef(false);
  const decide = useEffectEvent(() => {
    if (isDecided.current || isRunning === null || hasPage === null) return;
    isDecided.current = true;
    const isUntouched = route.isFirst === true && route.side === "files" && tabs.row.get().at === null;
    if (isUntouched && hasPage && !isRunning) onSide("preview");
  });
  useEffect(() => decide(), [isRunning, hasPage]);
}

/** The files that the server runs as a page. */
const startFiles = /^(?:index\.html|(?:src\/)?App\.[jt]sx)$/;

/** The file that the current answer has written last. */
function findWritten(view: ThreadView | null): string | null {
  const parts = view?.messages.find(({ id }) => id === view.run?.messageId)?.parts ?? [];
  for (const part of parts.toReversed()) {
    if (part.kind !== "tool" || part.state !== "ok") continue;
    const call = unwrapCall(part);
    if (cardKindOf(call.name) === "fileChange" && !call.name.includes("delete")) return readFileCall(call).path || null;
  }
  return null;
}
