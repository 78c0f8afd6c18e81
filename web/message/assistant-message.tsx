import { RotateCcw, ScanEye } from "lucide-react";
import { Suspense } from "react";
import { isActive, textOf, type MessageView } from "../../protocol/fold.ts";
import type { RunView } from "../../protocol/run.ts";
import { toPageText } from "../labels/notices.ts";
import { PartList } from "../parts/part-list.tsx";
import { listWritten } from "../project/thread/read-acts.ts";
import { SourceRow } from "../sources/source-row.tsx";
import { useSelected } from "../lib/signal.ts";
import { usePage } from "../state/page.ts";
import { toStage } from "../tools/stage.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { message as strings } from "../strings/message.ts";
import { RegenerateWith } from "./regenerate-with.tsx";
import { FactsContext, useMessageFacts } from "../sources/message-facts.ts";
import { MessageActions } from "./message-actions.tsx";
import { MessageMenu } from "./message-menu.tsx";
import { AnswerEnd, RunCost, RunStatus } from "./run-status.tsx";
import { lazyChunk } from "../lib/lazy-chunk.ts";

const LateProject = lazyChunk(() => import("../project/lazy-project.tsx"));

type Props = {
  readonly threadId: string;
  readonly message: MessageView;
  readonly run: RunView | null;
  readonly isLast: boolean;
};

export const AssistantMessage = ({ threadId, message, run, isLast }: Props) => {
  const { commands, sidePanel } = usePage();
  const running = isActive(run);
  const runId = message.runId ?? run?.id ?? null;
  const openReceipts = runId === null ? null : () => sidePanel.set({ kind: "receipts", threadId, runId });
  const facts = useMessageFacts(threadId, message.parts);
  return (
    <article aria-label={strings.assistant} aria-busy={running} className="group/message">
      <div className="grid gap-3 [&>*]:min-w-0">
        <FactsContext value={facts}>
          <PartList parts={message.parts} isRunning={running} />
          {!running && <SourceRow facts={facts} text={textOf(message.parts)} />}
          {!running && runId !== null && <ProjectChanges threadId={threadId} runId={runId} parts={message.parts} />}
        </FactsContext>
        {run && (
          <RunStatus
            threadId={threadId}
            run={run}
            isEmpty={!isWriting(message)}
            stage={findWaiting(run) ?? toStage(message.parts)}
          />
        )}
        {message.endedEarly && (
          <AnswerEnd
            answer={{ threadId, messageId: message.id, modelId: run?.model ?? "" }}
            end={message.endedEarly}
            isLast={isLast}
            hasText={textOf(message.parts).trim() !== ""}
          />
        )}
      </div>
      {!running && (
        <MessageActions threadId={threadId} message={message} text={textOf(message.parts)} isLast={isLast}>
          <IconButton
            label={strings.regenerate}
            className="size-8"
            onClick={() => void commands.regenerate(threadId, message.id)}
          >
            <RotateCcw aria-hidden="true" className="size-4" />
          </IconButton>
          <RegenerateWith threadId={threadId} messageId={message.id} modelId={run?.model ?? ""} />
          {openReceipts && (
            <IconButton label={strings.receipts} className="size-8" onClick={openReceipts}>
              <ScanEye aria-hidden="true" className="size-4" />
            </IconButton>
          )}
          <MessageMenu threadId={threadId} message={message} onOpenReceipts={openReceipts} runId={runId} />
          {run && isLast && <RunCost run={run} />}
        </MessageActions>
      )}
    </article>
  );
};

const findWaiting = ({ waitingFor, waitingSentences }: RunView): string | undefined =>
  waitingFor === undefined ? undefined : toPageText({ text: waitingFor, sentences: waitingSentences });

type ChangesProps = { readonly threadId: string; readonly runId: string; readonly parts: MessageView["parts"] };

/** Changes of this answer to projects. */
const ProjectChanges = ({ threadId, runId, parts }: ChangesProps) => {
  const { getFeed } = usePage();
  const own = useSelected(getFeed(threadId).state, (state) =>
    state.phase === "ready" ? (state.view.thread?.projectId ?? "") : "",
  );
  const projects = [...new Set(listWritten(parts).map((projectId) => projectId || own))];
  return projects.map(
    (projectId) =>
      projectId !== "" && (
        <Suspense key={projectId}>
          <LateProject changes={{ projectId, runId }} />
        </Suspense>
      ),
  );
};

const isWriting = ({ parts }: MessageView): boolean => {
  const last = parts.at(-1);
  return (last?.kind === "text" || last?.kind === "reasoning") && last.state === "streaming";
};
