import type { Principal } from "../auth/principal.ts";
import { runWaiting, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { AcceptedInput, Admission, AdmitOptions } from "./admission.ts";
import type { CallerRequest, InputBody } from "./rows.ts";
import { checkModel } from "./create-thread.ts";
import { checkRole, createEnqueue, planFiles } from "./enqueue.ts";

/** A message of a program that speaks another API. */
type CallerMessage = Pick<InputBody, "text" | "target" | "caller" | "history" | "begun" | "answerId"> & {
  readonly id: string;
  readonly model: string;
  readonly attachments: readonly string[];
  /** The thread as the caller's message continues it. If it has changed, the message is rejected with `conflict`. */
  readonly expected?: Pick<RowOf<"threads">, "branch" | "message_count" | "status">;
  /** A run that waits for the caller. It is stopped; the message is rejected with `conflict` if it no longer waits. */
  readonly stops?: string;
  /** Rows to commit with the message. */
  readonly writes: readonly Write[];
};

/** A message of such a program that was not answered, sent again. `target`: its answer, which failed. */
type RepeatedQuestion = {
  readonly id: string;
  readonly target: string;
  readonly model: string;
  readonly caller: CallerRequest;
  readonly expected: NonNullable<CallerMessage["expected"]>;
  readonly writes: readonly Write[];
};

/** Limits for messages from programs that speak another API. */
const callerLimits = { messageCharacters: 1_000_000 } as const;

/** Messages of programs that speak another API. */
export function createCallerMessages(options: AdmitOptions, admit: Admission) {
  const { store, threads } = options;
  const { read } = store;
  const enqueue = createEnqueue(options, admit);

  return {
    /** A message with history, tools and settings. With a `target` it becomes a variant of that message. */
    ask: async (principal: Principal, threadId: string, message: CallerMessage): Promise<AcceptedInput> => {
      const { id, text, target, model, attachments, caller, history = [], begun, answerId } = message;
      const { expected, stops, writes } = message;
      const thread = await threads.get(principal, threadId, "change");
      await checkModel(options, principal, model);
      const files = history.flatMap((one) => (one.role === "user" ? (one.attachments ?? []) : []));
      const sent = [...new Set([...files, ...attachments])];
      const body: InputBody = {
        ...{ text, model, target },
        ...(attachments.length === 0 ? {} : { attachments }),
        ...(caller ? { caller } : {}),
        ...(history.length === 0 ? {} : { history }),
        ...(begun === undefined ? {} : { begun }),
        ...(answerId === undefined ? {} : { answerId }),
      };
      return enqueue(principal, thread, {
        ...{ id, kind: target === null ? "message" : "edit", body, maxCharacters: callerLimits.messageCharacters },
        files:
          sent.length === 0 ? [] : await planFiles(read, { owner: principal.userId, thread, inputId: id, ids: sent }),
        writes: [
          ...(expected ? [claimTip(threadId, expected)] : []),
          ...(stops === undefined ? [] : [stopWaiting(stops)]),
          ...writes,
        ],
      });
    },

    /** Another answer to the message before `target`, with the tools and settings of the new request. */
    askAgain: async (principal: Principal, threadId: string, request: RepeatedQuestion): Promise<AcceptedInput> => {
      const { id, target, model, caller, expected, writes } = request;
      const thread = await threads.get(principal, threadId, "change");
      await checkModel(options, principal, model);
      await checkRole(read, thread, target, "assistant");
      const body: InputBody = { text: "", model, target, caller };
      return enqueue(principal, thread, {
        id,
        kind: "regenerate",
        body,
        writes: [claimTip(threadId, expected), ...writes],
      });
    },
  };
}

/** Fails the batch unless the thread is as expected. Of two requests that continue the same message, one wins. */
const claimTip = (id: string, expected: NonNullable<CallerMessage["expected"]>): Write => ({
  do: "update",
  table: "threads",
  set: { status: "streaming" },
  where: { id, ...expected },
  expectOne: true,
});

const stopWaiting = (runId: string): Write => ({
  do: "update",
  table: "runs",
  set: { stop: 1 },
  where: { id: runId, ended: 0, waiting: runWaiting.forUser },
  expectOne: true,
});
