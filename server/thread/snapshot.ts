import type { ThreadSnapshot } from "../../protocol/api.ts";
import type { ThreadEvent } from "../../protocol/events.ts";
import {
  applyEvent,
  emptyThreadView,
  textOf,
  toEarlyEnd,
  type MessageView,
  type ThreadView,
} from "../../protocol/fold.ts";
import { threadStream } from "../../protocol/ids.ts";
import type { EarlyEnd } from "../../protocol/run.ts";
import type { Reads } from "../store/contract.ts";
import { toStoredRun, toThreadEvent } from "../store/parse-rows.ts";
import type { RowOf } from "../store/schema.ts";
import { loadWindow, type Window } from "./path.ts";
import { toPart, toQueued } from "./rows.ts";
import { toSummaries } from "./shared.ts";

export { toStoredRun, type StoredRun } from "../store/parse-rows.ts";

/** The run of the newest answer on the active path, which *Continue* resumes. */
export async function findNewestRun(
  read: Pick<Reads, "segments" | "pathEnd" | "run">,
  { id, branch }: Pick<RowOf<"threads">, "id" | "branch">,
): Promise<RowOf<"runs"> | undefined> {
  const segments = await read.segments({ thread: id, branch, upTo: Number.MAX_SAFE_INTEGER }, 1);
  const [newest] = await read.pathEnd(id, segments, 1);
  return newest && newest.run !== null ? read.run(newest.run) : undefined;
}

/** How the runs that ended early ended, by message id. */
export async function findEarlyEnds(
  read: Pick<Reads, "runsEndedEarly">,
  runIds: readonly (string | null)[],
): Promise<ReadonlyMap<string, EarlyEnd>> {
  const rows = await read.runsEndedEarly([...new Set(runIds.filter((id) => id !== null))]);
  return new Map(
    rows.flatMap((row) => {
      const end = toEarlyEnd(toStoredRun(row).view);
      return end ? [[row.message, end]] : [];
    }),
  );
}

/** Messages as the page shows them, with how each answer ended. */
export async function loadMessageViews(read: Omit<Reads, "together">, window: Window): Promise<readonly MessageView[]> {
  const { messages } = await loadWindow(read, window);
  const ends = await findEarlyEnds(
    read,
    messages.map(({ runId }) => runId),
  );
  return messages.map((message) => {
    const endedEarly = ends.get(message.id);
    return endedEarly ? { ...message, endedEarly } : message;
  });
}

/** Whether *Continue* is possible: the answer ended at a limit, or was stopped or failed after it had text. */
export async function isContinuable(read: Pick<Reads, "partsOf">, run: RowOf<"runs"> | undefined): Promise<boolean> {
  if (!run) return false;
  const { outcome, threadId, messageId } = toStoredRun(run).view;
  if (outcome === "limit") return true;
  if (outcome !== "stopped" && outcome !== "failed") return false;
  return textOf((await read.partsOf(threadId, [messageId])).map(toPart)).trim() !== "";
}

/** A thread at one moment: its rows, with the deltas of the running step folded in as the page does it. */
export async function readSnapshot(
  read: Omit<Reads, "together">,
  userId: string,
  threadId: string,
  limit: number,
): Promise<ThreadSnapshot | undefined> {
  const thread = await read.thread(threadId);
  const [summary] = thread ? await toSummaries(read, userId, [thread]) : [];
  if (!thread || !summary) return undefined;
  const stream = threadStream(threadId);
  const messages = await loadMessageViews(read, { thread: threadId, branch: thread.branch, count: limit });
  const { head } = await read.lease(stream);
  const live = await read.liveRun(threadId);
  const newest = messages.at(-1)?.runId ?? null;
  const run = live ?? (newest === null ? undefined : await read.run(newest));
  const stored = run ? toStoredRun(run) : null;
  const queue = (await read.queued(threadId)).filter(({ kind }) => kind !== "continue").map(toQueued);
  const view: ThreadView = {
    ...emptyThreadView,
    thread: summary,
    messages,
    queue,
    run: stored?.view ?? null,
  };
  const after = live && stored?.at.kind === "calling" ? await readDeltas(read, stream, stored.stepSeq) : [];
  const folded = after.reduce((next, { seq, event }) => applyEvent(next, seq, event), view);
  return {
    seq: head,
    thread: folded.thread ?? summary,
    messages: folded.messages,
    queue: folded.queue,
    run: folded.run,
  };
}

const PAGE = 1000;

/** The deltas of a running step. The rows already contain the effect of all other events. */
export async function readDeltas(read: Omit<Reads, "together">, stream: ReturnType<typeof threadStream>, from: number) {
  const found: { seq: number; event: ThreadEvent }[] = [];
  for (let after = from; ;) {
    const rows = await read.events(stream, after, PAGE);
    for (const row of rows) {
      const event = toThreadEvent(row);
      if (event.type === "text-delta" || event.type === "tool-input-delta") found.push({ seq: row.seq, event });
    }
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return found;
    after = last.seq;
  }
}
