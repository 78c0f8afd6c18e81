import type { LogEvent } from "../../protocol/events.ts";
import { applyEvent, emptyThreadView } from "../../protocol/fold.ts";
import { threadStream } from "../../protocol/ids.ts";
import type { Part, PartOf } from "../../protocol/parts.ts";
import { toPart } from "../thread/rows.ts";
import { estimate, type Outcome } from "./step/outcome.ts";
import { costOf } from "./step/cost.ts";
import { endRun } from "./step/end.ts";
import { setAside, toNotice } from "./step/fail-step.ts";
import type { Running } from "./running.ts";
import { closeCall, commitStep, continueWith } from "./step/commit-step.ts";
import { addCost, type PendingCall, type RunState } from "./state.ts";

/** A step that brings the process down again and again is given up. */
const MOST_RECOVERIES = 20;

const INTERRUPTED = "The server stopped in the middle of this.";

/**
 * A run left by a dead process, made fit to go on: its finished steps stand, an unfinished call is set aside with what it
 * said, and a tool call without a result follows its class.
 */
export async function recoverRun(run: Running, state: RunState): Promise<RunState> {
  if (state.at.kind === "calling") return setCallAside(run, state);
  if (state.at.kind === "tools") return settleUnknown(run, state);
  return state;
}

async function setCallAside(run: Running, state: RunState): Promise<RunState> {
  if (state.at.kind !== "calling") return state;
  const { step, tries, model } = state.at;
  const said = await readSaid(run, state);
  const text = said.map((part) => ("text" in part ? part.text : "")).join("");
  const usage = estimate(state, text);
  const prices = run.models.find(model)?.info.prices;
  const outcome: Outcome = {
    ok: false,
    usage,
    costUsd: prices ? costOf(usage, prices) : null,
    failure: { code: "cut", fault: "provider", text: INTERRUPTED },
  };
  const nextPart = Math.max(state.nextPart, ...said.map((part) => part.n + 1));
  const paid = addCost({ ...state, nextPart, recoveries: state.recoveries + 1 }, usage, outcome.costUsd);
  const writes = closeCall(run, paid, outcome, "lost");
  const aside = setAside(said, INTERRUPTED);
  if (paid.recoveries > MOST_RECOVERIES) {
    const reason = {
      code: "interrupted",
      text: "The server stopped in the middle of this step too often; it was given up.",
    };
    return endRun(run, { state: paid, ending: { outcome: "failed", reason }, parts: aside, writes });
  }
  const notice = toNotice(paid, { code: "interrupted", text: `${INTERRUPTED} It was taken up again.` });
  const ready: RunState = {
    ...paid,
    nextPart: paid.nextPart + 1,
    at: { kind: "ready", step, tries, model, notBefore: 0 },
  };
  await commitStep(run, ready, { parts: [...aside, notice], writes });
  return ready;
}

/** What the call had said, from its deltas, by the same fold as everywhere. */
async function readSaid(run: Running, { view, stepSeq }: RunState): Promise<readonly Part[]> {
  const stream = threadStream(view.threadId);
  const message = {
    id: view.messageId,
    role: "assistant",
    branchId: "",
    depth: 1,
    runId: view.id,
    variants: [],
    createdAt: 0,
  } as const;
  let folded = applyEvent(emptyThreadView, 1, { type: "message-added", message: { ...message, variants: [] } });
  for (let after = stepSeq; ;) {
    const rows = await run.store.read.events(stream, after, 1000);
    for (const { seq, body } of rows) {
      const event = JSON.parse(body) as LogEvent;
      if (event.type === "text-delta" || event.type === "tool-input-delta") folded = applyEvent(folded, seq + 1, event);
    }
    const last = rows.at(-1);
    if (!last || rows.length < 1000) return folded.messages[0]?.parts ?? [];
    after = last.seq;
  }
}

async function settleUnknown(run: Running, state: RunState): Promise<RunState> {
  if (state.at.kind !== "tools") return state;
  const rows = await run.store.read.partsOf(state.view.threadId, [state.view.messageId]);
  const parts = new Map(rows.map(toPart).map((part) => [part.n, part]));
  const unknown: PartOf<"tool">[] = [];
  const calls = state.at.calls.map((call): PendingCall => {
    const part = parts.get(call.n);
    const repeat = run.catalog.find(call.name)?.repeat ?? "once";
    if (call.state !== "started" || repeat !== "once" || part?.kind !== "tool") return call;
    unknown.push({
      ...part,
      state: "unknown",
      errorText: "The server stopped while this ran: it may or may not have happened. It was not repeated.",
    });
    return { ...call, state: "ended" };
  });
  if (unknown.length === 0) return state;
  const next = continueWith({ ...state, at: { ...state.at, calls } }, calls);
  await commitStep(run, next, { parts: unknown, writes: [] });
  return next;
}
