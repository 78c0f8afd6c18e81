import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import { checkAnswers, findQuestion, QUESTION } from "../../protocol/question.ts";
import type { Principal } from "../auth/principal.ts";
import { runWaiting, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { AcceptedInput, Admission, AdmitOptions } from "./admission.ts";
import { toPart, type InputBody } from "./rows.ts";
import { findNewestRun, isContinuable, toStoredRun } from "./snapshot.ts";

/** Stop, decide, continue and retry: actions on a thread's newest run. */
export function createRunActions({ store, threads, clock }: AdmitOptions, admit: Admission) {
  const { read } = store;

  return {
    stop: async (principal: Principal, threadId: string, { id }: Body<"stopRun">): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId);
      const run = await read.liveRun(threadId);
      return admit(thread, { id, kind: "stop", state: "done", body: {}, events: [], writes: stopWrites(run?.id) });
    },

    decide: async (principal: Principal, threadId: string, body: Body<"decideCall">): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId);
      const { id, partId, decision, word = "" } = body;
      const run = await read.liveRun(threadId);
      const parts = run ? await read.partsOf(threadId, [run.message]) : [];
      const part = parts.map(toPart).find((one) => one.id === partId);
      const known = await read.input(threadId, id);
      if (!known && (!run || part?.kind !== "tool" || part.state !== "asking" || part.asks?.code === QUESTION)) {
        throw new ApiError("conflict", "This tool call is no longer waiting for approval.");
      }
      const row = { run: run?.id ?? "", part: partId, thread: threadId, decision, word, created_at: clock.now() };
      const writes = toDecisionWrites(row);
      return admit(thread, {
        ...{ id, kind: "decide", state: "done", body: { partId, decision, word }, events: [], writes },
      });
    },

    /** The first answer wins; the row's key rejects a second one. */
    answer: async (principal: Principal, threadId: string, body: Body<"answerQuestion">): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId);
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
      const row = { run: run?.id ?? "", part: partId, thread: threadId, decision, word, created_at: clock.now() };
      const writes = toDecisionWrites(row);
      return admit(thread, { id, kind: "answer", state: "done", body: { partId, answers }, events: [], writes });
    },

    continueRun: async (
      principal: Principal,
      threadId: string,
      { id }: Body<"continueRun">,
    ): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId);
      const newest = await findNewestRun(read, thread);
      const known = await read.input(threadId, id);
      if (!known && !(await isContinuable(read, newest))) {
        const text = "The newest answer did not end early, or has no text: there is nothing to continue.";
        throw new ApiError("conflict", text);
      }
      const body: InputBody = { text: "", model: null, target: null };
      return admit(thread, { id, kind: "continue", state: "queued", body, events: [], writes: [] });
    },

    /** Makes a parked run claimable again. To discard one, stop it. */
    retry: async (principal: Principal, threadId: string, { id }: Body<"retryRun">): Promise<AcceptedInput> => {
      const thread = await threads.get(principal, threadId);
      const run = await read.liveRun(threadId);
      const known = await read.input(threadId, id);
      if (!known && (!run || toStoredRun(run).view.state !== "parked")) {
        throw new ApiError("conflict", "This thread has no parked answer, so there is nothing to retry.");
      }
      const where = { id: run?.id ?? "", ended: 0, waiting: runWaiting.forUser };
      const set = { waiting: runWaiting.answered };
      const free: Write = { do: "update", table: "runs", set, where, expectOne: true };
      return admit(thread, { id, kind: "retry", state: "done", body: {}, events: [], writes: [free] });
    },
  };
}

const toDecisionWrites = (row: RowOf<"decisions">): Write[] => [
  { do: "insert", table: "decisions", row },
  // A waiting run can be claimed again. A run that is about to wait sees this value and continues.
  {
    do: "update",
    table: "runs",
    set: { waiting: runWaiting.answered },
    where: { id: row.run, ended: 0 },
    expectOne: true,
  },
];

/** By the run's id, so that a late stop does not end the next answer. */
const stopWrites = (runId: string | undefined): Write[] =>
  runId === undefined ? [] : [{ do: "update", table: "runs", set: { stop: 1 }, where: { id: runId, ended: 0 } }];
