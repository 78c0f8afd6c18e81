import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";

/** An unsent file. */
export type WaitingAttachment = Omit<RowOf<"attachments">, "owner" | "thread" | "sent" | "hash" | "text"> & {
  readonly characters: number;
};
type Content = Pick<RowOf<"attachments">, "owner" | "hash">;

export type AttachmentPicture = Omit<RowOf<"attachment_pictures">, "owner" | "body">;

const readPicture = (db: Kysely<Tables>, owner: string, hash: string, page: number) =>
  db
    .selectFrom("attachment_pictures")
    .selectAll()
    .where("owner", "=", owner)
    .where("hash", "=", hash)
    .where("page", "=", page)
    .executeTakeFirst();

/** Attached files. */
export const readAttachments = (db: Kysely<Tables>) => ({
  /** In the given order, without missing ones. */
  attachments: async (owner: string, ids: readonly string[]): Promise<readonly RowOf<"attachments">[]> => {
    if (ids.length === 0) return [];
    const rows = await db
      .selectFrom("attachments")
      .selectAll()
      .where("owner", "=", owner)
      .where("id", "in", ids)
      .execute();
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.flatMap((id) => byId.get(id) ?? []);
  },

  attachment: (owner: string, id: string): Promise<RowOf<"attachments"> | undefined> =>
    db.selectFrom("attachments").selectAll().where("owner", "=", owner).where("id", "=", id).executeTakeFirst(),

  /** Oldest first, without their texts, which may be long. */
  unsentAttachments: (owner: string, thread: string): Promise<readonly WaitingAttachment[]> =>
    db
      .selectFrom("attachments")
      .select(["id", "name", "media_type", "kind", "size_bytes", "width", "height", "created_at", "slot", "page_count"])
      .select(sql<number>`length(text)`.as("characters"))
      .where("thread", "=", thread)
      .where("owner", "=", owner)
      .where("sent", "=", 0)
      .orderBy("created_at")
      .orderBy("id")
      .execute(),

  /** The whole content in base64. With a page after the hash, as in `HASH/3`, the picture of that page. */
  attachmentBody: async (owner: string, key: string): Promise<string | undefined> => {
    const [hash = "", page] = key.split("/");
    if (page !== undefined) return (await readPicture(db, owner, hash, Number(page)))?.body;
    const rows = await db
      .selectFrom("attachment_pieces")
      .select("body")
      .where("owner", "=", owner)
      .where("hash", "=", hash)
      .orderBy("n")
      .execute();
    return rows.length === 0 ? undefined : rows.map(({ body }) => body).join("");
  },

  attachmentPicture: (owner: string, hash: string, page: number): Promise<RowOf<"attachment_pictures"> | undefined> =>
    readPicture(db, owner, hash, page),

  /** Without their bodies, in order. */
  attachmentPictures: (owner: string, hashes: readonly string[]): Promise<readonly AttachmentPicture[]> =>
    hashes.length === 0
      ? Promise.resolve([])
      : db
          .selectFrom("attachment_pictures")
          .select(["hash", "page", "width", "height", "size_bytes"])
          .where("owner", "=", owner)
          .where("hash", "in", hashes)
          .orderBy("page")
          .execute(),

  /** One piece of a content, counted from 0. */
  attachmentPiece: async (owner: string, hash: string, n: number): Promise<Buffer | undefined> => {
    const row = await db
      .selectFrom("attachment_pieces")
      .select("body")
      .where("owner", "=", owner)
      .where("hash", "=", hash)
      .where("n", "=", n)
      .executeTakeFirst();
    return row && Buffer.from(row.body, "base64");
  },

  /** File contents that only this thread uses. */
  ownContents: (thread: string): Promise<readonly Content[]> =>
    db
      .selectFrom("attachments as a")
      .select(["a.owner", "a.hash"])
      .distinct()
      .where("a.thread", "=", thread)
      .where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom("attachments as b")
              .select("b.id")
              .whereRef("b.owner", "=", "a.owner")
              .whereRef("b.hash", "=", "a.hash")
              .where("b.thread", "<>", thread),
          ),
        ),
      )
      .execute(),

  /** Number of files with this content. */
  countContent: async (owner: string, hash: string): Promise<number> => {
    const row = await db
      .selectFrom("attachments")
      .select(({ fn }) => fn.countAll().as("count"))
      .where("owner", "=", owner)
      .where("hash", "=", hash)
      .executeTakeFirst();
    return Number(row?.count ?? 0);
  },

  attachmentsOf: (thread: string): Promise<readonly RowOf<"attachments">[]> =>
    db.selectFrom("attachments").selectAll().where("thread", "=", thread).where("sent", "=", 1).orderBy("id").execute(),
});
