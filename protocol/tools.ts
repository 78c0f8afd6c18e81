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
});
export type Artifact = z.infer<typeof Artifact>;
export const ToolOffer = z.object({
  name: z.string(),
  description: z.string(),
  repeat: z.enum(["pure", "keyed", "once"]),
  effects: z.array(z.string()),
});
export const Command = z.object({ command: z.string(), tool: z.string(), about: z.string() });
