import type { SessionStart } from "./ranking/docs.ts";

/** Passages to a block: a term's places in so many fill at most some kilobytes, and a query reads few rows. */
export const BLOCK_DOCS = 8192;

/** Starts of sessions as they are stored: pairs of passage and time. */
export const toSessions = (stored: string): readonly SessionStart[] =>
  (JSON.parse(stored) as readonly (readonly [number, number])[]).map(([doc, at]) => ({ doc, at }));

export const fromSessions = (sessions: readonly SessionStart[]): string =>
  JSON.stringify(sessions.map(({ doc, at }) => [doc, at]));

/** Bytes as both databases and the way to them hold them. */
export const pack = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
export const unpack = (stored: string): Uint8Array => Buffer.from(stored, "base64");
