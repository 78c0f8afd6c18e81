import { threadStream } from "../../../protocol/ids.ts";
import { PART_VERSION, type Part, type PartOf } from "../../../protocol/parts.ts";
import type { LogBatch } from "../../log/log.ts";
import type { Running } from "../running.ts";
import { lastSeqOn, toRunRow, type RunState } from "../state.ts";
import { dropTransient, toSettled } from "../step/commit-step.ts";
import type { Ended } from "./execute-tool.ts";

type SourcePart = PartOf<"source">;

/**
 * The results of a step's calls, each committed with the state that follows it and with its effect on our own database, if
 * it has one: all of it stands, or nothing. While one with an effect may still be refused, the others wait for it.
 */
export function createResults(run: Running, first: RunState, sources: Map<string, SourcePart>) {
  let state = first;
  let attempting: Promise<boolean> | undefined;

  const go = (next: RunState, evidence: readonly SourcePart[]): void => {
    state = next;
    for (const part of evidence) sources.set(part.url ?? part.id, part);
  };

  /** False: what it wanted to store was no longer possible, and nothing of it stands. With `isLast` that is its result. */
  const settle = async (ended: Ended, mark: (state: RunState) => RunState, isLast: boolean): Promise<boolean> => {
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
    // Its own events come first: its rows may name their seqs.
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
    const errorText = "What it wanted to store was no longer possible.";
    return settle({ ...rest, part: { ...ended.part, state: "error", errorText } }, mark, true);
  };
  return { state: () => state, settle };
}

const streamOf = ({ view }: RunState) => threadStream(view.threadId);

function toBatch(state: RunState, parts: readonly Part[], { writes }: Ended): LogBatch {
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

/** Evidence stands once per address in an answer; what is learned of it later is put there. */
function addSources(state: RunState, { sources }: Ended, known: ReadonlyMap<string, SourcePart>) {
  let next = state.nextPart;
  const parts = sources.map((source): SourcePart => {
    const before = known.get(source.url);
    const n = before?.n ?? next++;
    const place = { id: `${state.view.messageId}.${n}`, v: PART_VERSION, n, step: state.view.step } as const;
    // A page that was read stays read, though a later search finds it again.
    const isOlder = before?.status === "read" && source.status !== "read";
    const [under, over] = isOlder ? [source, before] : [before, source];
    const isFound = before?.found === true || before?.status === "found" || source.status === "found";
    return { kind: "source", sourceType: "url", ...under, ...over, ...(isFound ? { found: true } : {}), ...place };
  });
  return { state: { ...state, nextPart: next }, parts };
}
