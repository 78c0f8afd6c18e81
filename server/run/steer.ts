import type { LogEvent } from "../../protocol/events.ts";
import { textOf } from "../../protocol/fold.ts";
import { threadStream } from "../../protocol/ids.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { toHead, toInputBody, toPart } from "../thread/rows.ts";
import { threadListStream } from "../thread/shared.ts";
import { indexMessage } from "../thread/search-docs.ts";
import type { BatchContent } from "./deliver.ts";
import { markDelivered, toMessageRow, planInputFiles, toMessageEvents } from "./message-rows.ts";
import { noAttachedFiles } from "./plan-attached.ts";
import type { RunDeps } from "./run-context.ts";
import { toRunChange, type RunState } from "./state.ts";

type Steering = {
  readonly state: RunState;
  readonly inputs: readonly RowOf<"inputs">[];
  readonly thread: RowOf<"threads">;
};

/** Delivers messages that steer a running answer: they follow the answer so far, which continues in a new message below them. */
export async function planSteering(
  deps: RunDeps,
  { state, inputs, thread }: Steering,
): Promise<{ readonly state: RunState; readonly batch: BatchContent }> {
  const now = deps.clock.now();
  const { view, depth, branchId } = state;
  const branchPoint = { branchId };
  const stream = threadStream(thread.id);
  const messages = inputs.map((input, index) => ({
    input,
    body: toInputBody(input),
    row: toMessageRow({
      thread,
      id: input.id,
      branchPoint,
      depth: depth + 1 + index,
      role: "user",
      runId: null,
      now,
      from: input,
    }),
  }));
  const answerDepth = depth + inputs.length + 1;
  const answer = toMessageRow({
    thread,
    id: deps.ids.next(),
    branchPoint,
    depth: answerDepth,
    role: "assistant",
    runId: view.id,
    now,
  });
  const model = messages.findLast(({ body }) => body.model !== null)?.body.model ?? state.model;
  const next: RunState = {
    ...state,
    // The next model calls answer the newest message.
    ownerId: (state.shared ? inputs.at(-1)?.author : null) ?? state.ownerId,
    view: { ...view, messageId: answer.id, model },
    depth: answerDepth,
    model,
    nextPart: 0,
    continues: false,
    at: state.at.kind === "ready" ? { ...state.at, model } : state.at,
  };
  const messageCount = thread.message_count + inputs.length + 1;
  const changed: LogEvent = { type: "thread-changed", threadId: thread.id, patch: { messageCount } };
  const attached = await planInputFiles(deps, thread, messages, { model, now });
  const filesOf = ({ id }: RowOf<"inputs">) => attached.get(id) ?? noAttachedFiles;
  const answerText = textOf((await deps.store.read.partsOf(thread.id, [view.messageId])).map(toPart));
  return {
    state: next,
    batch: {
      events: [
        ...messages.flatMap(({ input, row, body }) => [
          ...toMessageEvents(stream, toHead(row, []), body),
          ...filesOf(input).events,
        ]),
        { stream, event: { type: "message-added", message: toHead(answer, []) } },
        { stream: threadListStream(thread), event: changed },
        { stream, event: changed },
        { stream, event: { type: "run-stepped", run: next.view } },
      ],
      writes: [
        {
          do: "update",
          table: "threads",
          set: { message_count: messageCount },
          where: { id: thread.id, branch: branchId },
          expectOne: true,
        },
        ...messages.flatMap(({ input, row, body }): Write[] => [
          markDelivered(input),
          { do: "insert", table: "messages", row },
          ...filesOf(input).writes,
          ...indexMessage(thread, row, body.text),
        ]),
        { do: "insert", table: "messages", row: answer },
        { do: "update", table: "branches", set: { tip: answerDepth }, where: { thread: thread.id, id: branchId } },
        { do: "update", table: "runs", set: toRunChange(next), where: { id: view.id }, expectOne: true },
        ...indexMessage(thread, { id: view.messageId, created_at: now }, answerText),
      ],
    },
  };
}
