import { nameFile } from "./formats/unreadable.ts";
import { appendFile } from "node:fs/promises";
import { ApiError } from "../../../protocol/errors.ts";
import type { Principal } from "../../auth/principal.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { Threads } from "../threads.ts";
import { drawForViewer } from "./pictures.ts";

/** The longer side of a page in the viewer, in pixels. */
const VIEWED_SIDE = 1400;
/** Assumed page count of files that were attached before pages were counted. */
const MOST_PAGES = 10_000;

type OpenedFile = Pick<RowOf<"attachments">, "name" | "kind"> & {
  readonly mediaType: string;
  readonly sizeBytes: number;
  readonly pieces: AsyncIterable<Uint8Array>;
};

type Options = {
  readonly read: Pick<Reads, "attachment" | "attachmentsById" | "attachmentPiece" | "attachmentPicture">;
  readonly threads: Pick<Threads, "find">;
};

/** Reads files: their bytes, and pictures of their pages. */
export function createAttachmentContents({ read, threads }: Options) {
  /** Own files, and files of messages in shared threads that the user may read. */
  const getVisible = async (principal: Principal, id: string): Promise<RowOf<"attachments">> => {
    const own = await read.attachment(principal.userId, id);
    if (own) return own;
    for (const row of await read.attachmentsById(id)) {
      if (await threads.find(principal, row.thread)) return row;
    }
    throw new ApiError("not-found", "Not found.");
  };

  return {
    /** Bytes are read piece by piece, on demand. */
    open: async (principal: Principal, id: string): Promise<OpenedFile> => {
      const { owner, hash, name, kind, media_type: mediaType, size_bytes: sizeBytes } = await getVisible(principal, id);
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
      const row = await getVisible(principal, id);
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
        drawn.kind === "refused"
          ? drawn.reason
          : "The file cannot be shown because an optional package is not installed.";
      throw new ApiError("unsupported", nameFile(reason, `Page ${page} of ${row.name}`));
    },
  };
}
