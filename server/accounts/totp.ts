import { createHmac, timingSafeEqual } from "node:crypto";

/** One-time passwords by time (RFC 6238) with the parameters that all authenticator apps know: SHA-1, 6 digits, 30 seconds. */
const DIGITS = 6;
const STEP_MS = 30_000;
/** Accepted before and after the current step, because the clock of a phone may be off. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const base32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

export const totp = { digits: DIGITS, stepMs: STEP_MS, secretBytes: SECRET_BYTES } as const;

export function toCode(secret: Uint8Array, step: number, digits: number = DIGITS): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const hash = createHmac("sha1", secret).update(counter).digest();
  const offset = (hash.at(-1) ?? 0) & 0xf;
  const value = (hash.readUInt32BE(offset) & 0x7fffffff) % 10 ** digits;
  return String(value).padStart(digits, "0");
}

export const toStep = (timeMs: number): number => Math.floor(timeMs / STEP_MS);

/** The time step of this code: near `timeMs`, and later than `lastStep`. undefined: the code matches none of these steps. */
export function findStep(
  secret: Uint8Array,
  code: string,
  { timeMs, lastStep }: { readonly timeMs: number; readonly lastStep: number },
): number | undefined {
  const given = Buffer.from(code);
  const now = toStep(timeMs);
  const steps = Array.from({ length: 2 * WINDOW + 1 }, (_, n) => now - WINDOW + n).filter((step) => step >= 0);
  const matching = steps.filter((step) => {
    const expected = Buffer.from(toCode(secret, step));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  return matching.find((step) => step > lastStep);
}

/** RFC 4648, without padding. */
export function toBase32(bytes: Uint8Array): string {
  let [text, bits, value] = ["", 0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += base32[(value >>> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + base32[(value << (5 - bits)) & 31];
}

/** The content of a QR code for authenticator apps. */
export function toKeyUri(key: string, email: string): string {
  const label = `Stonechat:${encodeURIComponent(email)}`;
  return `otpauth://totp/${label}?secret=${key}&issuer=Stonechat&algorithm=SHA1&digits=${DIGITS}&period=${STEP_MS / 1000}`;
}
