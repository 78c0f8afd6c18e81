import { z } from "zod";
import { ClientId } from "./ids.ts";
import { attachmentLimits } from "./attachment-limits.ts";

/**
 * Files that people attach. They are sent as they are to `POST /api/attachments?name=...&threadId=...` with the type
 * `application/octet-stream`, answered with an `Attachment`, and named by id when the message is sent. What a file is, its
 * content says. `GET /api/attachments/:attachmentId/file` gives it back.
 */
export const Attachment = z.object({
  id: z.string(),
  name: z.string(),
  /** By its content. */
  mediaType: z.string(),
  /** `image`: shown to models that see. `text`: read, and told to any model. */
  kind: z.enum(["image", "text"]),
  sizeBytes: z.number(),
  width: z.number().nullable(),
  height: z.number().nullable(),
  /** Of the text that was read from it. */
  characters: z.number().nullable(),
  createdAt: z.number(),
});
export type Attachment = z.infer<typeof Attachment>;

export const AttachmentIds = z
  .array(ClientId)
  .max(attachmentLimits.perMessage, `a message takes at most ${attachmentLimits.perMessage} files`)
  .refine((ids) => new Set(ids).size === ids.length, "a file is named twice")
  .optional()
  .meta({ description: "Files that were uploaded before, in their order." });

export const UploadQuery = z
  .object({
    name: z.string().max(1000).default(""),
    /** The thread whose message it will belong to; without one, the thread that is not there yet. */
    threadId: ClientId.optional(),
  })
  .strict();

const one = z.object({ attachmentId: ClientId });
const none = z.object({});

export const attachmentApi = {
  listAttachments: {
    summary: "Files that were uploaded and not sent yet: of a thread, or for the thread that is not there yet",
    params: none,
    query: z.object({ threadId: ClientId.optional() }),
    body: null,
    status: 200,
    response: z.object({ attachments: z.array(Attachment) }),
  },
  removeAttachment: {
    summary: "Take back a file that was not sent yet",
    params: one,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
} as const;
