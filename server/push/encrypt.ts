import { createCipheriv, createECDH, hkdfSync } from "node:crypto";
import { randomKey } from "../lib/random.ts";

/** Keys of a subscription, made by its browser, as base64url. */
export type PushKeys = { readonly p256dh: string; readonly auth: string };

const SALT_BYTES = 16;
const RECORD_BYTES = 4096;
const TAG_BYTES = 16;
/** All messages have this length, so that it does not show the length of a title. */
const PADDED_BYTES = 1024;

type Sender = { readonly salt: Buffer; readonly privateKey?: Buffer; readonly paddedBytes?: number };

/**
 * A message for one browser, as RFC 8291 describes: only the browser can read it, not its push service. One record of
 * `aes128gcm` (RFC 8188). Throws if the keys are not valid.
 */
export function encryptMessage(
  text: string,
  keys: PushKeys,
  { salt, privateKey, paddedBytes = PADDED_BYTES }: Sender = { salt: Buffer.from(randomKey(SALT_BYTES), "base64url") },
): Buffer<ArrayBuffer> {
  const sender = createECDH("prime256v1");
  if (privateKey) sender.setPrivateKey(privateKey);
  else sender.generateKeys();
  const receiver = Buffer.from(keys.p256dh, "base64url");
  const own = sender.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), receiver, own]);
  const secret = derive(sender.computeSecret(receiver), Buffer.from(keys.auth, "base64url"), info, 32);
  const key = derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const content = Buffer.concat([Buffer.from(text), LAST_RECORD]);
  const padded = Buffer.concat([content, Buffer.alloc(Math.max(0, paddedBytes - content.length))]);
  if (padded.length > RECORD_BYTES - TAG_BYTES) throw new Error("The message is too long for a notification.");
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(padded), cipher.final(), cipher.getAuthTag()]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(RECORD_BYTES);
  head.writeUInt8(own.length, 4);
  return Buffer.concat([salt, head, own, body]);
}

/** Ends the content; zeros may follow it. */
const LAST_RECORD = Buffer.from([2]);

const derive = (secret: Buffer, salt: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, salt, info, length));
