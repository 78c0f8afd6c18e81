import { z } from "zod";
import { ClientId } from "../ids.ts";

export const EXPORT_VERSION = 1;

const none = z.object({});

/** To be typed by who deletes everything. */
export const DELETE_WORDS = "delete everything";

export const exportApi = {
  exportThread: {
    summary: "A thread to keep, as a file: the active path as Markdown or JSON, or all branches as JSON",
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
      "Everything of yours as one JSON file: threads with all branches, memory, projects, files, profiles, drafts",
    params: none,
    query: none,
    body: null,
    status: 200,
    /** A file, sent as it is read: `{ format: "stonechat-export", v, exportedAt, ... }`. No key is in it. */
    response: z.unknown(),
    downloads: ["application/json"],
  },
  deleteEverything: {
    summary:
      "Delete everything of yours, for good. It is out of sight when this answers; the rows go in the background",
    params: none,
    query: none,
    body: z
      .object({
        id: ClientId,
        confirm: z.enum([DELETE_WORDS], { error: `type "${DELETE_WORDS}" to confirm` }),
        /** Also what was spent, which otherwise stays counted without what was said. */
        costs: z.boolean().default(false),
      })
      .strict(),
    status: 200,
    response: z.object({ threads: z.number(), projects: z.number(), text: z.string() }),
  },
} as const;
