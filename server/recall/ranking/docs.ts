import { countTerms, isWord } from "./words.ts";

/** The origin of a passage. Tool results are separate: they have no neighbors and belong to no exchange. */
export type Speaker = "user" | "assistant" | "tool";
export const speakers = ["user", "assistant", "tool"] as const satisfies readonly Speaker[];

export type RecallPassage = { readonly speaker: Speaker; readonly text: string };

/** Bytes per passage: flags, number of content words, number of characters divided by four. */
export const DOC_BYTES = 3;
/** Flags: speaker, first passage of its message, ends with a question, contains time expressions. */
export const SPEAKER = 3;
const OPENS = 4;
export const ASKS = 8;
export const HAS_TIME = 16;

const time =
  /\b(?:yesterday|today|tonight|tomorrow|ago|last|next|since|week|weekend|month|years?|january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|recently|just|\d{4}|soon|summer|winter|fall|spring)\b/i;

export type IndexedDoc = { readonly bytes: readonly number[]; readonly terms: ReadonlyMap<string, number> };

/** The bytes and terms of each passage. A message without text has one empty passage, so that no message is skipped. */
export function indexMessage(passages: readonly RecallPassage[]): readonly IndexedDoc[] {
  const all = passages.length === 0 ? [{ speaker: "user", text: "" } as const] : passages;
  return all.map(({ speaker, text }, at) => {
    const terms = countTerms(text);
    const flags =
      speakers.indexOf(speaker) +
      (at === 0 ? OPENS : 0) +
      (/\?["'”’)\]]*$/.test(withoutLastBrackets(text)) ? ASKS : 0) +
      (time.test(text) ? HAS_TIME : 0);
    let words = 0;
    for (const [term, count] of terms) if (isWord(term)) words += count;
    return { terms, bytes: [flags, Math.min(255, words), Math.min(255, Math.ceil(text.length / 4))] };
  });
}

/** Removes a reference in brackets at the end. */
function withoutLastBrackets(text: string): string {
  if (!text.endsWith("]")) return text;
  const open = text.indexOf("[", text.lastIndexOf("]", text.length - 2) + 1);
  return open < 0 ? text : text.slice(0, open).trimEnd();
}

/** The first passage of a session, and its time. */
export type SessionStart = { readonly doc: number; readonly at: number };

/** Passages of consecutive messages. */
export type DocList = {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly sessions: readonly SessionStart[];
  /** Depth of the message before the first passage. */
  readonly from: number;
};

/** The passages of a path, as arrays indexed by passage number. */
export type Docs = {
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly depths: Int32Array;
  readonly sessions: Int32Array;
  readonly sessionAt: readonly number[];
  /** Passages of users and assistants in order, and each passage's position among them; -1 for tool results. */
  readonly talk: Int32Array;
  readonly places: Int32Array;
};

/** Concatenates the lists of a path. A session continues across lists if there was no pause. */
export function toDocs(lists: readonly DocList[], gapMs: number): Docs {
  const count = lists.reduce((sum, list) => sum + list.count, 0);
  const bytes = new Uint8Array(count * DOC_BYTES);
  const depths = new Int32Array(count);
  const sessions = new Int32Array(count);
  const places = new Int32Array(count);
  const talk = new Int32Array(count);
  const sessionAt: number[] = [];
  let [doc, talking] = [0, 0];
  for (const { count: size, bytes: own, sessions: starts, from } of lists) {
    bytes.set(own.subarray(0, size * DOC_BYTES), doc * DOC_BYTES);
    let [depth, next] = [from, 0];
    for (let n = 0; n < size; n += 1, doc += 1) {
      const flags = own[n * DOC_BYTES] ?? 0;
      if (flags & OPENS) depth += 1;
      for (; (starts[next]?.doc ?? size) <= n; next += 1) {
        const at = starts[next]?.at ?? 0;
        const continues = n === 0 && sessionAt.length > 0 && at - (sessionAt.at(-1) ?? 0) < gapMs;
        if (!continues) sessionAt.push(at);
      }
      depths[doc] = depth;
      sessions[doc] = Math.max(0, sessionAt.length - 1);
      const isTalk = (flags & SPEAKER) !== 2;
      places[doc] = isTalk ? talking : -1;
      if (isTalk) talk[talking++] = doc;
    }
  }
  if (sessionAt.length === 0) sessionAt.push(0);
  return { count, bytes, depths, sessions, sessionAt, talk: talk.subarray(0, talking), places };
}

/** How many passages belong to the first `messages` messages. */
export function countDocs(bytes: Uint8Array, messages: number): number {
  const count = Math.floor(bytes.length / DOC_BYTES);
  let opened = 0;
  for (let doc = 0; doc < count; doc += 1) {
    if ((bytes[doc * DOC_BYTES] ?? 0) & OPENS) opened += 1;
    if (opened > messages) return doc;
  }
  return count;
}

export const opensMessage = ({ bytes }: Pick<Docs, "bytes">, doc: number): boolean =>
  ((bytes[doc * DOC_BYTES] ?? 0) & OPENS) !== 0;
export const speakerOf = ({ bytes }: Docs, doc: number): Speaker =>
  speakers[(bytes[doc * DOC_BYTES] ?? 0) & SPEAKER] ?? "tool";
export const charactersOf = ({ bytes }: Docs, doc: number): number => (bytes[doc * DOC_BYTES + 2] ?? 0) * 4;
