import { useRef } from "react";
import type { ThreadSummary } from "../../protocol/events.ts";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { useLostRowFocus } from "./use-row-focus.ts";
import { useRowActions } from "./use-row-actions.tsx";
import { ThreadRow } from "./thread-row.tsx";
import { useNow } from "../lib/use-now.ts";

/** A short list of threads with their actions. */
export const ThreadRows = ({ threads }: { readonly threads: readonly ThreadSummary[] }) => {
  const selectedId = useSelected(usePage().route, (route) => route.threadId);
  const now = useNow();
  const { actions, renamingId, dialog } = useRowActions();
  const box = useRef<HTMLUListElement>(null);
  const onFocus = useLostRowFocus(
    threads.map(({ id }) => id),
    (id) => box.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus(),
  );
  return (
    <>
      <ul ref={box} onFocus={onFocus} className="grid grid-cols-1 gap-0.5">
        {threads.map((thread) => (
          <li key={thread.id} className="min-w-0 [contain-intrinsic-size:auto_3.5rem] [content-visibility:auto]">
            <ThreadRow
              thread={thread}
              now={now}
              selected={thread.id === selectedId}
              renaming={thread.id === renamingId}
              actions={actions}
            />
          </li>
        ))}
      </ul>
      {dialog}
    </>
  );
};
