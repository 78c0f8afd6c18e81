import type { ThreadEvent } from "../../../protocol/events.ts";
import { applyEvent, findAnswer, textOf, type MessageView, type ThreadView } from "../../../protocol/fold.ts";
import { ApiError } from "../../../protocol/errors.ts";
import { threadStream } from "../../../protocol/ids.ts";
import { toDecisionKey } from "../../../protocol/question.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import type { RunView } from "../../../protocol/run.ts";
import type { McpRequest } from "./request.ts";

/** A question in a thread, by the id of its message. */
export type AskedQuestion = { readonly threadId: string; readonly messageId: string };

/** `isQueued`: the question waits behind this answer of an earlier message, which needs a decision. */
export type AnswerState = { readonly answer: MessageView; readonly run: RunView; readonly isQueued?: true };

type Follow = {
  /** Tool calls that were decided in this request; the run may not have seen the decisions yet. */
  readonly decided: ReadonlySet<string>;
  /** Called with a sentence whenever there is something new to tell. */
  readonly onProgress: (text: string) => void;
};

/**
 * Waits until the answer has ended, or needs a decision of the user, or is queued behind one that does. It reads rows and follows the thread's stream, as the page
 * does, so it can start at any time: before, during or long after the run. Throws if the caller leaves; the run continues.
 */
export async function followAnswer(request: McpRequest, question: AskedQuestion, follow: Follow): Promise<AnswerState> {
  for (;;) {
    const { state, view } = await readState(request, question);
    if (state && isSettled(state, follow.decided)) return state;
    await waitForStep(request, { view, question, onProgress: follow.onProgress });
  }
}

const isSettled = ({ run, answer, isQueued }: AnswerState, decided: ReadonlySet<string>): boolean =>
  (run.state === "ended" && !isQueued) ||
  run.state === "parked" ||
  (run.state === "waiting" && listAsking(answer).some((part) => !decided.has(toDecisionKey(part))));

/** Tool calls of an answer that wait for the user. */
export const listAsking = ({ parts }: MessageView): readonly PartOf<"tool">[] =>
  parts.filter((part): part is PartOf<"tool"> => part.kind === "tool" && part.state === "asking");

const TAIL = 20;

type Read = { readonly state: AnswerState | undefined; readonly view: ThreadView };

async function readState({ call }: McpRequest, { threadId, messageId }: AskedQuestion): Promise<Read> {
  const snapshot = await call("getThread", { params: { threadId }, query: { limit: TAIL } });
  const view: ThreadView = { ...snapshot, stale: false, deleted: false };
  const { run: newest, messages } = snapshot;
  if (snapshot.queue.some(({ id }) => id === messageId)) {
    const answer = messages.find(({ id }) => id === newest?.messageId);
    return { state: newest && answer ? { answer, run: newest, isQueued: true } : undefined, view };
  }
  const answer = findAnswer(messages, messageId) ?? (await findOlderAnswer(call, threadId, messageId));
  if (!answer?.runId) return { state: undefined, view };
  const isNewest = newest?.id === answer.runId;
  const run = isNewest ? newest : (await call("getRun", { params: { threadId, runId: answer.runId } })).run;
  return { state: run ? { answer, run } : undefined, view };
}

async function findOlderAnswer(
  call: McpRequest["call"],
  threadId: string,
  messageId: string,
): Promise<MessageView | undefined> {
  const { messages } = await call("listMessages", { params: { threadId }, query: { at: messageId, limit: 1 } }).catch(
    (error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== "not-found") throw error;
      throw new ApiError(
        "not-found",
        "The question was withdrawn, or edited so that it is no longer on the active branch.",
      );
    },
  );
  const depth = messages[0]?.depth ?? 0;
  const next = await call("listMessages", { params: { threadId }, query: { before: depth + 2, limit: 2 } });
  return findAnswer(next.messages, messageId);
}

const PROGRESS_MS = 500;
const STILL_WORKING_MS = 10_000;

type Wait = {
  readonly view: ThreadView;
  readonly question: AskedQuestion;
  readonly onProgress: (text: string) => void;
};

/** Resolves when the run has ended, waits, or the path has changed. Reports progress while it writes. */
function waitForStep({ watch, clock, context }: McpRequest, { view: from, question, onProgress }: Wait): Promise<void> {
  const { signal } = context.mcpReq;
  return new Promise((resolve, reject) => {
    let view = from;
    let toldAt = clock.monotonic();
    const tell = (): void => {
      toldAt = clock.monotonic();
      onProgress(describeProgress(view));
    };
    const timer = setInterval(() => {
      if (clock.monotonic() - toldAt >= STILL_WORKING_MS) tell();
    }, STILL_WORKING_MS / 2).unref();
    const end = (error?: Error): void => {
      clearInterval(timer);
      signal.removeEventListener("abort", onAbort);
      queueMicrotask(() => watcher.close());
      if (error) reject(error);
      else resolve();
    };
    const onAbort = (): void => end(new Error("The client has left."));
    const watcher = watch(threadStream(question.threadId), from.seq, {
      rows: (rows) => {
        for (const { seq, body } of rows) {
          const event = JSON.parse(body) as ThreadEvent;
          view = applyEvent(view, seq, event);
          if (isStep(event)) end();
        }
        if (clock.monotonic() - toldAt >= PROGRESS_MS) tell();
        return true;
      },
    });
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
  });
}

const steps = new Set<ThreadEvent["type"]>(["run-ended", "thread-deleted", "input-withdrawn", "branch-activated"]);

const isStep = (event: ThreadEvent): boolean =>
  steps.has(event.type) || (event.type === "run-stepped" && event.run.state !== "running");

function describeProgress({ run, messages }: ThreadView): string {
  const answer = messages.find(({ id }) => id === run?.messageId);
  if (!run || run.state === "ended" || !answer) return "Waiting for its turn.";
  if (run.state === "waiting") return "Waiting for the user.";
  const busy = answer.parts.findLast((part) => part.kind === "tool" && part.state === "running");
  if (busy?.kind === "tool") return [busy.title ?? busy.name, busy.progress?.text].filter(Boolean).join(": ");
  const { length } = textOf(answer.parts);
  return run.waitingFor ?? (length === 0 ? `Thinking (step ${run.step}).` : `Writing: ${length} characters.`);
}
