import { memo, Suspense } from "react";
import type { CompactionView } from "../../protocol/context/context.ts";
import { SendState } from "../composer/queue.tsx";
import { ErrorBoundary } from "../ui/error-boundary.tsx";
import { PlainText } from "../ui/plain-text.tsx";
import { usePage } from "../state/page.ts";
import { AssistantMessage } from "../message/assistant-message.tsx";
import { thread } from "../strings/thread.ts";
import type { Row } from "./rows.ts";
import { RunStatus } from "../message/run-status.tsx";
import { UserMessage } from "../message/user-message.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const LateView = lazyChunk(() => import("../context/lazy-view.tsx"));

type Props = { readonly threadId: string; readonly row: Row; readonly marked: boolean; readonly isLast: boolean };

/** Rows are rebuilt for every view, but their contents keep their identity; those decide whether to render. */
export const ConversationRow = memo(
  ({ threadId, row, marked, isLast }: Props) => (
    <div
      className={`mx-auto w-full max-w-3xl px-4 pb-4 transition-shadow duration-700 sm:px-6 ${marked ? "shadow-[inset_3px_0_var(--accent)]" : ""}`}
    >
      {draw(threadId, row, isLast)}
    </div>
  ),
  (a, b) => a.marked === b.marked && a.isLast === b.isLast && a.threadId === b.threadId && isSameRow(a.row, b.row),
);

function draw(threadId: string, row: Row, isLast: boolean) {
  if (row.kind === "waiting") return <div aria-hidden="true" className="h-36" />;
  if (row.kind === "unsent") return <UnsentRow row={row} />;
  if (row.kind === "run") return <RunStatus threadId={threadId} run={row.run} isEmpty />;
  const props = { threadId, message: row.message, isLast };
  return (
    <>
      {row.compactions.map((compaction) => (
        <Compaction key={compaction.id} threadId={threadId} compaction={compaction} />
      ))}
      <ErrorBoundary resetKey={row.message}>
        {row.message.role === "user" ? <UserMessage {...props} /> : <AssistantMessage {...props} run={row.run} />}
      </ErrorBoundary>
    </>
  );
}

function isSameRow(a: Row, b: Row): boolean {
  if (a.kind === "message" && b.kind === "message")
    return a.message === b.message && a.run === b.run && a.compactions === b.compactions;
  if (a.kind === "waiting" && b.kind === "waiting") return a.key === b.key;
  if (a.kind === "unsent" && b.kind === "unsent") return a.item === b.item;
  return a.kind === "run" && b.kind === "run" && a.run === b.run;
}

/** Reserves its space while it loads. */
const Compaction = ({ threadId, compaction }: { readonly threadId: string; readonly compaction: CompactionView }) => (
  <div className="pb-4">
    <Suspense fallback={<div className="h-9" />}>
      <LateView marker={{ threadId, compaction }} />
    </Suspense>
  </div>
);

const UnsentRow = ({ row }: { readonly row: Extract<Row, { kind: "unsent" }> }) => {
  const { outbox } = usePage();
  const fileCount = row.item.attachments?.length ?? 0;
  return (
    <article aria-label={thread.messages.unsent} className="flex flex-col items-end">
      <div className="max-w-[85%] rounded-2xl bg-bubble px-4 py-2.5 opacity-75">
        {row.item.text !== "" && <PlainText text={row.item.text} />}
        {fileCount > 0 && <p className="text-sm text-soft">{thread.messages.files(fileCount)}</p>}
      </div>
      <SendState item={row.item} onRetry={outbox.retry} onDiscard={outbox.discard} />
    </article>
  );
};
