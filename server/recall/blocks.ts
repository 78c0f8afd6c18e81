import type { SessionStart } from "./ranking/docs.ts";

/** Passages per block: the postings of a term in a block take a few kilobytes at most, and a query reads few rows. */
export const BLOCK_DOCS = 8192;

/** Session starts are stored as pairs of passage and time. */
export const toSessions = (stored: string): readonly SessionStart[] =>
  (JSON.parse(stored) as readonly (readonly [number, number])[]).map(([doc, at]) => ({ doc, at }));

export const fromSessions = (sessions: readonly SessionStart[]): string =>
  JSON.stringify(sessions.map(({ doc, at }) => [doc, at]));

/** Bytes are stored as base64, which works with both databases. */
export const toBase64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
export const fromBase64 = (stored: string): Uint8Array => Buffer.from(stored, "base64");
