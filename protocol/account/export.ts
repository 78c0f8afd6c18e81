import { z } from "zod";
import { ClientId } from "../ids.ts";

export const EXPORT_VERSION = 1;

const none = z.object({});

/** Confirmation text that the user types to delete all data. */
const DELETE_CONFIRMATION = "delete everything";

export const exportApi = {
  exportThread: {
    summary: "Export a thread as a file: the active path as Markdown or JSON, or all branches as JSON",
    params: z.object({ threadId: ClientId }),
    query: z.object({
      format: z.enum(["markdown", "json"]).default("markdown"),
      branches: z.enum(["active", "all"]).default("active"),
    }),
    body: null,
    status: 200,
    /** A file: `text/markdown`, or JSON `{ format: "stonechat-thread", v, exportedAt, thread, messages, artifacts }`. */
    response: z.unknown(),
    downloads: ["text/markdown", "application/json"],
  },
  exportEverything: {
    summary:
      "Export all your data as one JSON file: threads with all branches, memory, projects, files, profiles, drafts",
    params: none,
    query: none,
    body: null,
    status: 200,
    /** A file, streamed while it is read: `{ format: "stonechat-export", v, exportedAt, ... }`. It contains no keys. */
    response: z.unknown(),
    downloads: ["application/json"],
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
