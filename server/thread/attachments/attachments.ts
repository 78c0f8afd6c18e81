import type { Attachment } from "../../../protocol/attachments.ts";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import { NOTHING, planJob, type JobKind } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import type { Store, WaitingAttachment, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Threads } from "../threads.ts";
import { describeFile } from "./describe-file.ts";
import { toName } from "./to-name.ts";

export { readSendable } from "./plan-sending.ts";

/**
 * FILES THAT PEOPLE ATTACH. In: bytes and a name. Out: what it is by its content, with its text read, kept for the message that
 * will name it. Refuses the rest, with the reason and what to do. Never serves what a browser would run.
 */
export type Attachments = ReturnType<typeof createAttachments>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "get">;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** Of the thread that is not there yet. */
export const FIRST = "";
const KIND = "unsent-attachment";
/** How long a file waits for its message. */
const UNSENT_MS = 7 * 24 * 60 * 60 * 1000;
const MOST_TRIES = 5;
/** A multiple of three: pieces in base64, put together, are the whole in base64. */
const PIECE_BYTES = 768 * 1024;

/** A file as it was received, on this machine's disk. */
export type ReceivedFile = { readonly path: string; readonly sizeBytes: number; readonly hash: string };
export type Upload = {
  readonly name: string;
  readonly threadId?: string | undefined;
  readonly file: ReceivedFile;
};
export type OpenedFile = Pick<RowOf<"attachments">, "name" | "kind"> & {
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly pieces: AsyncIterable<Uint8Array>;
};

