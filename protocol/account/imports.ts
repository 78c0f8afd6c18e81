import { z } from "zod";
import { ClientId } from "../ids.ts";

/**
 * Imports of threads from files. Uploaded to `POST /api/imports?name=...` as `application/octet-stream`; the format is recognized
 * from the content. The import runs in the background and continues after a restart. docs/export-format.md describes our format.
 */
export const importFormats = ["stonechat", "chatgpt", "claude", "librechat", "open-webui", "json", "markdown"] as const;
export type ImportFormat = (typeof importFormats)[number];

export const Import = z.object({
  id: z.string(),
  name: z.string(),
  sizeBytes: z.number(),
  state: z.enum(["receiving", "running", "done", "failed"]),
  /** Format of the first conversation; null until it is known. */
  format: z.enum(importFormats).nullable(),
  /** `known`: threads and projects that were there already. `memory`: texts that wait for confirmation. */
  counts: z.object({
    threads: z.number(),
    messages: z.number(),
    known: z.number(),
    projects: z.number(),
    files: z.number(),
    notes: z.number(),
    memory: z.number(),
  }),
  /** Why it failed. */
  error: z.string().nullable(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type Import = z.infer<typeof Import>;

/**
 * A line of the report. `thread`, `known` and `project`: `target` is the id. `note`: something that was not imported or not
 * understood. `memory`: a text for the memory field `target`, which waits for the user's confirmation.
 */
export const ImportLine = z.object({
  n: z.number(),
  kind: z.enum(["thread", "known", "project", "note", "memory", "memory-added", "memory-declined"]),
  target: z.string(),
  text: z.string(),
});
export type ImportLine = z.infer<typeof ImportLine>;

export const ImportQuery = z.object({ name: z.string().max(1000).default("") }).strict();

const one = z.object({ importId: ClientId });
const none = z.object({});

export const importApi = {
  listImports: {
    summary: "The newest imports",
    params: none,
    query: none,
    body: null,
    status: 200,
    response: z.object({ imports: z.array(Import) }),
  },
  getImport: {
    summary: "An import with its progress, and lines of its report",
    params: one,
    query: z.object({
      after: z.coerce.number().int().min(0).max(1_000_000_000).default(0),
      limit: z.coerce.number().int().min(1).max(500).default(200),
    }),
    body: null,
    status: 200,
    response: z.object({
      import: Import,
      lines: z.array(ImportLine),
      /** The last line's number, if there are more; for `after`. */
      nextAfter: z.number().nullable(),
    }),
  },
  decideImport: {
    summary: "Add an imported text to memory, or decline it",
    params: one,
    query: none,
    body: z.object({ line: z.number().int().min(1), add: z.boolean() }).strict(),
    status: 200,
    response: z.object({ line: ImportLine }),
  },
  removeImport: {
    summary: "Remove an import with its report, and stop it if it is running. Imported threads stay",
    params: one,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
