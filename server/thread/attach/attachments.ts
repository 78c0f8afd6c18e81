import { createHash } from "node:crypto";
import type { Attachment } from "../../../protocol/attachments/attachments.ts";
import { attachmentLimits } from "../../../protocol/attachments/limits.ts";
import { Refusal } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import { NOTHING, planJob, type JobKind } from "../../jobs/jobs.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Ids } from "../../lib/ids.ts";
import type { Log } from "../../log/log.ts";
import type { Store, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Threads } from "../threads.ts";
import { detect } from "./detect.ts";
import { readText } from "./read-text.ts";
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
    throw new Refusal("busy", "The file is in use. Try again in a moment.");
  };

  const getOwn = async ({ userId }: Principal, id: string): Promise<RowOf<"attachments">> => {
    const row = await read.attachment(userId, id);
    if (row) return row;
    throw new Refusal("not-found", "There is nothing of yours under this id.");
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

    add: async (
      principal: Principal,
      {
        name: given,
        threadId,
        bytes,
      }: { readonly name: string; readonly threadId?: string | undefined; readonly bytes: Buffer },
    ): Promise<Attachment> => {
      const owner = principal.userId;
      if (threadId !== undefined) await threads.get(principal, threadId);
      const thread = threadId ?? FIRST;
      const most = attachmentLimits.perMessage;
      if ((await read.unsentAttachments(owner, thread)).length >= most)
        throw new Refusal("busy", `${most} files wait already: a message takes no more. Send or remove some first.`);
      const name = toName(given);
      const found = detect(bytes, name);
      const text = found.kind === "text" ? await readText(found, bytes, name) : "";
      const row: RowOf<"attachments"> = {
        owner,
        id: ids.next(),
        thread,
        sent: 0,
        hash: createHash("sha256").update(bytes).digest("hex"),
        name,
        media_type: found.mediaType,
        kind: found.kind,
        size_bytes: bytes.length,
        width: found.kind === "image" ? found.width : null,
        height: found.kind === "image" ? found.height : null,
        text,
        created_at: clock.now(),
      };
      const body = bytes.toString("base64");
      const result = await log.commit({
        events: [],
        writes: [
          // A thread that was deleted meanwhile keeps nothing.
          ...(thread === FIRST
            ? []
            : [
                {
                  do: "update",
                  table: "threads",
                  set: { owner },
                  where: { id: thread, owner },
                  expectOne: true,
                } as const,
              ]),
          { do: "insert", table: "attachment_blobs", row: { owner, hash: row.hash, body }, ifAbsent: true },
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
        ],
      });
      if (!result.ok) throw new Refusal("conflict", "The thread was deleted meanwhile.");
      return toView(row);
    },

    /** Those that wait for their message. */
    list: async (principal: Principal, threadId: string | undefined): Promise<{ attachments: Attachment[] }> => {
      if (threadId !== undefined) await threads.get(principal, threadId);
      return { attachments: (await read.unsentAttachments(principal.userId, threadId ?? FIRST)).map(toView) };
    },

    remove: async (principal: Principal, id: string): Promise<{ id: string }> => {
      const row = await getOwn(principal, id);
      if (row.sent === 1) throw new Refusal("conflict", "This file was sent: it goes when its thread does.");
      await drop(principal.userId, id);
      return { id };
    },

    open: async (principal: Principal, id: string) => {
      const row = await getOwn(principal, id);
      const body = (await read.attachmentBody(row.owner, row.hash)) ?? "";
      return { name: row.name, kind: row.kind, mediaType: row.media_type, bytes: Buffer.from(body, "base64") };
    },
  };
}

const toView = (row: RowOf<"attachments">): Attachment => ({
  id: row.id,
  name: row.name,
  mediaType: row.media_type,
  kind: row.kind,
  sizeBytes: row.size_bytes,
  width: row.width,
  height: row.height,
  characters: row.kind === "text" ? row.text.length : null,
  createdAt: row.created_at,
});
