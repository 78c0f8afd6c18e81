import { createHash } from "node:crypto";

const letters = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 10;

/**
 * Short, because ids are part of prompts. Derived from the call's key, so that every retry gives the same id. Prefixed with the
 * kind, so that a model does not mix them up.
 */
export function toEntityId(key: string, index: number, kind: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([key, index]))
    .digest();
  return `${kind}-${[...hash.subarray(0, LENGTH)].map((byte) => letters[byte % letters.length]).join("")}`;
}
