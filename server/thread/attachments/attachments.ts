import { appendFile } from "node:fs/promises";
import type { Attachment } from "../../../protocol/attachments.ts";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import { EMPTY_OUTCOME, planJob, type JobKind } from "../../jobs/jobs.ts";
import { DAY_MS, type Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import type { Store, WaitingAttachment, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Threads } from "../threads.ts";
import { describeFile, type PagePicture } from "./describe-file.ts";
import { drawForViewer } from "./pictures.ts";
import { toName } from "./to-name.ts";

export { readSendable } from "./plan-sending.ts";

/**
 * Files attached to messages. An upload is identified by its content, its text is extracted, and it is stored until a message
 * refers to it. Unsupported files are rejected with a reason. Nothing is served as a type that a browser would run.
 */
export type Attachments = ReturnType<typeof createAttachments>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "get">;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** Stored as the thread of a file whose thread does not exist yet. */
const NO_THREAD = "";
const KIND = "unsent-attachment";
/** An unsent file is deleted after this time. */
const UNSENT_MS = 7 * DAY_MS;
const MOST_TRIES = 5;
/** A multiple of three, so that base64 pieces can be concatenated. */
const PIECE_BYTES = 768 * 1024;

/** The longer side of a page in the viewer, in pixels. */
const VIEWED_SIDE = 1400;
/** For files that were attached before pages were counted. */
const MOST_PAGES = 10_000;

/** An uploaded file on the local disk. */
type ReceivedFile = { readonly path: string; readonly sizeBytes: number; readonly hash: string };
type Upload = {
  readonly name: string;
  readonly threadId?: string | undefined;
  readonly file: ReceivedFile;
};
type OpenedFile = Pick<RowOf<"attachments">, "name" | "kind"> & {
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly pieces: AsyncIterable<Uint8Array>;
};

export function createAttachments({ store, log, threads, clock, ids }: Options) {
  const { read } = store;

  /** Deletes an unsent file, and its content if no other file has it. Retries after a conflict with the same content. */
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
    throw new ApiError("busy", "The file could not be deleted because it is being changed. Try again in a moment.");
  };

  const getOwn = async ({ userId }: Principal, id: string): Promise<RowOf<"attachments">> => {
    const row = await read.attachment(userId, id);
    if (row) return row;
    throw new ApiError("not-found", "Not found.");
  };

  /** Files of one thread are stored one after another, so that each sees which slots are free. */
  const serialize = createSerializer();

  /** Deletes files that were never sent. */
  const kind: JobKind = {
    kind: KIND,
    leaseMs: 30_000,
    maxAttempts: 10,
    run: async ({ body }) => {
      const { owner, id } = body as Pick<RowOf<"attachments">, "owner" | "id">;
      await drop(owner, id);
      return EMPTY_OUTCOME;
    },
  };

  return {
    kind,

    /** Called before an upload, so that a file that cannot be attached is rejected before it is sent. */
    assertFreeSlot: async (principal: Principal, threadId: string | undefined): Promise<void> => {
      if (threadId !== undefined) await threads.get(principal, threadId);
      findSlot(await read.unsentAttachments(principal.userId, threadId ?? NO_THREAD));
    },

    /** `file` may be deleted when this has settled. */
    add: async (principal: Principal, { name: given, threadId, file }: Upload): Promise<Attachment> => {
      const owner = principal.userId;
      if (threadId !== undefined) await threads.get(principal, threadId);
      const thread = threadId ?? NO_THREAD;
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
        width: found.width,
        height: found.height,
        text: found.text,
        page_count: found.pageCount,
        created_at: clock.now(),
      };
      const pictures = found.pictures.map((picture) => toPictureWrite(owner, hash, picture));
      return serialize(`${owner} ${thread}`, async () => {
        for (let tries = 0; tries < MOST_TRIES; tries += 1) {
          const slot = findSlot(await read.unsentAttachments(owner, thread));
          const result = await log.commit({
            events: [],
            writes: planStoring({ ...row, slot }, path, pictures, ids.next()),
          });
          if (result.ok) return toView({ ...row, slot, characters: row.text.length });
          if (result.why === "missing") throw new ApiError("conflict", "The thread was deleted.");
        }
        throw new ApiError("busy", "Other files are being attached here. Try again in a moment.", undefined, 1);
      });
    },

    /** Files that were not sent yet. */
    list: async (principal: Principal, threadId: string | undefined): Promise<{ attachments: Attachment[] }> => {
      if (threadId !== undefined) await threads.get(principal, threadId);
      return { attachments: (await read.unsentAttachments(principal.userId, threadId ?? NO_THREAD)).map(toView) };
    },

    remove: async (principal: Principal, id: string): Promise<{ id: string }> => {
      const row = await getOwn(principal, id);
      if (row.sent === 1)
        throw new ApiError("conflict", "This file was sent and cannot be removed. It is deleted with its thread.");
      await drop(principal.userId, id);
      return { id };
    },

    /** Bytes are read piece by piece, on demand. */
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

    /** A page, or a converted photo, as JPEG. `path` is for the original while a page is drawn; the caller deletes it. */
    openPage: async (principal: Principal, id: string, page: number, path: string): Promise<Uint8Array> => {
      const row = await getOwn(principal, id);
      const { owner, hash, media_type: mediaType, page_count: pageCount } = row;
      const stored = await read.attachmentPicture(owner, hash, page);
      if (stored) return Buffer.from(stored.body, "base64");
      if (mediaType !== "application/pdf" || page > (pageCount ?? MOST_PAGES))
        throw new ApiError("not-found", "Not found.");
      for (let n = 0; ; n += 1) {
        const piece = await read.attachmentPiece(owner, hash, n);
        if (!piece) break;
        await appendFile(path, piece, { mode: 0o600 });
      }
      const drawn = await drawForViewer({ path, format: "pdf", page, side: VIEWED_SIDE });
      if (drawn.kind === "picture") return drawn.bytes;
      const reason =
        drawn.kind === "refused" ? drawn.reason : "cannot be shown because an optional package is not installed.";
      throw new ApiError("unsupported", `Page ${page} of ${row.name} ${reason}`);
    },
  };
}

