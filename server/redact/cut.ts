import { nameBeginnings } from "./find/assignments.ts";

/**
 * Splits a text into segments that can be redacted separately. A cut is made after white space where no secret can
 * continue: not after a name on its line, not in a private key, not in a known value. It looks only backwards, so later
 * text does not move a cut.
 */
export type CutterOptions = {
  readonly isPending: (text: string) => boolean;
  readonly personalData: boolean;
};
type Cutter = {
  readonly push: (chunk: string) => readonly string[];
  readonly end: () => readonly string[];
};

/** Characters held back after a name before a cut is allowed at white space. */
const heldAfterName = 600;
/** Shorter segments end only at a line end, because each segment costs a search. */
const segmentLength = 48;
const linesAfterName = 4;
const keyLimit = 32_000;
const segmentLimit = 64_000;

/** Includes the first words of rules that match later on the line. */
const triggers = new RegExp(
  `${nameBeginnings.source}|identified|\\bmot\\b|curl|mysql|mariadb|sshpass|redis-cli|smbclient|machine|wallet|backup|"kty"`,
  "i",
);
const keyBegins = /-----BEGIN$|PuTTY-User-Key/;
const keyEnds = /-----END |Private-MAC: [0-9a-f]+\s$/;
const nakedKey =
  /(?:MII[A-Za-z0-9+/]{1,6}IBA[AD]|MHcCAQEE|MI[GH][A-Za-z0-9+/]{1,3}AgEAM|MC4CAQAwBQYDK2Vw|b3BlbnNzaC1rZXkt)/;
/** A line of a key, without the syntax that a program puts around it. `+` may belong to either. */
const keyBody = /^(?:[A-Za-z0-9+/]{16,}={0,2}|[A-Za-z0-9+/]+={1,2})?$/;
function isKeyWord(word: string): boolean {
  let [start, end] = [0, word.length];
  while (start < end && `"'+\\`.includes(word.charAt(start))) start += 1;
  while (end > start && (`"'+\\,;`.includes(word.charAt(end - 1)) || /^\\[nr]$/.test(word.slice(end - 2, end))))
    end -= 1;
  let [first, last] = [start, end];
  while (word.charAt(first - 1) === "+") first -= 1;
  while (word.charAt(last) === "+") last += 1;
  return keyBody.test(word.slice(start, end)) || keyBody.test(word.slice(first, last));
}
const personal = /^[+(]?[A-Z().-]*\d[\dA-Z().-]*$/;

export function createCutter({ isPending, personalData }: CutterOptions): Cutter {
  let held = "";
  /** How far the text was scanned, and where the current word starts. */
  let at = 0;
  let word = 0;
  let name = -1;
  let lines = 0;
  let key: { readonly since: number; readonly kind: "armoured" | "naked" } | undefined;

  /** Whether the segment may end after the white space at `at`. */
  const mayCut = (isLine: boolean): boolean => {
    const last = held.slice(word, at);
    if (key === undefined && keyBegins.test(last)) key = { since: at, kind: "armoured" };
    if (key === undefined && nakedKey.test(last)) key = { since: at, kind: "naked" };
    else if (key?.kind === "naked" && !isKeyWord(last)) key = undefined;
    if (key?.kind === "armoured" && isLine && keyEnds.test(held.slice(key.since, at + 1))) key = undefined;
    if (key && at - key.since > keyLimit) key = undefined;
    if (name < 0 && triggers.test(held.slice(Math.max(0, word - 24), at))) name = at;
    word = at + 1;
    if (key || (!isLine && at < segmentLength)) return false;
    if (name >= 0 && !isNameOver(isLine)) return false;
    if (personalData && !isLine && personal.test(last)) return false;
    return !isPending(held.slice(0, at + 1));
  };

  const isNameOver = (isLine: boolean): boolean => {
    if (at - name > heldAfterName) return true;
    if (!isLine) return false;
    lines += 1;
    return lines >= linesAfterName || !isOpen(held.slice(Math.max(0, name - 80), at));
  };

  const take = (length: number): string => {
    const segment = held.slice(0, length);
    held = held.slice(length);
    at = 0;
    word = 0;
    name = -1;
    lines = 0;
    key = undefined;
    return segment;
  };

  return {
    push: (chunk) => {
      held += chunk;
      const segments: string[] = [];
      for (; at < held.length; at += 1) {
        const code = held.charCodeAt(at);
        const isSpace = code === 32 || (code >= 9 && code <= 13);
        if (at >= segmentLimit) segments.push(take(findForcedCut(held, isPending)));
        else if (isSpace && mayCut(code === 10)) segments.push(take(at + 1));
        else continue;
        at = -1;
      }
      return segments;
    },
    end: () => (held === "" ? [] : [take(held.length)]),
  };
}

/** The value may continue on the next line: a trailing operator or an open quote. */
function isOpen(line: string): boolean {
  if (/[:=>(,\\+|{[-]\s*$/.test(line)) return true;
  const quotes = line.match(/["'`]/g)?.length ?? 0;
  return quotes % 2 === 1;
}

/**
 * Cuts a segment that has no natural break, such as a program on one line: after a character that ends a value, or
 * anywhere.
 */
function findForcedCut(text: string, isPending: (text: string) => boolean): number {
  const part = text.slice(0, segmentLimit);
  for (const sign of [" ", "\n", "}", ",", ";", ">", ")"]) {
    const cut = part.lastIndexOf(sign) + 1;
    if (cut > segmentLimit / 2 && !isPending(part.slice(0, cut))) return cut;
  }
  let cut = segmentLimit;
  while (cut > segmentLimit / 2 && isPending(part.slice(0, cut))) cut -= 1;
  return cut;
}
