import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomKey } from "../lib/random.ts";
import { ConfigError } from "./config-error.ts";

const BYTES = 32;

/**
 * The key that secrets are sealed with: from STONECHAT_SECRET_KEY, so that several nodes share it, or made once and kept
 * beside the database. Whoever loses it loses what was sealed, and nothing else.
 */
export function loadInstanceKey(dataDir: string, given: string | null): Uint8Array {
  if (given !== null) return toKey(given, "STONECHAT_SECRET_KEY");
  const file = join(dataDir, "secret.key");
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, randomKey(BYTES), { flag: "wx", mode: 0o600, flush: true });
  } catch (error) {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  }
  return toKey(readFileSync(file, "utf8").trim(), file);
}

function toKey(text: string, name: string): Uint8Array {
  const key = Buffer.from(text, "base64url");
  if (key.length === BYTES) return key;
  throw new ConfigError(`${name} must hold 32 bytes as base64url, such as \`openssl rand -base64 32\` prints.`);
}
