import type { Part, PartOf, Progress } from "../../../protocol/parts.ts";
import { toPart } from "../../thread/rows.ts";
import { isStopped, throwIfLost, type RunContext } from "../run-context.ts";
import { continueWith, toSettled } from "../commit-step.ts";
import { executeTool } from "./execute-tool.ts";
import { createResults } from "./results.ts";
import { resolveCall } from "./resolve-call.ts";
import { countRefs } from "./tool-context.ts";
import { toRunRow, type PendingCall, type RunState } from "../state.ts";

type ToolPart = PartOf<"tool">;
type SourcePart = PartOf<"source">;

/**
 * Runs the tool calls of a step concurrently; calls that write the same object run one after another. The intent of all calls
 * is committed first. Each result is committed with the next run state and replaces the call's part. After the last one, the
 * next step is ready.
 */
export async function callTools(run: RunContext, state: RunState): Promise<RunState> {
  if (state.at.kind !== "tools") throw new Error("The run has no tool calls to run.");
  const { tools: parts, sources } = await loadParts(run, state);
  run.failpoint("before-intent");
  const results = createResults(run, await start(run, state, parts), sources);
  run.failpoint("after-intent");
  const calls = state.at.calls.filter((call) => call.state === "ready" || call.state === "started");
  const refs = await countRefs(run, state.view.threadId);
  const lanes = createLanes();
  const execute = async (call: PendingCall, part: ToolPart): Promise<void> => {
    const progress = showProgress(run, results.state(), part);
    const { tool } = resolveCall(part, run.catalog);
    if (tool && tool.identity !== call.identity) {
      const untrusted = part.untrusted ?? [];
      const ended: ToolPart = { ...part, state: "error", errorText: REPLACED, untrusted, endedAt: run.clock.now() };
      await results.settle({ part: ended, writes: [], sources: [] }, (before) => markEnded(before, call), true);
      return;
    }
    const tries = tool?.repeat === "once" ? 1 : MAX_TRIES;
    for (let left = tries; left > 0; left -= 1) {
      const ended = await executeTool({ run, state: results.state(), part, call, refs, progress: progress.show });
      await progress.end();
      throwIfLost(run.signal);
      if (isStopped(run.signal)) return;
      run.failpoint("after-effect");
      if (await results.settle(ended, (before) => markEnded(before, call, ended.question), left === 1)) break;
    }
    run.failpoint("after-result");
  };
  await Promise.all(
    calls.map((call) => {
      const part = parts.get(call.n);
      if (!part) throw new Error(`The part of tool call ${call.callId} is missing.`);
      const { tool, input } = resolveCall(part, run.catalog);
      const running: ToolPart = { ...part, state: "running", startedAt: run.clock.now() };
      return lanes.run(tool?.locks?.(input) ?? [], () => execute(call, running));
    }),
  );
  return results.state();
}

const REPLACED = "Not run: the tool or its MCP server has changed since this call was made. Call the tool again.";

/** A call plans its writes from the rows it read. On a conflicting write it reads and plans again, with the same idempotency key. */
const MAX_TRIES = 5;

async function loadParts(run: RunContext, { view }: RunState) {
  const rows = (await run.store.read.partsOf(view.threadId, [view.messageId])).map(toPart);
  return {
    tools: new Map(rows.filter((part): part is ToolPart => part.kind === "tool").map((part) => [part.n, part])),
    sources: new Map(
      rows.filter((part): part is SourcePart => part.kind === "source").map((part) => [part.url ?? part.id, part]),
    ),
  };
}

/** Commits the intent: from here on an effect may have happened. A `once` call that another process started is not repeated. */
async function start(run: RunContext, state: RunState, parts: ReadonlyMap<number, ToolPart>): Promise<RunState> {
  if (state.at.kind !== "tools") return state;
  const ready = state.at.calls.filter((call) => call.state === "ready");
  if (ready.length === 0) return state;
  const calls = state.at.calls.map((call): PendingCall =>
    call.state === "ready" ? { ...call, state: "started" } : call,
  );
  const perTool = { ...state.used.perTool };
  const running = ready.flatMap((call): Part[] => {
    const part = parts.get(call.n);
    if (!part) return [];
    const { name } = resolveCall(part, run.catalog);
    perTool[name] = (perTool[name] ?? 0) + 1;
    return [{ ...part, state: "running", startedAt: run.clock.now() }];
  });
  const used = { ...state.used, calls: state.used.calls + ready.length, perTool };
  const started: RunState = { ...state, used, at: { ...state.at, calls } };
  await run.writer.commit({
    events: toSettled(started, running),
    writes: [{ do: "update", table: "runs", set: toRunRow(started), where: { id: started.view.id }, expectOne: true }],
  });
  return started;
}

const PROGRESS_MS = 200;

/** Publishes a tool's progress, throttled. Only the newest is written, and none after the result. */
function showProgress(run: RunContext, state: RunState, part: ToolPart) {
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

/** With a question, the call waits for the user instead. */
function markEnded(state: RunState, call: PendingCall, question?: PendingCall["question"]): RunState {
  if (state.at.kind !== "tools") return state;
  const calls = state.at.calls.map((other): PendingCall => {
    if (other.n !== call.n) return other;
    return question ? { ...other, state: "asking", question } : { ...other, state: "ended" };
  });
  return continueWith({ ...state, at: { ...state.at, calls } }, calls);
}

/** Serializes work on the same objects, in the given order. Other work runs concurrently. */
function createLanes() {
  const last = new Map<string, Promise<unknown>>();
  return {
    run: <T>(objects: readonly string[], work: () => Promise<T>): Promise<T> => {
      const before = objects.flatMap((object) => last.get(object) ?? []);
      const done = before.length ? Promise.allSettled(before).then(work) : work();
      for (const object of objects) last.set(object, done);
      return done;
    },
  };
}
