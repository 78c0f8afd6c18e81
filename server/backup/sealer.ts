import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, scryptSync } from "node:crypto";
import { z } from "zod";
import { randomKey } from "../lib/random.ts";

/** Protects the pieces of a backup: each is bound to its place (`context`), so none can be changed, exchanged or left out. */
export type Sealer = {
  /** The same for equal bytes under the same passphrase, which is how pieces are found again. Reveals nothing without it. */
  readonly idOf: (bytes: Uint8Array) => string;
  readonly seal: (bytes: Uint8Array, context: string) => Uint8Array;
  /** Throws `DamagedBackupError`. */
  readonly open: (sealed: Uint8Array, context: string) => Uint8Array;
  /** For the header of a backup. */
  readonly encryption: Encryption | null;
};

export const encryptionSchema = z.object({
  kdf: z.literal("scrypt"),
  cipher: z.literal("aes-256-gcm"),
  /** Bounded, because opening costs 128 * r * 2^ln bytes of memory. */
  ln: z.int().min(10).max(20),
  r: z.literal(8),
  p: z.literal(1),
  salt: z.base64url().length(43),
  /** Derived from the passphrase, to tell a wrong one from a damaged file. */
  check: z.base64url().length(22),
});
export type Encryption = z.infer<typeof encryptionSchema>;

export class DamagedBackupError extends Error {
  override readonly name = "DamagedBackupError";
}

const LN = 17;
const NONCE = 12;
const TAG = 16;
const SUM = 32;

/** Without encryption: a checksum, which detects damage but not changes on purpose. */
export const plainSealer: Sealer = {
  idOf: (bytes) => createHash("sha256").update(bytes).digest("hex"),
  seal: (bytes, context) => Buffer.concat([checksum(bytes, context), bytes]),
  open: (sealed, context) => {
    const bytes = sealed.subarray(SUM);
    if (sealed.length < SUM || !checksum(bytes, context).equals(sealed.subarray(0, SUM)))
      throw new DamagedBackupError(context);
    return bytes;
  },
  encryption: null,
};

const checksum = (bytes: Uint8Array, context: string): Buffer =>
  createHash("sha256").update(`${context}\0`).update(bytes).digest();

/** With the parameters of an earlier backup, or with a new salt. Returns undefined if the passphrase is not theirs. */
export function createSealer(passphrase: string, given?: Encryption): Sealer | undefined {
  const { ln, salt } = given ?? { ln: LN, salt: randomKey(32) };
  const key = scryptSync(passphrase.normalize("NFC"), Buffer.from(salt, "base64url"), 32, {
    ...{ N: 2 ** ln, r: 8, p: 1 },
    maxmem: 2 ** (ln + 11),
  });
  const derive = (label: string, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", key, "", `stonechat backup ${label}`, bytes));
  const [cipherKey, idKey] = [derive("cipher", 32), derive("ids", 32)];
  const check = derive("check", 16).toString("base64url");
  if (given && given.check !== check) return undefined;
  return {
    idOf: (bytes) => createHmac("sha256", idKey).update(bytes).digest("hex"),
    seal: (bytes, context) => {
      const nonce = Buffer.from(randomKey(NONCE), "base64url");
      const cipher = createCipheriv("aes-256-gcm", cipherKey, nonce).setAAD(Buffer.from(context));
      return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
    },
    open: (sealed, context) => {
      if (sealed.length < NONCE + TAG) throw new DamagedBackupError(context);
      const decipher = createDecipheriv("aes-256-gcm", cipherKey, sealed.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(Buffer.from(context)).setAuthTag(sealed.subarray(-TAG));
      try {
        return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()]);
      } catch {
        throw new DamagedBackupError(context);
      }
    },
    encryption: { kdf: "scrypt", cipher: "aes-256-gcm", ln, r: 8, p: 1, salt, check },
  };
}
