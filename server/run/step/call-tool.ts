import type { Part, PartOf } from "../../../protocol/parts.ts";
import { threadStream } from "../../../protocol/ids.ts";
import type { LogBatch } from "../../log/log.ts";
import { toPart } from "../../thread/rows.ts";
import type { Tool, ToolResult } from "../../tools/tool.ts";
import { isStopped, throwIfLost, type Running } from "../running.ts";
import { countRefs, openDesk, type Refs } from "./tool-desk.ts";
import { continueWith, dropTransient, toSettled } from "./commit-step.ts";
import { lastSeqOn, toRunRow, type PendingCall, type RunState } from "../state.ts";

type ToolPart = PartOf<"tool">;
type Ended = { readonly part: ToolPart; readonly commit?: ToolResult["commit"] };

/**
 * The calls of a step, side by side: intent committed for all, each run, each result committed with the state that follows
 * it. The result's place is the call's own part. When the last one is in, the next step is ready.
 */
export async function callTools(run: Running, state: RunState): Promise<RunState> {
  if (state.at.kind !== "tools") throw new Error("no tools are to be called now");
  const parts = await loadCalls(run, state);
  run.failpoint("before-intent");
  let current = await start(run, state, parts);
  run.failpoint("after-intent");
  const calls = state.at.calls.filter((call) => call.state !== "ended");
  const refs = await countRefs(run, state.view.threadId);
  await Promise.all(
    calls.map(async (call) => {
      const part = parts.get(call.n);
      if (!part) throw new Error(`the part of call ${call.callId} is gone`);
      const ended = await execute(run, current, part, refs);
      throwIfLost(run.signal);
      if (isStopped(run.signal)) return;
      run.failpoint("after-effect");
      current = markEnded(current, call);
      await commitResult(run, current, ended);
      run.failpoint("after-result");
    }),
  );
  return current;
}

async function loadCalls(run: Running, { view }: RunState): Promise<ReadonlyMap<number, ToolPart>> {
  const rows = await run.store.read.partsOf(view.threadId, [view.messageId]);
  const tools = rows.map(toPart).filter((part) => part.kind === "tool");
  return new Map(tools.map((part) => [part.n, part]));
}

/** From here on an effect may have happened. A `once` call that was started before, by a process now dead, is not run again. */
async function start(run: Running, state: RunState, parts: ReadonlyMap<number, ToolPart>): Promise<RunState> {
  if (state.at.kind !== "tools") return state;
  const waiting = state.at.calls.filter((call) => call.state === "waiting");
  const calls = state.at.calls.map((call): PendingCall =>
    call.state === "waiting" ? { ...call, state: "started" } : call,
  );
  const started: RunState = {
    ...state,
    used: { ...state.used, calls: state.used.calls + waiting.length },
    at: { ...state.at, calls },
  };
  if (waiting.length === 0) return started;
  const running = waiting.flatMap((call): Part[] => {
    const part = parts.get(call.n);
    return part ? [{ ...part, state: "running" }] : [];
  });
  await run.writer.commit({
    events: toSettled(started, running),
    writes: [{ do: "update", table: "runs", set: toRunRow(started), where: { id: started.view.id }, expectOne: true }],
  });
  return started;
}

async function execute(run: Running, state: RunState, part: ToolPart, refs: Refs): Promise<Ended> {
  const tool = run.catalog.find(part.name);
  if (!tool) return { part: { ...part, state: "error", errorText: `The tool ${part.name} is no longer offered.` } };
  const limit = AbortSignal.timeout(tool.limits.timeoutMs);
  const signal = AbortSignal.any([run.signal, limit]);
  const desk = openDesk({ run, state, part, refs, signal, progress: () => {} });
  try {
    const work = tool.execute(part.input, desk.context);
    const result = await Promise.race([work, aborted(signal)]);
    return {
      part: { ...part, state: "ok", output: toStorable(result.output) },
      ...(result.commit ? { commit: result.commit } : {}),
    };
  } catch (error) {
    return { part: limit.aborted ? toTimedOut(part, tool) : { ...part, state: "error", errorText: toText(error) } };
  }
}

const LONGEST_OUTPUT = 2_000_000;

/** As JSON keeps it: what cannot be stored is the tool's failure, found before anything is committed. */
function toStorable(output: unknown): unknown {
  const json = JSON.stringify(output ?? null);
  if (json === undefined) throw new Error("The result is not data.");
  if (json.length > LONGEST_OUTPUT) throw new Error(`The result holds ${json.length} characters: too many to keep.`);
  return JSON.parse(json);
}

/** Out of time with an effect that may have happened is not the same as failed. */
const toTimedOut = (part: ToolPart, tool: Tool): ToolPart => ({
  ...part,
  state: tool.repeat === "pure" ? "error" : "unknown",
  errorText: `No result within ${Math.round(tool.limits.timeoutMs / 1000)} s.${tool.repeat === "pure" ? "" : " It may have happened."}`,
});

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(new Error("broken off"));
    signal.addEventListener("abort", () => reject(new Error("broken off")), { once: true });
  });

const toText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function markEnded(state: RunState, call: PendingCall): RunState {
  if (state.at.kind !== "tools") return state;
  const calls = state.at.calls.map((other): PendingCall => (other.n === call.n ? { ...other, state: "ended" } : other));
  return continueWith({ ...state, at: { ...state.at, calls } }, calls);
}

/** With its effect on our own database, if it has one: both stand or neither. An effect that cannot stand is a failure. */
async function commitResult(run: Running, state: RunState, { part, commit }: Ended): Promise<void> {
  const done = state.at.kind === "ready";
  const stream = threadStream(state.view.threadId);
  const own = (settled: ToolPart): LogBatch => ({
    events: [
      ...toSettled(state, [settled]),
      ...(done ? [{ stream, event: { type: "run-stepped" as const, run: state.view } }] : []),
    ],
    writes: [
      ...(done ? [dropTransient(state)] : []),
      { do: "update", table: "runs", set: toRunRow(state), where: { id: state.view.id }, expectOne: true },
    ],
  });
  const batch = own(part);
  const whole = commit && { events: [...batch.events, ...commit.events], writes: [...batch.writes, ...commit.writes] };
  const stood = whole && (await run.writer.attempt(whole));
  if (whole && stood) {
    run.lastSeq = lastSeqOn(stream, whole.events, stood);
    return;
  }
  const failed: ToolPart = { ...part, state: "error", errorText: "What it wanted to store was no longer possible." };
  const last = commit ? own(failed) : batch;
  run.lastSeq = lastSeqOn(stream, last.events, await run.writer.commit(last));
}
