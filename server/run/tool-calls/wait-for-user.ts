import type { LogEvent } from "../../../protocol/events.ts";
import { threadStream } from "../../../protocol/ids.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import { ASK_USER, toDecisionKey, type Answers, type QuestionOutput } from "../../../protocol/question.ts";
import type { LogEntry } from "../../log/log.ts";
import { runWaiting, type Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toPart, type SuppliedResult } from "../../thread/rows.ts";
import { threadListStream } from "../../thread/shared.ts";
import { sourceOf } from "../caller/caller.ts";
import { REMEMBERS } from "./approval-rules.ts";
import type { RunContext } from "../run-context.ts";
import { toPlace, toRunRow, type PendingCall, type RunState } from "../state.ts";
import { continueWith, dropTransient, toSettled } from "../commit-step.ts";

type ToolPart = PartOf<"tool">;

/**
 * Every open call waits for an approval, an answer or a client's result. The run waits too, and its lease is released. Returns
 * false if a decision or a stop arrived in the meantime.
 */
export async function waitForUser(run: RunContext, state: RunState): Promise<boolean> {
  // A program that sends results makes a new request, with fresh limits.
  const isForClient = state.at.kind === "tools" && state.at.calls.some(({ client }) => client);
  const extended = isForClient ? { extended: (state.extended ?? 0) + 1 } : {};
  const waiting: RunState = { ...state, ...extended, view: { ...state.view, state: "waiting" } };
  const isForUser = state.at.kind === "tools" && state.at.calls.some((call) => call.state === "asking" && !call.client);
  const { events, writes } = toStatusChange(waiting, isForUser ? "waiting" : "streaming");
  const pushes = isForUser ? await run.planPush({ threadId: state.view.threadId, ...state }) : [];
  const committed = await run.writer.attempt({
    release: true,
    events,
    writes: [
      {
        do: "update",
        table: "runs",
        set: { ...toRunRow(waiting), waiting: runWaiting.forUser },
        where: { id: state.view.id, waiting: runWaiting.no, stop: 0 },
        expectOne: true,
      },
      ...writes,
      ...pushes,
    ],
  });
  return committed !== null;
}

/** Applies the user's decisions to the run; undefined if there are none. */
export async function applyDecisions(run: RunContext, state: RunState): Promise<RunState | undefined> {
  const { at, view } = state;
  if (at.kind !== "tools" || !at.calls.some((call) => call.state === "asking")) return undefined;
  const decisions = new Map((await run.store.read.decisions(view.id)).map((row) => [row.part, row]));
  const rows = (await run.store.read.partsOf(view.threadId, [view.messageId])).map(toPart);
  const parts = new Map(rows.flatMap((part) => (part.kind === "tool" ? [[part.n, part] as const] : [])));
  const decided: DecidedCall[] = [];
  for (const call of at.calls) {
    const part = parts.get(call.n);
    const row = part && call.state === "asking" ? decisions.get(toDecisionKey(part)) : undefined;
    if (part && row) decided.push({ call, part, row });
  }
  if (decided.length === 0) return undefined;
  const byPart = new Map(decided.map(({ call, row }) => [call.n, row]));
  const calls = at.calls.map((call): PendingCall => {
    const row = byPart.get(call.n);
    if (row === undefined) return call;
    const { decision } = row;
    if (call.question) return { ...call, state: "ready", question: { ...call.question, answers: toAnswers(row) } };
    if (decision === "deny" || decision === "answer" || decision === "skip") return { ...call, state: "ended" };
    const isApproved = parts.get(call.n)?.asks?.code === REMEMBERS;
    return { ...call, state: "ready", ...(isApproved ? { approved: true } : {}) };
  });
  // Time spent waiting for the user does not count toward the time limit.
  const countedFrom = view.state === "waiting" ? run.clock.now() : state.countedFrom;
  const used = countAnswers(state.used, decided);
  const caller = toNextCaller(state, decided);
  const { temporary: _, ...kept } = state;
  // The request that brought the results may have asked to keep the thread.
  const isKept = caller.caller !== undefined && caller.caller.isUnattended === undefined;
  const running: RunState = {
    ...(isKept ? kept : state),
    ...caller,
    used,
    countedFrom,
    view: { ...view, state: "running" },
    at: { ...at, calls },
  };
  const next = continueWith(running, calls);
  const { events, writes } = toStatusChange(next, "streaming");
  await run.writer.commit({
    events: [
      ...toSettled(
        next,
        decided.map((one) => toDecided(one, run)),
      ),
      ...events,
    ],
    writes: [
      ...(next.at.kind === "ready" ? [dropTransient(next)] : []),
      {
        do: "update",
        table: "runs",
        set: { ...toRunRow(next), waiting: runWaiting.no },
        where: { id: view.id },
        expectOne: true,
      },
      ...decided.flatMap(({ call, row }): Write[] =>
        row.decision === "thread" && call.grant !== undefined
          ? [
              {
                do: "put",
                table: "grants",
                row: { thread: view.threadId, key: call.grant, created_at: run.clock.now() },
              },
            ]
          : [],
      ),
      ...writes,
    ],
  });
  return next;
}

