import { z } from "zod";
import { ClientId } from "../ids.ts";

export const EXPORT_VERSION = 1;

export const ARCHIVE_FORMAT = "stonechat-archive";
export const ARCHIVE_VERSION = 1;

const none = z.object({});

/** Confirmation text that the user types to delete all data. */
const DELETE_CONFIRMATION = "delete everything";

export const exportApi = {
  exportThread: {
    summary:
      "Export a thread as a file: the active path as Markdown, as HTML for printing, or as JSON; all branches as JSON",
    params: z.object({ threadId: ClientId }),
    query: z.object({
      format: z.enum(["markdown", "json", "html"]).default("markdown"),
      branches: z.enum(["active", "all"]).default("active"),
    }),
    body: null,
    status: 200,
    /** A file: `text/markdown`, or JSON `{ format: "stonechat-thread", v, exportedAt, thread, messages, artifacts }`. */
    response: z.unknown(),
    downloads: ["text/markdown", "text/html", "application/json"],
  },
  exportEverything: {
    summary:
      "Export all your data: as an archive (ZIP) that can be imported again, as readable Markdown files, or as one JSON file",
    params: none,
    query: z.object({ format: z.enum(["archive", "markdown", "json"]).default("json") }),
    body: null,
    status: 200,
    /** A file, streamed while it is read. docs/export-format.md describes the archive. It contains no keys. */
    response: z.unknown(),
    downloads: ["application/json", "application/zip"],
  },
  deleteEverything: {
    summary: "Delete all your data permanently. It is hidden when this returns; rows are deleted in the background",
    params: none,
    query: none,
    body: z
      .object({
        id: ClientId,
        confirm: z.enum([DELETE_CONFIRMATION], { error: `type "${DELETE_CONFIRMATION}" to confirm` }),
        /** Also deletes cost records, which are otherwise retained without message content. */
        costs: z.boolean().default(false),
      })
      .strict(),
    status: 200,
    response: z.object({ threads: z.number(), projects: z.number(), text: z.string() }),
  },
} as const;
