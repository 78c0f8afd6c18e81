import { PART_VERSION, type Part, type PartOf, type Progress } from "../../../protocol/parts.ts";
import { threadStream } from "../../../protocol/ids.ts";
import type { LogBatch } from "../../log/log.ts";
import { toPart } from "../../thread/rows.ts";
import { isStopped, throwIfLost, type Running } from "../running.ts";
import { continueWith, dropTransient, toSettled } from "../step/commit-step.ts";
import { executeTool, type Ended } from "./execute-tool.ts";
import { createLanes } from "./lanes.ts";
import { resolveCall } from "./resolve-call.ts";
import { countRefs } from "./tool-context.ts";
import { lastSeqOn, toRunRow, type PendingCall, type RunState } from "../state.ts";

type ToolPart = PartOf<"tool">;
type SourcePart = PartOf<"source">;

/**
 * The calls of a step, side by side but for those that write the same object: intent committed for all, each run, each
 * result committed with the state that follows it. The result's place is the call's own part. When the last one is in, the
 * next step is ready.
 */
export async function callTools(run: Running, state: RunState): Promise<RunState> {
  if (state.at.kind !== "tools") throw new Error("no tools are to be called now");
  const { tools: parts, sources } = await loadParts(run, state);
  run.failpoint("before-intent");
  let current = await start(run, state, parts);
  run.failpoint("after-intent");
  const calls = state.at.calls.filter((call) => call.state === "waiting" || call.state === "started");
  const refs = await countRefs(run, state.view.threadId);
  const lanes = createLanes();
  const execute = async (call: PendingCall, part: ToolPart): Promise<void> => {
    const progress = showProgress(run, current, part);
    const ended = await executeTool({ run, state: current, part, refs, progress: progress.show });
    await progress.end();
    throwIfLost(run.signal);
    if (isStopped(run.signal)) return;
    run.failpoint("after-effect");
    const evidence = addSources(current, ended, sources);
    current = markEnded(evidence.state, call, ended.tainted);
    await commitResult(run, current, ended, evidence.parts);
    run.failpoint("after-result");
  };
  await Promise.all(
    calls.map((call) => {
      const part = parts.get(call.n);
      if (!part) throw new Error(`the part of call ${call.callId} is gone`);
      const { tool, input } = resolveCall(part, run.catalog);
      const running: ToolPart = { ...part, state: "running", startedAt: run.clock.now() };
      return lanes.run(tool?.touches?.(input) ?? [], () => execute(call, running));
    }),
  );
  return current;
}

async function loadParts(run: Running, { view }: RunState) {
  const rows = (await run.store.read.partsOf(view.threadId, [view.messageId])).map(toPart);
  return {
    tools: new Map(rows.filter((part): part is ToolPart => part.kind === "tool").map((part) => [part.n, part])),
    sources: new Map(
      rows.filter((part): part is SourcePart => part.kind === "source").map((part) => [part.url ?? part.id, part]),
    ),
  };
}

/** From here on an effect may have happened. A `once` call that was started before, by a process now dead, is not run again. */
async function start(run: Running, state: RunState, parts: ReadonlyMap<number, ToolPart>): Promise<RunState> {
  if (state.at.kind !== "tools") return state;
  const waiting = state.at.calls.filter((call) => call.state === "waiting");
  if (waiting.length === 0) return state;
  const calls = state.at.calls.map((call): PendingCall =>
    call.state === "waiting" ? { ...call, state: "started" } : call,
  );
  const perTool = { ...state.used.perTool };
  const running = waiting.flatMap((call): Part[] => {
    const part = parts.get(call.n);
    if (!part) return [];
    const { name } = resolveCall(part, run.catalog);
    perTool[name] = (perTool[name] ?? 0) + 1;
    return [{ ...part, state: "running", startedAt: run.clock.now() }];
  });
  const used = { ...state.used, calls: state.used.calls + waiting.length, perTool };
  const started: RunState = { ...state, used, at: { ...state.at, calls } };
  await run.writer.commit({
    events: toSettled(started, running),
    writes: [{ do: "update", table: "runs", set: toRunRow(started), where: { id: started.view.id }, expectOne: true }],
  });
  return started;
}

const PROGRESS_MS = 200;

/** What a tool says of its progress, at most a few times a second; the newest wins, and none comes after its result. */
function showProgress(run: Running, state: RunState, part: ToolPart) {
  let newest: Progress | undefined;
  let writing: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    if (!newest || run.signal.aborted) return;
    const events = toSettled(state, [{ ...part, progress: newest }]);
    newest = undefined;
    writing = run.writer.commit({ events, writes: [] }).catch(() => {});
  };
  return {
    show: (progress: Progress): void => {
      newest = { ...progress, text: progress.text.slice(0, 300) };
      timer ??= setTimeout(write, PROGRESS_MS);
    },
    end: async (): Promise<void> => {
      clearTimeout(timer);
      await writing;
    },
  };
}

/** Evidence stands once per address in an answer; what is learned of it later is put there. */
function addSources(state: RunState, { sources }: Ended, known: Map<string, SourcePart>) {
  let next = state.nextPart;
  const parts = sources.map((source): SourcePart => {
    const before = known.get(source.url);
    const n = before?.n ?? next++;
    const place = { id: `${state.view.messageId}.${n}`, v: PART_VERSION, n, step: state.view.step } as const;
    // A page that was read stays read, though a later search finds it again.
    const isOlder = before?.status === "read" && source.status !== "read";
    const [under, over] = isOlder ? [source, before] : [before, source];
    const part: SourcePart = { kind: "source", sourceType: "url", ...under, ...over, ...place };
    known.set(source.url, part);
    return part;
  });
  return { state: { ...state, nextPart: next }, parts };
}

function markEnded(state: RunState, call: PendingCall, tainted: boolean): RunState {
  if (state.at.kind !== "tools") return state;
  const calls = state.at.calls.map((other): PendingCall => (other.n === call.n ? { ...other, state: "ended" } : other));
  const marked = tainted ? { ...state, tainted } : state;
  return continueWith({ ...marked, at: { ...state.at, calls } }, calls);
}

/** With its effect on our own database, if it has one: both stand or neither. An effect that cannot stand is a failure. */
async function commitResult(run: Running, state: RunState, ended: Ended, sources: readonly Part[]): Promise<void> {
  const { part, commit, writes } = ended;
  const done = state.at.kind === "ready";
  const stream = threadStream(state.view.threadId);
  const own = (settled: ToolPart): LogBatch => ({
    events: [
      ...toSettled(state, [settled, ...sources]),
      ...(done ? [{ stream, event: { type: "run-stepped" as const, run: state.view } }] : []),
    ],
    writes: [
      ...(done ? [dropTransient(state)] : []),
      { do: "update", table: "runs", set: toRunRow(state), where: { id: state.view.id }, expectOne: true },
      ...writes,
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