export function createAttachments({ store, log, threads, clock, ids }: Options) {
  const { read } = store;

  /** With its content, where nothing else has that; again when somebody uploaded or removed the same meanwhile. */
  const drop = async (owner: string, id: string): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const row = await read.attachment(owner, id);
      if (!row || row.sent === 1) return;
      const isLast = (await read.countContent(owner, row.hash)) === 1;
      const writes: Write[] = [
        { do: "delete", table: "attachments", where: { owner, id, sent: 0 } },
        ...(isLast ? [{ do: "delete", table: "attachment_blobs", where: { owner, hash: row.hash } } as const] : []),
      ];
      if ((await log.commit({ events: [], writes })).ok) return;
    }
    throw new ApiError("busy", "The file is in use. Try again in a moment.");
  };

  const getOwn = async ({ userId }: Principal, id: string): Promise<RowOf<"attachments">> => {
    const row = await read.attachment(userId, id);
    if (row) return row;
    throw new ApiError("not-found", "There is nothing of yours under this id.");
  };

  /** A deleted thread makes the first write fail, and with it all of them. */
  const planStoring = (row: RowOf<"attachments">, path: string): readonly Write[] => {
    const { owner, hash, thread, size_bytes: sizeBytes } = row;
    const pieces = Array.from({ length: Math.ceil(sizeBytes / PIECE_BYTES) }, (_, n): Write => {
      const from = n * PIECE_BYTES;
      const body = { file: path, from, lengthBytes: Math.min(PIECE_BYTES, sizeBytes - from) };
      return { do: "insert", table: "attachment_pieces", row: { owner, hash, n, body }, ifAbsent: true };
    });
    const where = { id: thread, owner };
    return [
      ...(thread === FIRST
        ? []
        : [{ do: "update", table: "threads", set: { owner }, where, expectOne: true } as const]),
      { do: "insert", table: "attachment_blobs", row: { owner, hash }, ifAbsent: true },
      ...pieces,
      { do: "insert", table: "attachments", row },
      ...planJob({
        id: ids.next(),
        kind: KIND,
        key: row.id,
        threadId: null,
        ownerId: owner,
        body: { owner, id: row.id },
        now: row.created_at,
        notBefore: row.created_at + UNSENT_MS,
      }),
    ];
  };

  /** Files for the same thread are stored one after another, so that each finds the place the one before has left. */
  const turns = new Map<string, Promise<unknown>>();
  const takeTurn = <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work, work);
    turns.set(key, turn);
    const forget = (): void => {
      if (turns.get(key) === turn) turns.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  };

  /** Those that nobody sent go after a while. */
  const kind: JobKind = {
    kind: KIND,
    leaseMs: 30_000,
    maxAttempts: 10,
    run: async ({ body }) => {
      const { owner, id } = body as Pick<RowOf<"attachments">, "owner" | "id">;
      await drop(owner, id);
      return NOTHING;
    },
  };

  return {
    kind,

    /** Refuses early what would be refused in the end: nobody should send a file for nothing. */
    assertRoom: async (principal: Principal, threadId: string | undefined): Promise<void> => {
      if (threadId !== undefined) await threads.get(principal, threadId);
      findSlot(await read.unsentAttachments(principal.userId, threadId ?? FIRST));
    },

    /** `file` may go when this has settled. */
    add: async (principal: Principal, { name: given, threadId, file }: Upload): Promise<Attachment> => {
      const owner = principal.userId;
      if (threadId !== undefined) await threads.get(principal, threadId);
      const thread = threadId ?? FIRST;
      const name = toName(given);
      const { path, sizeBytes, hash } = file;
      if (sizeBytes === 0) throw new ApiError("invalid", `${name} is empty.`);
      const found = await describeFile({ path, name, sizeBytes });
      const row: Omit<RowOf<"attachments">, "slot"> = {
        owner,
        id: ids.next(),
        thread,
        sent: 0,
        hash,
        name,
        media_type: found.mediaType,
        kind: found.kind,
        size_bytes: sizeBytes,
        width: found.kind === "image" ? found.width : null,
        height: found.kind === "image" ? found.height : null,
        text: found.kind === "text" ? found.text : "",
        created_at: clock.now(),
      };
      return takeTurn(`${owner} ${thread}`, async () => {
        for (let tries = 0; tries < MOST_TRIES; tries += 1) {
          const slot = findSlot(await read.unsentAttachments(owner, thread));
          const result = await log.commit({ events: [], writes: planStoring({ ...row, slot }, path) });
          if (result.ok) return toView({ ...row, slot, characters: row.text.length });
          if (result.why === "missing") throw new ApiError("conflict", "The thread was deleted meanwhile.");
        }
        throw new ApiError("busy", "Other files are being attached here. Try again in a moment.", undefined, 1);
      });
    },

    /** Those that wait for their message. */
    list: async (principal: Principal, threadId: string | undefined): Promise<{ attachments: Attachment[] }> => {
      if (threadId !== undefined) await threads.get(principal, threadId);
      return { attachments: (await read.unsentAttachments(principal.userId, threadId ?? FIRST)).map(toView) };
    },

    remove: async (principal: Principal, id: string): Promise<{ id: string }> => {
      const row = await getOwn(principal, id);
      if (row.sent === 1) throw new ApiError("conflict", "This file was sent: it goes when its thread does.");
      await drop(principal.userId, id);
      return { id };
    },

    /** Its bytes are read piece by piece, as they are asked for. */
    open: async (principal: Principal, id: string): Promise<OpenedFile> => {
      const { owner, hash, name, kind, media_type: mediaType, size_bytes: sizeBytes } = await getOwn(principal, id);
      async function* pieces(): AsyncGenerator<Buffer> {
        for (let n = 0; ; n += 1) {
          const piece = await read.attachmentPiece(owner, hash, n);
          if (!piece) return;
          yield piece;
        }
      }
      return { name, kind, mediaType, sizeBytes, pieces: pieces() };
    },
  };
}

/** The database lets each place be taken once, so also two nodes together keep the limit. */
function findSlot(waiting: readonly Pick<RowOf<"attachments">, "slot">[]): number {
  const most = attachmentLimits.perMessage;
  const taken = new Set(waiting.map(({ slot }) => slot));
  const free = Array.from({ length: most }, (_, slot) => slot).find((slot) => !taken.has(slot));
  if (waiting.length < most && free !== undefined) return free;
  throw new ApiError("busy", `${most} files wait already: a message takes no more. Send or remove some first.`);
}

const toView = (row: WaitingAttachment): Attachment => ({
  id: row.id,
  name: row.name,
  mediaType: row.media_type,
  kind: row.kind,
  sizeBytes: row.size_bytes,
  width: row.width,
  height: row.height,
  characters: row.kind === "text" ? row.characters : null,
  createdAt: row.created_at,
});
