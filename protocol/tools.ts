import { z } from "zod";

/** A text stored by a tool, such as a page at the time it was read. */
export const Artifact = z.object({
  id: z.string(),
  ref: z.number(),
  kind: z.string(),
  title: z.string(),
  url: z.string().nullable(),
  type: z.string(),
  /** SHA-256 of the text. */
  hash: z.string(),
  text: z.string(),
  createdAt: z.number(),
  /** For the text of an attached file: the original. */
  attachment: z
    .object({
      id: z.string(),
      sizeBytes: z.number(),
      pageCount: z.number().nullable(),
      /** The share of the text that the model got with the message; 1 for all of it. */
      share: z.number(),
    })
    .nullable(),
});
export type Artifact = z.infer<typeof Artifact>;
export const ToolOffer = z.object({
  name: z.string(),
  description: z.string(),
  repeat: z.enum(["pure", "keyed", "once"]),
  effects: z.array(z.string()),
});
export const Command = z.object({ command: z.string(), tool: z.string(), about: z.string() });
