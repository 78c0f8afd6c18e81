import { z } from "zod";
import { workspaceLimits } from "./limits.ts";

/** Unvalidated; the workspace reports invalid paths. */
export const FilePath = z.string().min(1).max(workspaceLimits.pathCharacters);

export const FileLine = z.object({
  path: z.string(),
  /** SHA-256 of its bytes; a write names the hash it is based on. */
  hash: z.string(),
  bytes: z.number(),
  /** null: not a text file. */
  lines: z.number().nullable(),
  /** Seq of the act that last wrote it. */
  seq: z.number(),
  updatedAt: z.number(),
});
export type FileLine = z.infer<typeof FileLine>;

export const FileText = FileLine.extend({
  /** null: not text; `base64` is set instead. */
  text: z.string().nullable(),
  base64: z.string().nullable(),
});
export type FileText = z.infer<typeof FileText>;

/** `was`: hash of the version you read; null: the file did not exist. Refused if the file differs. */
export const FileOp = z.discriminatedUnion("do", [
  z
    .object({
      do: z.literal("write"),
      path: FilePath,
      was: z.string().max(64).nullable(),
      text: z.string().max(workspaceLimits.fileBytes).optional(),
      base64: z
        .string()
        .max(Math.ceil((workspaceLimits.fileBytes * 4) / 3) + 4)
        .optional(),
    })
    .strict(),
  z.object({ do: z.literal("rename"), path: FilePath, was: z.string().max(64), to: FilePath }).strict(),
  z.object({ do: z.literal("delete"), path: FilePath, was: z.string().max(64) }).strict(),
]);
export type FileOp = z.infer<typeof FileOp>;

export const logKinds = ["console", "network"] as const;

/** A log entry reported by the preview. */
export const PreviewLog = z.object({
  kind: z.enum(logKinds),
  /** `log`, `info`, `warn`, `error`, `debug`; of network: `ok` or `error`. */
  level: z.string().max(10),
  text: z.string().max(workspaceLimits.logCharacters),
  /** Position in the workspace, as `path:line:column`. */
  place: z.string().max(400).nullable().default(null),
  at: z.number(),
});
export type PreviewLog = z.infer<typeof PreviewLog>;

export const StoredLog = PreviewLog.extend({
  id: z.string(),
  /** The project's seq shown by the preview. */
  seq: z.number(),
});
export type StoredLog = z.infer<typeof StoredLog>;
