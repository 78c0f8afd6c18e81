import type { Attachment } from "../../../protocol/attachments.ts";
import { attachmentLimits } from "../../../protocol/attachment-limits.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import { EMPTY_OUTCOME, planJob, type JobKind } from "../../jobs/jobs.ts";
import { DAY_MS, type Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import { countTokens } from "../../lib/tokens.ts";
import type { Log } from "../../log/log.ts";
import type { Store, WaitingAttachment, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Threads } from "../threads.ts";
import { createAttachmentContents } from "./contents.ts";
import { describeFile, type PagePicture } from "./describe-file.ts";
import { toName } from "./to-name.ts";

export { readSendable } from "./plan-sending.ts";
export { describeFile } from "./describe-file.ts";
export { toName } from "./to-name.ts";

/**
 * Files attached to messages. An upload is identified by its content, its text is extracted, and it is stored until a message
 * refers to it. Unsupported files are rejected with a reason. Nothing is served as a type that a browser would run.
 */
export type Attachments = ReturnType<typeof createAttachments>;

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "get" | "find">;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Throws if the user may not store as many bytes more. Default: everyone may. */
  readonly assertRoom?: ((userId: string, addedBytes: number) => Promise<void>) | undefined;
};

/** Stored as the thread of a file whose thread does not exist yet. */
const NO_THREAD = "";
const KIND = "unsent-attachment";
/** An unsent file is deleted after this time. */
const UNSENT_MS = 7 * DAY_MS;
const MOST_TRIES = 5;
/** A multiple of three, so that base64 pieces can be concatenated. */
const PIECE_BYTES = 768 * 1024;

/** An uploaded file on the local disk. */
type ReceivedFile = { readonly path: string; readonly sizeBytes: number; readonly hash: string };
type Upload = {
  readonly name: string;
  readonly threadId?: string | undefined;
  readonly file: ReceivedFile;
};
export function createAttachments({ store, log, threads, clock, ids, assertRoom }: Options) {
  const { read } = store;

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
      await drop({ store, log }, owner, id);
      return EMPTY_OUTCOME;
    },
  };

  return {
    kind,
    ...createAttachmentContents({ read, threads }),

    /** Called before an upload, so that a file that cannot be attached is rejected before it is sent. */
    assertFreeSlot: async (principal: Principal, threadId: string | undefined): Promise<void> => {
      if (threadId !== undefined) await threads.get(principal, threadId, "change");
      findSlot(await read.unsentAttachments(principal.userId, threadId ?? NO_THREAD));
    },

    /** `file` may be deleted when this has settled. */
    add: async (principal: Principal, { name: given, threadId, file }: Upload): Promise<Attachment> => {
      const owner = principal.userId;
      const target = threadId === undefined ? undefined : await threads.get(principal, threadId, "change");
      const isShared = target?.shared === 1;
      const thread = threadId ?? NO_THREAD;
      const name = toName(given);
      const { path, sizeBytes, hash } = file;
      if (sizeBytes === 0) throw new ApiError("invalid", `${name} is empty.`);
      await assertRoom?.(owner, sizeBytes);
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
            writes: planStoring({ ...row, slot }, { path, pictures, jobId: ids.next(), isShared }),
          });
          if (result.ok) return toView({ ...row, slot, characters: row.text.length }, countTokens(row.text));
          if (result.why === "missing") throw new ApiError("conflict", "The thread was deleted.");
        }
        throw new ApiError(
          "busy",
          "Other files are being attached to this thread. Try again in a moment.",
          undefined,
          1,
        );
      });
    },

    /** Files that were not sent yet. */
    list: async (principal: Principal, threadId: string | undefined): Promise<{ attachments: Attachment[] }> => {
      if (threadId !== undefined) await threads.get(principal, threadId);
      const { userId } = principal;
      const waiting = await read.unsentAttachments(userId, threadId ?? NO_THREAD);
      const texts = await read.attachments(
        userId,
        waiting.flatMap(({ id, kind: type }) => (type === "text" ? [id] : [])),
      );
      const tokens = new Map(texts.map(({ id, text }) => [id, countTokens(text)]));
      return { attachments: waiting.map((row) => toView(row, tokens.get(row.id) ?? 0)) };
    },

    remove: async (principal: Principal, id: string): Promise<{ id: string }> => {
      const row = await getOwn(principal, id);
      if (row.sent === 1)
        throw new ApiError("conflict", "This file was sent and cannot be removed. It is deleted with its thread.");
      await drop({ store, log }, principal.userId, id);
      return { id };
    },
  };
}

/** Deletes an unsent file, and its content if no other file has it. Retries after a conflict with the same content. */
async function drop(
  { store: { read }, log }: Pick<Options, "store" | "log">,
  owner: string,
  id: string,
): Promise<void> {
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
}

type Storing = {
  readonly path: string;
  readonly pictures: readonly Write[];
  readonly jobId: string;
  /** The thread is shared, so it may have another owner than the file. */
  readonly isShared: boolean;
};

/** The first write fails the batch when the thread was deleted. */
function planStoring(row: RowOf<"attachments">, { path, pictures, jobId, isShared }: Storing): readonly Write[] {
  const { owner, hash, thread, size_bytes: sizeBytes } = row;
  const pieces = planPieces({ owner, hash, path, sizeBytes });
  const own = isShared ? { shared: 1 } : { owner };
  return [
    ...(thread === NO_THREAD
      ? []
      : [{ do: "update", table: "threads", set: own, where: { id: thread, ...own }, expectOne: true } as const]),
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

type Content = {
  readonly owner: string;
  readonly hash: string;
  readonly path: string;
  readonly sizeBytes: number;
};

const planPieces = ({ owner, hash, path, sizeBytes }: Content): readonly Write[] =>
  Array.from({ length: Math.ceil(sizeBytes / PIECE_BYTES) }, (_, n): Write => {
    const from = n * PIECE_BYTES;
    const body = { file: path, from, lengthBytes: Math.min(PIECE_BYTES, sizeBytes - from) };
    return { do: "insert", table: "attachment_pieces", row: { owner, hash, n, body }, ifAbsent: true };
  });

/** Rows of a content, for callers that commit them one by one. Each needs the content's row in `attachment_blobs`. */
export const planContent = (content: Content, pictures: readonly PagePicture[]) => ({
  pieces: planPieces(content),
  pictures: pictures.map((picture) => toPictureWrite(content.owner, content.hash, picture)),
});

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

const toView = (row: WaitingAttachment, tokens: number): Attachment => ({
  id: row.id,
  name: row.name,
  mediaType: row.media_type,
  kind: row.kind,
  sizeBytes: row.size_bytes,
  width: row.width,
  height: row.height,
  characters: row.kind === "text" ? row.characters : null,
  tokens: row.kind === "text" ? tokens : null,
  pageCount: row.page_count,
  createdAt: row.created_at,
});
