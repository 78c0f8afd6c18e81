import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { checkAnswers, findQuestion, QUESTION, toDecisionKey } from "../../protocol/question.ts";
import type { Principal } from "../auth/principal.ts";
import { runWaiting, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { AcceptedInput, Admission, AdmitOptions } from "./admission.ts";
import { toPart, type CallerRequest, type InputBody, type SuppliedResult } from "./rows.ts";
import { findNewestRun, isContinuable, toStoredRun } from "./snapshot.ts";

/** Approvals, answers to questions, and results of a program's own tools: what a waiting run continues with. */
function createDecisions({ store: { read }, threads, clock }: AdmitOptions, admit: Admission) {
  return {
    decide: async (principal: Principal, threadId: string, body: Body<"decideCall">): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId, "change");
      const { id, partId, decision, word = "" } = body;
      const run = await read.liveRun(threadId);
      const parts = run ? await read.partsOf(threadId, [run.message]) : [];
      const part = parts.map(toPart).find((one) => one.id === partId);
      const known = await read.input(threadId, id);
      if (
        !known &&
        (!run || part?.kind !== "tool" || part.state !== "asking" || part.client || part.asks?.code === QUESTION)
      ) {
        throw new ApiError("conflict", "This tool call is no longer waiting for approval.");
      }
      const row = { run: run?.id ?? "", part: partId, thread: threadId, decision, word, created_at: clock.now() };
      const writes = toDecisionWrites(row);
      return admit(principal, thread, {
        ...{ id, kind: "decide", state: "done", body: { partId, decision, word }, events: [], writes },
      });
    },

    /** The first answer wins; the row's key rejects a second one. */
    answer: async (principal: Principal, threadId: string, body: Body<"answerQuestion">): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId, "change");
      const { id, partId, answers } = body;
      const run = await read.liveRun(threadId);
      const parts = run ? await read.partsOf(threadId, [run.message]) : [];
      const part = parts.map(toPart).find((one) => one.id === partId);
      const isOpen = part?.kind === "tool" && part.state === "asking" && part.asks?.code === QUESTION;
      const question = isOpen ? findQuestion(part) : undefined;
      const known = await read.input(threadId, id);
      if (!known && (!run || !question)) {
        throw new ApiError("conflict", "This question is no longer waiting for an answer.");
      }
      const [fault] = question && answers !== null ? checkAnswers(question, answers) : [];
      if (!known && fault) throw new ApiError("invalid", `The answer to "${fault.field}" is not valid: ${fault.text}`);
      const decision = answers === null ? ("skip" as const) : ("answer" as const);
      const word = answers === null ? "" : JSON.stringify(answers);
      const key = part?.kind === "tool" ? toDecisionKey(part) : partId;
      const row = { run: run?.id ?? "", part: key, thread: threadId, decision, word, created_at: clock.now() };
      const writes = toDecisionWrites(row);
      return admit(principal, thread, {
        id,
        kind: "answer",
        state: "done",
        body: { partId, answers },
        events: [],
        writes,
      });
    },

    /** Results of the caller's own tools. The first result of a call wins, as with answers. */
    supply: async (principal: Principal, threadId: string, supplied: ClientResults): Promise<AcceptedInput> => {
      const { id, runId, results, caller, model, writes } = supplied;
      const thread = await threads.get(principal, threadId, "change");
      const rows = results.map(({ partId, output }, index): Write => {
        const word: SuppliedResult = index === 0 ? { output, caller, model } : { output };
        const place = { run: runId, part: partId, thread: threadId };
        const row = { ...place, decision: "answer" as const, word: JSON.stringify(word), created_at: clock.now() };
        return { do: "insert", table: "decisions", row };
      });
      return admit(principal, thread, {
        ...{ id, kind: "answer", state: "done", body: { results, caller, model }, events: [] },
        writes: [...rows, freeRun(runId), ...writes],
      });
    },
  };
}

/** Stop, decide, continue and retry: actions on a thread's newest run. */
export function createRunActions(options: AdmitOptions, admit: Admission) {
  const { store, threads } = options;
  const { read } = store;

  return {
    /** With `runId`: only this run, and not one that began in the meantime. */
    stop: async (
      principal: Principal,
      threadId: string,
      { id, runId }: Body<"stopRun"> & { readonly runId?: string },
    ): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId, "change");
      const writes = stopWrites(runId ?? (await read.liveRun(threadId))?.id);
      return admit(principal, thread, { id, kind: "stop", state: "done", body: {}, events: [], writes });
    },

    ...createDecisions(options, admit),

    continueRun: async (
      principal: Principal,
      threadId: string,
      { id }: Body<"continueRun">,
    ): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId, "change");
      const newest = await findNewestRun(read, thread);
      const known = await read.input(threadId, id);
      if (!known && !(await isContinuable(read, newest))) {
        const text = "The newest answer did not end early, or has no text: there is nothing to continue.";
        throw new ApiError("conflict", text);
      }
      const body: InputBody = { text: "", model: null, target: null };
      return admit(principal, thread, { id, kind: "continue", state: "queued", body, events: [], writes: [] });
    },

    /** Makes a parked run claimable again. To discard one, stop it. */
    retry: async (principal: Principal, threadId: string, { id }: Body<"retryRun">): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId, "change");
      const run = await read.liveRun(threadId);
      const known = await read.input(threadId, id);
      if (!known && (!run || toStoredRun(run).view.state !== "parked")) {
        throw new ApiError("conflict", "This thread has no parked answer, so there is nothing to retry.");
      }
      const where = { id: run?.id ?? "", ended: 0, waiting: runWaiting.forUser };
      const set = { waiting: runWaiting.answered };
      const free: Write = { do: "update", table: "runs", set, where, expectOne: true };
      return admit(principal, thread, { id, kind: "retry", state: "done", body: {}, events: [], writes: [free] });
    },
  };
}

type ClientResults = {
  readonly id: string;
  readonly runId: string;
  readonly results: readonly { readonly partId: string; readonly output: string }[];
  readonly caller: CallerRequest;
  /** Continues the answer. */
  readonly model: string;
  /** Rows to commit with the results. */
  readonly writes: readonly Write[];
};

const toDecisionWrites = (row: RowOf<"decisions">): Write[] => [
  { do: "insert", table: "decisions", row },
  freeRun(row.run),
];

/** Makes a waiting run claimable. A run that is about to wait reads this and continues instead. */
const freeRun = (id: string): Write => ({
  do: "update",
  table: "runs",
  set: { waiting: runWaiting.answered },
  where: { id, ended: 0 },
  expectOne: true,
});

/** By the run's id, so that a late stop does not end the next answer. */
const stopWrites = (runId: string | undefined): Write[] =>
  runId === undefined ? [] : [{ do: "update", table: "runs", set: { stop: 1 }, where: { id: runId, ended: 0 } }];
