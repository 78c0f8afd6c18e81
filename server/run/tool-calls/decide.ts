import type { LogEvent } from "../../../protocol/events.ts";
import { threadStream, userStream } from "../../../protocol/ids.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import { ASK_USER, type Answers, type QuestionOutput } from "../../../protocol/question.ts";
import type { LogEntry } from "../../log/log.ts";
import { runWaiting, type Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toPart } from "../../thread/rows.ts";
import { REMEMBERS } from "./policy.ts";
import type { RunContext } from "../running.ts";
import { toRunRow, type PendingCall, type RunState } from "../state.ts";
import { continueWith, dropTransient, toSettled } from "../commit-step.ts";

type ToolPart = PartOf<"tool">;

/**
 * All open tool calls need approval: the run waits for the user, and its lease is released. Returns false if a decision or a stop
 * arrived in the meantime.
 */
export async function waitForApproval(run: RunContext, state: RunState): Promise<boolean> {
  const waiting: RunState = { ...state, view: { ...state.view, state: "waiting" } };
  const { events, writes } = toStatusChange(waiting, "waiting");
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
  const decided: { call: PendingCall; part: ToolPart; row: RowOf<"decisions"> }[] = [];
  for (const call of at.calls) {
    const part = parts.get(call.n);
    const row = part && call.state === "asking" ? decisions.get(part.id) : undefined;
    if (part && row) decided.push({ call, part, row });
  }
  if (decided.length === 0) return undefined;
  const byPart = new Map(decided.map(({ call, row }) => [call.n, row.decision]));
  const calls = at.calls.map((call): PendingCall => {
    const decision = byPart.get(call.n);
    if (decision === undefined) return call;
    if (decision === "deny" || decision === "answer" || decision === "skip") return { ...call, state: "ended" };
    const isApproved = parts.get(call.n)?.asks?.code === REMEMBERS;
    return { ...call, state: "waiting", ...(isApproved ? { approved: true } : {}) };
  });
  // Time spent waiting for the user does not count toward the time limit.
  const countedFrom = view.state === "waiting" ? run.clock.now() : state.countedFrom;
  const used = countAnswers(state.used, decided);
  const running: RunState = { ...state, used, countedFrom, view: { ...view, state: "running" }, at: { ...at, calls } };
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

type Decided = { readonly part: ToolPart; readonly row: RowOf<"decisions"> };

/** An answered question is a tool call that has run. */
function countAnswers(used: RunState["used"], decided: readonly Decided[]): RunState["used"] {
  const count = decided.filter(({ row }) => row.decision === "answer" || row.decision === "skip").length;
  if (count === 0) return used;
  const asked = (used.perTool?.[ASK_USER] ?? 0) + count;
  return { ...used, calls: used.calls + count, perTool: { ...used.perTool, [ASK_USER]: asked } };
}

/** The answer is the user's own, so it adds no untrusted source. The part still has those of the prompt that asked. */
function toAnswered(part: ToolPart, row: RowOf<"decisions">, run: RunContext): ToolPart {
  const output: QuestionOutput =
    row.decision === "skip" ? { skipped: true } : { answers: JSON.parse(row.word) as Answers };
  const gist = run.catalog.find(ASK_USER)?.summarize?.(part.input, output).slice(0, 1000).toWellFormed();
  const ended = { state: "ok", output, untrusted: [], endedAt: run.clock.now() } as const;
  return { ...part, ...ended, ...(gist === undefined ? {} : { gist }) };
}

function toDecided({ part, row }: Decided, run: RunContext): ToolPart {
  const { asks: _, ...rest } = part;
  if (row.decision === "answer" || row.decision === "skip") return toAnswered(rest, row, run);
  if (row.decision !== "deny") return { ...rest, state: "ready" };
  const reason = row.word.trim();
  return { ...rest, state: "denied", errorText: `The user denied this call${reason ? `: ${reason}` : "."}` };
}

export function toStatusChange(
  { view, ownerId }: RunState,
  status: "waiting" | "streaming",
): { events: LogEntry[]; writes: Write[] } {
  const { threadId } = view;
  const changed: LogEvent = { type: "thread-changed", threadId, patch: { status } };
  return {
    events: [
      { stream: threadStream(threadId), event: { type: "run-stepped", run: view } },
      { stream: threadStream(threadId), event: changed },
      { stream: userStream(ownerId), event: changed },
    ],
    writes: [{ do: "update", table: "threads", set: { status }, where: { id: threadId } }],
  };
}
