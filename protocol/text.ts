import { z } from "zod";

/** Text that both databases can store. */
export const Text = z
  .string()
  .refine((text) => text.isWellFormed(), "the text contains an unpaired surrogate, which is not valid Unicode")
  .refine((text) => !text.includes("\u0000"), "the text contains a NUL character");