type DecidedCall = { readonly call: PendingCall; readonly part: ToolPart; readonly row: RowOf<"decisions"> };

const toAnswers = ({ decision, word }: RowOf<"decisions">): Answers | null =>
  decision === "answer" ? (JSON.parse(word) as Answers) : null;

/** An answered question is a tool call that has run. */
function countAnswers(used: RunState["used"], decided: readonly DecidedCall[]): RunState["used"] {
  const count = decided.filter(
    ({ part, row, call }) => !part.client && !call.question && (row.decision === "answer" || row.decision === "skip"),
  ).length;
  if (count === 0) return used;
  const asked = (used.perTool?.[ASK_USER] ?? 0) + count;
  return { ...used, calls: used.calls + count, perTool: { ...used.perTool, [ASK_USER]: asked } };
}

/** The request that supplied the results of the caller's tools replaces the request that started the run. */
function toNextCaller(state: RunState, decided: readonly DecidedCall[]): Partial<Pick<RunState, "caller" | "model">> {
  const supplied = decided.map(({ part, row }) => (part.client ? readSupplied(row) : undefined));
  const { caller, model } = supplied.find((one) => one?.caller) ?? {};
  if (!caller) return {};
  return { caller: { ...caller, fromStep: state.view.step + 1 }, ...(model === undefined ? {} : { model }) };
}

const readSupplied = ({ word }: RowOf<"decisions">): SuppliedResult => JSON.parse(word) as SuppliedResult;

/** The answer is the user's own, so it adds no untrusted source. The part still has those of the prompt that asked. */
function toAnswered(part: ToolPart, row: RowOf<"decisions">, run: RunContext): ToolPart {
  const output: QuestionOutput =
    row.decision === "skip" ? { skipped: true } : { answers: JSON.parse(row.word) as Answers };
  const gist = run.catalog.find(ASK_USER)?.summarize?.(part.input, output).slice(0, 1000).toWellFormed();
  const ended = { state: "ok", output, untrusted: [], endedAt: run.clock.now() } as const;
  return { ...part, ...ended, ...(gist === undefined ? {} : { gist }) };
}

function toDecided({ call, part, row }: DecidedCall, run: RunContext): ToolPart {
  const { asks: _, ...rest } = part;
  if (part.client) {
    const { output } = readSupplied(row);
    return { ...rest, state: "ok", output, untrusted: [sourceOf(part.name)], endedAt: run.clock.now() };
  }
  if (call.question) return { ...rest, state: "ready" };
  if (row.decision === "answer" || row.decision === "skip") return toAnswered(rest, row, run);
  if (row.decision !== "deny") return { ...rest, state: "ready" };
  const reason = row.word.trim();
  return { ...rest, state: "denied", errorText: `The user denied this call${reason ? `: ${reason}` : "."}` };
}

export function toStatusChange(
  state: RunState,
  status: "waiting" | "streaming",
): { events: LogEntry[]; writes: Write[] } {
  const { view } = state;
  const { threadId } = view;
  const changed: LogEvent = { type: "thread-changed", threadId, patch: { status } };
  return {
    events: [
      { stream: threadStream(threadId), event: { type: "run-stepped", run: view } },
      { stream: threadStream(threadId), event: changed },
      { stream: threadListStream(toPlace(state)), event: changed },
    ],
    writes: [{ do: "update", table: "threads", set: { status }, where: { id: threadId } }],
  };
}
