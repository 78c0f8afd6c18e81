import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts texts with the instance key, and derives secret values from it. */
export type Seal = {
  readonly encrypt: (text: string) => string;
  /** Throws if the text was encrypted with another key or modified. */
  readonly decrypt: (sealed: string) => string;
  readonly derive: (label: string) => string;
};

const NONCE = 12;
const TAG = 16;

export function createSeal(key: Uint8Array): Seal {
  const encryption = Buffer.from(hkdfSync("sha256", key, "", "stonechat seal", 32));
  const derivation = Buffer.from(hkdfSync("sha256", key, "", "stonechat derive", 32));
  return {
    encrypt: (text) => {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", encryption, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    decrypt: (sealed) => {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", encryption, bytes.subarray(0, NONCE));
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return decipher.update(bytes.subarray(NONCE + TAG), undefined, "utf8") + decipher.final("utf8");
    },
    derive: (label) => createHmac("sha256", derivation).update(label).digest("base64url"),
  };
}
