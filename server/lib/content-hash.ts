import { createHash } from "node:crypto";
import { toCanonical } from "./canonical.ts";

/** Hash of the content, independent of the order of keys. */
export const hashOf = (content: object): string =>
  createHash("sha256").update(toCanonical(content)).digest("base64url");
