import { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import type { Draft } from "../../protocol/drafts.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log, LogBatch } from "../log/log.ts";
import type { Reads, Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Threads } from "./threads.ts";

/**
 * What people began to write, so that no tab, device or crash loses it. The last writer by its own time wins; the version is
 * the seq of the event that tells of it, so two tabs agree on which is newer. An emptied draft keeps its row: a text that was
 * written before the message was sent, and arrives after it, is too old to come back.
 */
export type Drafts = ReturnType<typeof createDrafts>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "get">;
  readonly clock: Clock;
};
type Said = { readonly text: string; readonly at: number };
type Written = Said & { readonly was?: number | undefined };

/** The place of the draft for a thread that is not there yet. */
const FIRST = "";
const MOST_TRIES = 10;

export function createDrafts({ store, log, threads, clock }: Options) {
  const { read } = store;

  const set = async (owner: string, thread: string, written: Written) => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const known = await read.draft(owner, thread);
      const isOver = known !== undefined && written.was === known.version;
      const at = Math.max(Math.min(written.at, clock.now()), isOver ? known.at : 0);
      if (known && (known.text === written.text || (known.at > at && !isOver))) {
        return { kept: known.text === written.text, draft: toDraft(known) };
      }
      const result = await log.commit(plan(owner, thread, { text: written.text, at }, known));
      if (result.ok) {
        const version = result.seqs[0] ?? 0;
        return { kept: true, draft: toDraft({ owner, thread, text: written.text, at, version }) };
      }
      if (thread !== FIRST) await threads.get({ userId: owner }, thread);
    }
    throw new ApiError("busy", "This draft is being written from many places at once. Try again in a moment.");
  };

  const get = async (owner: string, thread: string): Promise<{ draft: Draft }> => ({
    draft: toDraft((await read.draft(owner, thread)) ?? { owner, thread, text: "", at: 0, version: 0 }),
  });

  return {
    list: async ({ userId }: Principal): Promise<{ drafts: Draft[] }> => ({
      drafts: (await read.drafts(userId)).map(toDraft),
    }),
    get: async (principal: Principal, threadId: string) => {
      await threads.get(principal, threadId);
      return get(principal.userId, threadId);
    },
    set: async (principal: Principal, threadId: string, written: Written) => {
      await threads.get(principal, threadId);
      return set(principal.userId, threadId, written);
    },
    getFirst: ({ userId }: Principal) => get(userId, FIRST),
    setFirst: ({ userId }: Principal, written: Written) => set(userId, FIRST, written),
  };
}

/** To be committed with a message that is sent: its draft is empty from then on. Nothing where there is none. */
export async function planSent(
  read: Pick<Reads, "draft">,
  { owner, threadId, now }: { readonly owner: string; readonly threadId: string | null; readonly now: number },
): Promise<Pick<LogBatch, "events"> & { readonly toWrites: (index: number) => readonly Write[] }> {
  const thread = threadId ?? FIRST;
  const known = await read.draft(owner, thread);
  if (!known || known.text === "") return { events: [], toWrites: () => [] };
  return {
    events: [toEvent(owner, thread, { text: "", at: now })],
    toWrites: (index) => [
      { do: "put", table: "drafts", row: { owner, thread, text: "", at: now, version: { seqOf: index } } },
    ],
  };
}

function plan(owner: string, thread: string, written: Said, known: RowOf<"drafts"> | undefined): LogBatch {
  const set = { text: written.text, at: written.at, version: { seqOf: 0 } };
  const write: Write = known
    ? { do: "update", table: "drafts", set, where: { owner, thread, version: known.version }, expectOne: true }
    : { do: "insert", table: "drafts", row: { owner, thread, ...set } };
  // A thread that was deleted meanwhile keeps nothing.
  const stands: Write[] =
    thread === FIRST
      ? []
      : [{ do: "update", table: "threads", set: { owner }, where: { id: thread, owner }, expectOne: true }];
  return { events: [toEvent(owner, thread, written)], writes: [...stands, write] };
}

const toEvent = (owner: string, thread: string, { text, at }: Said): LogBatch["events"][number] => ({
  stream: userStream(owner),
  event: { type: "draft-changed", threadId: thread === FIRST ? null : thread, at, empty: text === "" },
});

const toDraft = ({ thread, text, at, version }: RowOf<"drafts">): Draft => ({
  threadId: thread === FIRST ? null : thread,
  text,
  at,
  version,
});
