import { z } from "zod";
import { ClientId } from "./ids.ts";
import { attachmentLimits } from "./attachment-limits.ts";

/**
 * Files attached by the user. Uploaded to `POST /api/attachments?name=...&threadId=...` as `application/octet-stream`,
 * which returns an `Attachment`; the message then refers to it by id. The type is detected from the content. Download:
 * `GET /api/attachments/:attachmentId/file`. Pages of a PDF and converted photos are shown as pictures:
 * `GET /api/attachments/:attachmentId/pages/:page`.
 */
export const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  /** Detected from the content. */
  mediaType: z.string(),
  /** `image`: sent to models with vision. `text`: its extracted text can be sent to any model. */
  kind: z.enum(["image", "text"]),
  sizeBytes: z.number(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  /** Length of the extracted text. */
  characters: z.number().nullable(),
  /** Approximate tokens of the extracted text. */
  tokens: z.number().nullable(),
  pageCount: z.number().nullable(),
  createdAt: z.number(),
});
export type Attachment = z.infer<typeof Attachment>;

export const AttachmentIds = z
  .array(ClientId)
  .max(attachmentLimits.perMessage, `a message can have at most ${attachmentLimits.perMessage} files`)
  .refine((ids) => new Set(ids).size === ids.length, "the same file is listed twice")
  .optional()
  .meta({ description: "Ids of uploaded files, in order." });

export const UploadQuery = z
  .object({
    name: z.string().max(1000).default(""),
    /** The thread that the file is attached in; omitted for a thread that does not exist yet. */
    threadId: ClientId.optional(),
  })
  .strict();

const one = z.object({ attachmentId: ClientId });
const none = z.object({});

export const attachmentApi = {
  listAttachments: {
    summary: "Files that were uploaded but not sent yet, for a thread or for a new thread",
    params: none,
    query: z.object({ threadId: ClientId.optional() }),
    body: null,
    status: 200,
    response: z.object({ attachments: z.array(Attachment) }),
  },
  removeAttachment: {
    summary: "Remove an uploaded file that was not sent yet",
    params: one,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
