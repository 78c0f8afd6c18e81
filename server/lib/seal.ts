import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** Keeps texts that only this instance can read, and derives values that only it can know. */
export type Seal = {
  readonly close: (text: string) => string;
  /** Throws when it was not sealed with this key, or was changed since. */
  readonly open: (sealed: string) => string;
  readonly derive: (label: string) => string;
};

const NONCE = 12;
const TAG = 16;

export function createSeal(key: Uint8Array): Seal {
  const encryption = Buffer.from(hkdfSync("sha256", key, "", "stonechat seal", 32));
  const derivation = Buffer.from(hkdfSync("sha256", key, "", "stonechat derive", 32));
  return {
    close: (text) => {
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", encryption, nonce);
      const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString("base64url");
    },
    open: (sealed) => {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", encryption, bytes.subarray(0, NONCE));
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return decipher.update(bytes.subarray(NONCE + TAG), undefined, "utf8") + decipher.final("utf8");
    },
    derive: (label) => createHmac("sha256", derivation).update(label).digest("base64url"),
  };
}
