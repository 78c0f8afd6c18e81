import { randomBytes } from "node:crypto";

export type Ids = { readonly next: () => string };

const BYTES = 16;
const POOL_SIZE = 256;
let pool = Buffer.alloc(0);

/** Random bytes are fetched in bulk, because each system call is expensive. Each byte is used once. */
function takeRandom(): Buffer {
  if (pool.length === 0) pool = randomBytes(BYTES * POOL_SIZE);
  const bytes = pool.subarray(0, BYTES);
  pool = pool.subarray(BYTES);
  return bytes;
}

/** UUIDv7: ordered by creation time, so rows created together are stored together. */
export const systemIds: Ids = {
  next: () => {
    const bytes = takeRandom();
    bytes.writeUIntBE(Date.now(), 0, 6);
    bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
    bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
    const hex = bytes.toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  },
};
