import { createHash } from "node:crypto";

const letters = "0123456789abcdefghjkmnpqrstvwxyz";
const LENGTH = 10;

/**
 * Short, for they stand in prompts; made of the call's key, so that every try of a call gives the same; said by their kind,
 * so that a model does not take one for another.
 */
export function toEntityId(key: string, index: number, kind: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([key, index]))
    .digest();
  return `${kind}-${[...hash.subarray(0, LENGTH)].map((byte) => letters[byte % letters.length]).join("")}`;
}
