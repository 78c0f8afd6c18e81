import type { AgentState } from "../../protocol/context/context.ts";
import { joinSources, readSources, untrustedIn, writeSources, type Sources } from "../../protocol/context/untrusted.ts";
import type { Log, LogEntry } from "../log/log.ts";
import type { Reads, Segment, Write } from "../store/contract.ts";
import { toPart, toStoredRun } from "../store/parse-rows.ts";
import type { RowOf } from "../store/schema.ts";
import { reconcile, type ConversationTurn } from "./reconcile.ts";
import { renderAgentState } from "./render-state.ts";

export { reconcile, stateLimits, type ConversationTurn, type Conversation } from "./reconcile.ts";
export { renderAgentState } from "./render-state.ts";

/**
 * The state of the work in a thread: goal, facts, pending items and newest results. Computed from the end of a path after each
 * turn, in the background, and stored as one row per branch. It is derived from the messages, so a lag or failure loses nothing.
 */
const STATE_VERSION = 1;

/** How many messages of a path a state is computed from. */
const TURNS = 40;

type StateReads = Pick<Reads, "segments" | "pathEnd" | "partsOf" | "run" | "agentState">;
type PathEnd = { readonly thread: string; readonly branch: string };

type StoredState = { readonly state: AgentState; readonly untrusted: Sources };

const toStoredState = ({ body, untrusted }: RowOf<"agent_states">): StoredState => ({
  state: JSON.parse(body) as AgentState,
  untrusted: readSources(untrusted),
});

/** The state at the end of this branch. It is computed here unless it is stored. */
export async function findAgentState(reads: StateReads, place: PathEnd, now: number): Promise<AgentState | null> {
  return (await findCurrent(reads, { ...place, upTo: WHOLE }, now))?.state ?? null;
}

/** A state as text for a prompt. */
export type StateText = { readonly text: string; readonly untrusted: Sources };

/**
 * The state after the message at depth `upTo`, as text for a prompt. When the background job has not reached that message, or
 * has failed, the state is computed here from the same messages: it never lags.
 */
export async function renderStateOf(
  reads: StateReads,
  place: PathEnd & { readonly upTo: number },
  now: number,
): Promise<StateText | null> {
  const known = await findCurrent(reads, place, now);
  return known && { text: renderAgentState(known.state), untrusted: known.untrusted };
}

async function findCurrent(
  reads: StateReads,
  place: PathEnd & { readonly upTo: number },
  now: number,
): Promise<StoredState | null> {
  const segments = await reads.segments(place, TURNS);
  const [end] = segments;
  if (!end) return null;
  const row = await reads.agentState(place.thread, end.branch);
  const isCurrent = row?.v === STATE_VERSION && row.depth === end.to;
  const known = isCurrent ? toStoredState(row) : await computeState(reads, place.thread, segments);
  return !known || known.state.expiresAt <= now ? null : known;
}

type Options = { readonly read: StateReads & Pick<Reads, "thread">; readonly log: Pick<Log, "commit"> };
type Outcome = { readonly writes: readonly Write[]; readonly events: readonly LogEntry[] };
type Job = { readonly threadId: string | null; readonly body: unknown };

/** The job kind `state`, with `{ branchId }` as its body, and a direct call for callers that cannot wait. */
export function createAgentStates({ read, log }: Options) {
  const counts = { reconciled: 0, failures: 0 };

  const count = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      const result = await work();
      counts.reconciled += 1;
      return result;
    } catch (error) {
      counts.failures += 1;
      throw error;
    }
  };

  return {
    kind: {
      kind: "state",
      leaseMs: 30_000,
      maxAttempts: 5,
      run: ({ threadId, body }: Job): Promise<Outcome> =>
        count(async () => {
          const thread = threadId === null ? undefined : await read.thread(threadId);
          if (!thread) return { writes: [], events: [] };
          const { branchId = thread.branch } = body as { readonly branchId?: string };
          return { writes: await planState(read, { thread: thread.id, branch: branchId }), events: [] };
        }),
    },

    reconcileNow: (threadId: string, branchId: string): Promise<void> =>
      count(async () => {
        const writes = await planState(read, { thread: threadId, branch: branchId });
        if (writes.length === 0) return;
        const result = await log.commit({ writes, events: [] });
        if (result.ok || !(await read.thread(threadId))) return;
        throw new Error(`The state of thread ${threadId} could not be written: ${result.why}.`);
      }),

    stats: () => ({ ...counts }),
  };
}

/** No writes if the stored state is already the same. */
async function planState(read: StateReads, { thread, branch }: PathEnd): Promise<Write[]> {
  const segments = await read.segments({ thread, branch, upTo: WHOLE }, TURNS);
  const computed = await computeState(read, thread, segments);
  if (!computed) return [];
  const { state, branch: last } = computed;
  const body = JSON.stringify(state);
  const untrusted = writeSources(computed.untrusted);
  const known = await read.agentState(thread, last);
  if (known?.depth === state.depth && known.body === body && known.untrusted === untrusted && known.v === STATE_VERSION)
    return [];
  const row: RowOf<"agent_states"> = {
    thread,
    branch: last,
    depth: state.depth,
    v: STATE_VERSION,
    body,
    untrusted,
    expires_at: state.expiresAt,
    updated_at: state.updatedAt,
  };
  return [{ do: "put", table: "agent_states", row }];
}

/** Reads the last messages of a path: O(TURNS). Undefined for an empty path. */
async function computeState(
  read: StateReads,
  thread: string,
  segments: readonly Segment[],
): Promise<(StoredState & { readonly branch: string }) | undefined> {
  const rows = await read.pathEnd(thread, segments, TURNS);
  const last = rows.at(-1);
  if (!last) return undefined;
  const parts = await read.partsOf(
    thread,
    rows.map(({ id }) => id),
  );
  const byMessage = Map.groupBy(parts, ({ message }) => message);
  const turns = rows.map(({ id, role, depth }): ConversationTurn => ({
    role,
    depth,
    parts: (byMessage.get(id) ?? []).map(toPart),
  }));
  const run = last.run === null ? undefined : await read.run(last.run);
  const view = run && toStoredRun(run).view;
  const ended = view?.outcome ? { outcome: view.outcome, reason: view.reason } : null;
  return {
    state: reconcile({ turns, ended, at: view?.endedAt ?? last.created_at }),
    untrusted: joinSources(...turns.map((turn) => untrustedIn(turn.parts))),
    branch: last.branch,
  };
}

const WHOLE = Number.MAX_SAFE_INTEGER;
