import { countTerms, isWord } from "./words.ts";

/** Who a passage is from. What tools brought stands apart: it has no neighbours and belongs to no exchange. */
export type Speaker = "user" | "assistant" | "tool";
const speakers = ["user", "assistant", "tool"] as const satisfies readonly Speaker[];

export type Passage = { readonly speaker: Speaker; readonly text: string };

/** Three bytes a passage: what it is, its content words, its characters by four. */
export const DOC_BYTES = 3;
const SPEAKER = 3;
const OPENS = 4;
const ASKS = 8;
const HAS_TIME = 16;

const time =
  /\b(?:yesterday|today|tonight|tomorrow|ago|last|next|since|week|weekend|month|years?|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|recently|just|\d{4}|soon|summer|winter|fall|spring)\b/i;

export type IndexedDoc = { readonly bytes: readonly number[]; readonly terms: ReadonlyMap<string, number> };

/** A message as it is indexed: each passage's bytes and terms. One without words has one empty passage, so that none is skipped. */
export function indexMessage(passages: readonly Passage[]): readonly IndexedDoc[] {
  const all = passages.length === 0 ? [{ speaker: "user", text: "" } as const] : passages;
  return all.map(({ speaker, text }, at) => {
    const terms = countTerms(text);
    const flags =
      speakers.indexOf(speaker) +
      (at === 0 ? OPENS : 0) +
      (/\?["'”’)\]]*$/.test(text.replace(/\s*\[[^\]]*\]$/, "")) ? ASKS : 0) +
      (time.test(text) ? HAS_TIME : 0);
    let words = 0;
    for (const [term, count] of terms) if (isWord(term)) words += count;
    return { terms, bytes: [flags, Math.min(255, words), Math.min(255, Math.ceil(text.length / 4))] };
  });
}

/** Where a session begins: the number of its first passage, and when. */
export type SessionStart = { readonly doc: number; readonly at: number };

/** Passages in order, of one branch or of a whole path. */
export type DocList = {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly sessions: readonly SessionStart[];
  /** Depth of the message before the first passage. */
  readonly from: number;
};

/** A path's passages, as arrays by number of passage. */
export type Docs = {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly depths: Int32Array;
  readonly sessions: Int32Array;
  readonly sessionAt: readonly number[];
  /** The passages of talk in order, and each passage's place among them; -1 for what tools brought. */
  readonly talk: Int32Array;
  readonly places: Int32Array;
};

export function toDocs({ count, bytes, sessions: starts, from }: DocList): Docs {
  const depths = new Int32Array(count);
  const sessions = new Int32Array(count);
  const places = new Int32Array(count);
  const talk = new Int32Array(count);
  let [depth, session, talking] = [from, -1, 0];
  for (let doc = 0; doc < count; doc += 1) {
    const flags = bytes[doc * DOC_BYTES] ?? 0;
    if (flags & OPENS) depth += 1;
    while ((starts[session + 1]?.doc ?? count) <= doc) session += 1;
    depths[doc] = depth;
    sessions[doc] = Math.max(0, session);
    places[doc] = (flags & SPEAKER) === 2 ? -1 : talking;
    if ((flags & SPEAKER) !== 2) talk[talking++] = doc;
  }
  return {
    count,
    bytes,
    depths,
    sessions,
    sessionAt: starts.length === 0 ? [0] : starts.map(({ at }) => at),
    talk: talk.subarray(0, talking),
    places,
  };
}

export const speakerOf = ({ bytes }: Docs, doc: number): Speaker =>
  speakers[(bytes[doc * DOC_BYTES] ?? 0) & SPEAKER] ?? "tool";
export const wordsOf = ({ bytes }: Docs, doc: number): number => bytes[doc * DOC_BYTES + 1] ?? 0;
export const charactersOf = ({ bytes }: Docs, doc: number): number => (bytes[doc * DOC_BYTES + 2] ?? 0) * 4;
export const asks = ({ bytes }: Docs, doc: number): boolean => ((bytes[doc * DOC_BYTES] ?? 0) & ASKS) !== 0;
export const hasTime = ({ bytes }: Docs, doc: number): boolean => ((bytes[doc * DOC_BYTES] ?? 0) & HAS_TIME) !== 0;
