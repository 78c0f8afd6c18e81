import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isOpenToOthers, PRIVATE_FILE, PRIVATE_FOLDER, removeOthersAccess } from "../lib/file-modes.ts";
import { randomKey } from "../lib/random.ts";
import { ConfigError } from "./config-error.ts";

const BYTES = 32;
const FILE = "secret.key";

/**
 * The key that encrypts stored secrets: STONECHAT_SECRET_KEY, so that several nodes can share it, or a key generated
 * once and stored next to the database. If the key is lost, the encrypted secrets are lost, but no other data.
 */
export function loadInstanceKey(dataDir: string, given: string | null, onNote: (note: string) => void): Uint8Array {
  if (given !== null) return toKey(given, "STONECHAT_SECRET_KEY");
  const file = join(dataDir, FILE);
  mkdirSync(dataDir, { recursive: true, mode: PRIVATE_FOLDER });
  try {
    writeFileSync(file, randomKey(BYTES), { flag: "wx", mode: PRIVATE_FILE, flush: true });
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
  if (removeOthersAccess(file, PRIVATE_FILE)) {
    onNote(
      `${file} was readable by other users. Its mode is now 0600. If other people have accounts on this machine, replace the key.`,
    );
  } else if (isOpenToOthers(file)) {
    throw new ConfigError(`${file} is readable by other users. Run chmod 600 on it, or start the server as its owner.`);
  }
  return toKey(readFileSync(file, "utf8").trim(), file);
}

/** Throws unless the key is valid. */
export const checkInstanceKey = (key: string, name: string): void => void toKey(key, name);

/** The key as text, if there is one. */
export function readInstanceKey(dataDir: string, given: string | null): string | null {
  const file = join(dataDir, FILE);
  const stored = existsSync(file) ? readFileSync(file, "utf8").trim() : "";
  return given ?? (stored === "" ? null : stored);
}

/** Stores the key of a backup or of another folder. Never replaces a key: `refuseOtherKey` goes first. */
export function storeInstanceKey(dataDir: string, key: string): void {
  if (readInstanceKey(dataDir, null) !== null) return;
  mkdirSync(dataDir, { recursive: true, mode: PRIVATE_FOLDER });
  writeFileSync(join(dataDir, FILE), key, { mode: PRIVATE_FILE, flush: true });
}

/** Secrets of a database cannot be read with another key than the one that sealed them. */
export function refuseOtherKey(dataDir: string, given: string | null, key: string): void {
  const found = readInstanceKey(dataDir, given);
  if (found === null || found === key) return;
  const place = given === null ? `${join(dataDir, FILE)} has` : "STONECHAT_SECRET_KEY is";
  const advice = given === null ? "Choose another folder, or move that file away." : "Remove that setting.";
  throw new ConfigError(`${place} another key than the data. ${advice}`);
}

function toKey(text: string, name: string): Uint8Array {
  const key = Buffer.from(text, "base64url");
  if (key.length === BYTES) return key;
  throw new ConfigError(`${name} must contain 32 bytes as base64url, for example from \`openssl rand -base64 32\`.`);
}
