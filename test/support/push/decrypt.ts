import { createDecipheriv, createECDH, hkdfSync, randomBytes, type ECDH } from "node:crypto";

/** The keys of a browser's subscription. */
export type Receiver = {
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly ecdh: ECDH;
  readonly auth: Buffer;
};

export function createReceiver(): Receiver {
  const ecdh = createECDH("prime256v1");
  ecdh.generateKeys();
  const auth = randomBytes(16);
  return { ecdh, auth, keys: { p256dh: ecdh.getPublicKey("base64url"), auth: auth.toString("base64url") } };
}

/** Decrypts a message of a push service as a browser does (RFC 8291 and 8188). Throws if it is for another browser. */
export function decryptMessage(message: Buffer, { ecdh, auth }: Receiver): string {
  const [salt, idLength] = [message.subarray(0, 16), message.readUInt8(20)];
  const sender = message.subarray(21, 21 + idLength);
  const record = message.subarray(21 + idLength);
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), ecdh.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync("sha256", ecdh.computeSecret(sender), auth, info, 32));
  const key = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: aes128gcm\0", 16));
  const nonce = Buffer.from(hkdfSync("sha256", secret, salt, "Content-Encoding: nonce\0", 12));
  const decipher = createDecipheriv("aes-128-gcm", key, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error("The record does not end with the delimiter.");
  return padded.subarray(0, end).toString();
}
