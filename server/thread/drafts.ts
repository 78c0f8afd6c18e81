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
 * Unsent message text, stored so that it survives a closed tab, a crash or a change of device. The last writer wins, by the
 * client's timestamp; a writer that names the version it edited replaces only that version or an emptied draft. The version is the seq of the event that announced the draft, so two tabs agree on which is newer. An
 * emptied draft keeps its row, so that an older text arriving after the message was sent does not restore it.
 */
export type Drafts = ReturnType<typeof createDrafts>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "get">;
  readonly clock: Clock;
};
type DraftText = { readonly text: string; readonly at: number };
type DraftUpdate = DraftText & { readonly was?: number | undefined; readonly apart?: boolean | undefined };

/** Stored as the thread of a draft whose thread does not exist yet. */
const NO_THREAD = "";
const MOST_TRIES = 10;

export function createDrafts({ store, log, threads, clock }: Options) {
  const { read } = store;

  const set = async (owner: string, thread: string, written: DraftUpdate, isShared = false) => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const known = await read.draft(owner, thread);
      const isOver = known !== undefined && written.was === known.version;
      const isUnseen = known !== undefined && !isOver && written.was !== undefined && known.text !== "";
      const at = Math.max(Math.min(written.at, clock.now()), isOver ? known.at : 0);
      if (known && (known.text === written.text || isUnseen || (known.at > at && !isOver))) {
        return { kept: known.text === written.text, draft: toDraft(known) };
      }
      const was = isOver && !written.apart ? known.version : undefined;
      const result = await log.commit(plan({ owner, thread, isShared }, { text: written.text, at, was }, known));
      if (result.ok) {
        const version = result.seqs[0] ?? 0;
        return { kept: true, draft: toDraft({ owner, thread, text: written.text, at, version }) };
      }
      if (thread !== NO_THREAD) await threads.get({ userId: owner }, thread);
    }
    throw new ApiError("busy", "This draft is being changed by many requests at once. Try again in a moment.");
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
    set: async (principal: Principal, threadId: string, written: DraftUpdate) => {
      const { shared } = await threads.get(principal, threadId, "change");
      return set(principal.userId, threadId, written, shared === 1);
    },
    getFirst: ({ userId }: Principal) => get(userId, NO_THREAD),
    setFirst: ({ userId }: Principal, written: DraftUpdate) => set(userId, NO_THREAD, written),
  };
}

type SentDraft = {
  readonly owner: string;
  readonly threadId: string | null;
  /** The message's text. */
  readonly text: string;
  readonly now: number;
};

/**
 * Events and rows to commit with a sent message, which empty its draft. Only a draft with the message's text is its draft: another
 * text was written elsewhere and is kept. A page that sent an edited text empties its older draft itself.
 */
export async function planClearDraft(
  read: Pick<Reads, "draft">,
  { owner, threadId, text, now }: SentDraft,
): Promise<Pick<LogBatch, "events"> & { readonly toWrites: (index: number) => readonly Write[] }> {
  const thread = threadId ?? NO_THREAD;
  const known = await read.draft(owner, thread);
  if (!known || known.text.trim() === "" || known.text.trim() !== text.trim())
    return { events: [], toWrites: () => [] };
  return {
    events: [toEvent(owner, thread, { text: "", at: now, was: known.version })],
    toWrites: (index) => [
      { do: "put", table: "drafts", row: { owner, thread, text: "", at: now, version: { seqOf: index } } },
    ],
  };
}

type DraftKey = { readonly owner: string; readonly thread: string; readonly isShared: boolean };

function plan(
  { owner, thread, isShared }: DraftKey,
  written: DraftUpdate,
  known: RowOf<"drafts"> | undefined,
): LogBatch {
  const set = { text: written.text, at: written.at, version: { seqOf: 0 } };
  const write: Write = known
    ? { do: "update", table: "drafts", set, where: { owner, thread, version: known.version }, expectOne: true }
    : { do: "insert", table: "drafts", row: { owner, thread, ...set } };
  // Fails the commit when the thread was deleted concurrently.
  const requireThread: Write[] =
    thread === NO_THREAD
      ? []
      : isShared
        ? [{ do: "update", table: "threads", set: { shared: 1 }, where: { id: thread, shared: 1 }, expectOne: true }]
        : [{ do: "update", table: "threads", set: { owner }, where: { id: thread, owner }, expectOne: true }];
  return { events: [toEvent(owner, thread, written)], writes: [...requireThread, write] };
}

const toEvent = (owner: string, thread: string, { text, at, was }: DraftUpdate): LogBatch["events"][number] => ({
  stream: userStream(owner),
  event: {
    type: "draft-changed",
    threadId: thread === NO_THREAD ? null : thread,
    at,
    empty: text === "",
    ...(was === undefined ? {} : { was }),
  },
});

const toDraft = ({ thread, text, at, version }: RowOf<"drafts">): Draft => ({
  threadId: thread === NO_THREAD ? null : thread,
  text,
  at,
  version,
});