/** The first write fails the batch when the thread was deleted. */
function planStoring(
  row: RowOf<"attachments">,
  path: string,
  pictures: readonly Write[],
  jobId: string,
): readonly Write[] {
  const { owner, hash, thread, size_bytes: sizeBytes } = row;
  const pieces = Array.from({ length: Math.ceil(sizeBytes / PIECE_BYTES) }, (_, n): Write => {
    const from = n * PIECE_BYTES;
    const body = { file: path, from, lengthBytes: Math.min(PIECE_BYTES, sizeBytes - from) };
    return { do: "insert", table: "attachment_pieces", row: { owner, hash, n, body }, ifAbsent: true };
  });
  const where = { id: thread, owner };
  return [
    ...(thread === NO_THREAD
      ? []
      : [{ do: "update", table: "threads", set: { owner }, where, expectOne: true } as const]),
    { do: "insert", table: "attachment_blobs", row: { owner, hash }, ifAbsent: true },
    ...pieces,
    ...pictures,
    { do: "insert", table: "attachments", row },
    ...planJob({
      id: jobId,
      kind: KIND,
      key: row.id,
      threadId: null,
      ownerId: owner,
      body: { owner, id: row.id },
      now: row.created_at,
      notBefore: row.created_at + UNSENT_MS,
    }),
  ];
}

const toPictureWrite = (owner: string, hash: string, { page, bytes, width, height }: PagePicture): Write => ({
  do: "insert",
  table: "attachment_pictures",
  row: { owner, hash, page, width, height, size_bytes: bytes.length, body: Buffer.from(bytes).toString("base64") },
  ifAbsent: true,
});

/** Work with the same key runs in order, one at a time. */
function createSerializer() {
  const turns = new Map<string, Promise<unknown>>();
  return <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work, work);
    turns.set(key, turn);
    const forget = (): void => {
      if (turns.get(key) === turn) turns.delete(key);
    };
    turn.then(forget, forget);
    return turn;
  };
}

/** A unique index allows each slot once, so the limit also holds across nodes. */
function findSlot(waiting: readonly Pick<RowOf<"attachments">, "slot">[]): number {
  const most = attachmentLimits.perMessage;
  const taken = new Set(waiting.map(({ slot }) => slot));
  const free = Array.from({ length: most }, (_, slot) => slot).find((slot) => !taken.has(slot));
  if (waiting.length < most && free !== undefined) return free;
  throw new ApiError("busy", `A message can have at most ${most} files. Send or remove some first.`);
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
  pageCount: row.page_count,
  createdAt: row.created_at,
});
