import { useEffect, useEffectEvent, useRef } from "react";
import { isActive, type ThreadView } from "../../protocol/fold.ts";
import { cardKindOf } from "../labels/card-kind.ts";
import { unwrapCall } from "../labels/tools.ts";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import type { WorkspaceRoute, WorkspaceSide } from "../state/workspace-route.ts";
import { readFileCall } from "./read-call.ts";
import { useWorkspaceStore } from "./state/use-workspace-store.ts";

type Following = { readonly runId: string; readonly isOn: boolean; readonly last: string | null };
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

  const begin = useEffectEvent((id: string) => {
    following.current = { runId: id, isOn: route.side === "files", last: null };
  });
  const open = useEffectEvent((written: string) => {
    const now = following.current;
    if (!now?.isOn || runId === null) return;
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
    const now = following.current;
    following.current = null;
    const isUnmoved = now?.isOn && now.last !== null && route.side === "files" && store.tabs.row.get().at === now.last;
    if (isUnmoved) onSide("preview");
  });
  useEffect(() => {
    if (runId === null) return;
    begin(runId);
    return () => end();
  }, [runId]);
  useEffect(() => {
    if (path !== null) open(path);
  }, [path, runId]);
}

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
