import { threadStream } from "../../../protocol/ids.ts";
import { PART_VERSION, type Part, type PartOf } from "../../../protocol/parts.ts";
import type { LogBatch } from "../../log/log.ts";
import type { RunContext } from "../run-context.ts";
import { lastSeqOn, toRunRow, type RunState } from "../state.ts";
import { dropTransient, toSettled } from "../commit-step.ts";
import type { ToolOutcome } from "./execute-tool.ts";

type SourcePart = PartOf<"source">;

/**
 * Commits the results of a step's tool calls. Each result is committed atomically with the next run state and with the call's
 * own writes, if any. While a commit with such writes is in progress, other results wait, because it may be rejected.
 */
export function createResults(run: RunContext, first: RunState, sources: Map<string, SourcePart>) {
  let state = first;
  let attempting: Promise<boolean> | undefined;

  const go = (next: RunState, evidence: readonly SourcePart[]): void => {
    state = next;
    for (const part of evidence) sources.set(part.url ?? part.id, part);
  };

  /** Returns false if the call's writes conflicted and nothing was committed. With `isLast` the conflict becomes its result. */
  const settle = async (ended: ToolOutcome, mark: (state: RunState) => RunState, isLast: boolean): Promise<boolean> => {
    while (attempting) await attempting;
    const { commit, ...rest } = ended;
    const evidence = addSources(state, ended, sources);
    const next = mark(evidence.state);
    const own = toBatch(next, [ended.part, ...evidence.parts], ended);
    if (!commit) {
      go(next, evidence.parts);
      run.lastSeq = lastSeqOn(streamOf(next), own.events, await run.writer.commit(own));
      return true;
    }
    // The call's events come first because its rows may refer to their seqs.
    const whole = { events: [...commit.events, ...own.events], writes: [...own.writes, ...commit.writes] };
    const attempt = async (): Promise<boolean> => {
      const seqs = await run.writer.attempt(whole);
      attempting = undefined;
      if (!seqs) return false;
      go(next, evidence.parts);
      run.lastSeq = lastSeqOn(streamOf(next), whole.events, seqs);
      return true;
    };
    attempting = attempt();
    if (await attempting) return true;
    if (!isLast) return false;
    const errorText =
      "Nothing was changed: the data was modified by someone else at the same time. Read it again, then retry.";
    return settle({ ...rest, part: { ...ended.part, state: "error", errorText } }, mark, true);
  };
  return { state: () => state, settle };
}

const streamOf = ({ view }: RunState) => threadStream(view.threadId);

function toBatch(state: RunState, parts: readonly Part[], { writes }: ToolOutcome): LogBatch {
  const done = state.at.kind === "ready";
  return {
    events: [
      ...toSettled(state, parts),
      ...(done ? [{ stream: streamOf(state), event: { type: "run-stepped" as const, run: state.view } }] : []),
    ],
    writes: [
      ...(done ? [dropTransient(state)] : []),
      { do: "update", table: "runs", set: toRunRow(state), where: { id: state.view.id }, expectOne: true },
      ...writes,
    ],
  };
}

/** Each URL has one source part per answer. Later results update it. */
function addSources(state: RunState, { sources }: ToolOutcome, known: ReadonlyMap<string, SourcePart>) {
  let next = state.nextPart;
  const parts = sources.map((source): SourcePart => {
    const before = known.get(source.url);
    const n = before?.n ?? next++;
    const place = { id: `${state.view.messageId}.${n}`, v: PART_VERSION, n, step: state.view.step } as const;
    // A page that was read keeps this status when a later search finds it again.
    const isOlder = before?.status === "read" && source.status !== "read";
    const [under, over] = isOlder ? [source, before] : [before, source];
    const isFound = before?.found === true || before?.status === "found" || source.status === "found";
    return { kind: "source", sourceType: "url", ...under, ...over, ...(isFound ? { found: true } : {}), ...place };
  });
  return { state: { ...state, nextPart: next }, parts };
}
