import { classifyName, splitName } from "../names.ts";
import { isRandomToken } from "./judge.ts";
import { countLetters, measureWords } from "./letters.ts";
import { toAlphabet, visitRuns } from "./runs.ts";
import type { Finder } from "./span.ts";
import { addressPatterns, describeMatch, vendorPattern } from "./vendors.ts";

/** Secrets that need no name: in every long run without spaces and quotes, vendor formats, then randomness. */
const alphabet = toAlphabet(/[^\s"'`<>(){}[\],;|\\]/);
const least = 15;
const tokenLimit = 512;
const runLimit = 20_000;

export const findTokens: Finder = (text, add) => {
  visitRuns(text, { alphabet, least }, (start, end) => {
    if (end - start > runLimit) return;
    const run = text.slice(start, end);
    findVendors(run, start, add);
    if (run.length <= tokenLimit && isRandomToken(run) && !isHarmless(text, start, run))
      add({ start, end, kind: "random" });
  });
};

function findVendors(run: string, offset: number, add: Parameters<Finder>[1]): void {
  const put = (start: number, end: number, kind: string): void =>
    add({ start: offset + start, end: offset + end, kind });
  if (run.includes("hook") || run.includes("chat.")) {
    for (const { kind, pattern } of addressPatterns) {
      for (const match of run.matchAll(pattern)) {
        const [from = 0, to = 0] = match.indices?.[1] ?? [];
        put(from, to, kind);
      }
    }
  }
  vendorPattern.lastIndex = 0;
  for (let match = vendorPattern.exec(run); match; match = vendorPattern.exec(run)) {
    const { kind, isShape } = describeMatch(match);
    const value = match[0].replace(/(?<![.%])[.%]+$/, "");
    if (isVaried(value, isShape)) put(match.index, match.index + value.length, kind);
  }
}

/** Other meanings of a run without a vendor prefix: an identifier, a hash, a cursor, a part of a URL or of code. */
function isHarmless(text: string, start: number, run: string): boolean {
  const before = text.slice(Math.max(0, start - 60), start);
  const after = text[start + run.length] ?? " ";
  if (harmlessBeginnings.test(run) || /[\\;&|#]$|base64,$/.test(before) || !/[\s"'`)\]}<>,;\\]/.test(after))
    return true;
  const name = nameBefore.exec(before)?.[1];
  if (name === undefined || classifyName(name) !== undefined) return false;
  const words = splitName(name).filter((word) => !/^\d+$/.test(word));
  return harmlessNames.has(words.at(-1) ?? "") && !words.some((word) => classifyName(word) !== undefined);
}

const nameBefore = /([A-Za-z][\w.-]{0,40})(?:\\*["'`])?[ \t]{0,4}[:=][ \t]{0,4}(?:\\*["'`])?$/;
const harmlessNames = new Set(
  (
    "id ids uuid guid hash integrity sha sha1 sha256 sha512 checksum digest etag cursor page next version url uri href src path " +
    "file filename name image img data content body text html commit ref rev revision slug class style nonce fingerprint " +
    "signature obfuscation trace span request correlation build etc thumbprint kid jti state continuation offset anchor"
  ).split(" "),
);
const harmlessBeginnings =
  /^(?:sha\d+|toolu|call|msg|chatcmpl|cmpl|resp|req|run|thread|asst|file|gen|item|rs|fc|evt|cus|sub|in|ch|pi|pm|price|prod|txn|cs|acct|step|batch|vs|ws|conv|org|proj|user|usr|trace|span|job|task|doc|img|dpl|prj|team|id|yui|ref|node|el|css|sc|jsx)[-_]/i;

/** A vendor prefix followed by words or by one repeated character is a name or a sample. */
function isVaried(value: string, isShape: boolean): boolean {
  const { digits, distinct, length } = countLetters(value);
  if (distinct < 7 || /x{8}|0{12}|\*{3}|\.{3}/i.test(value)) return false;
  if (isShape || digits >= length * 0.2) return true;
  const words = measureWords(value) ?? 0;
  return words < 4.9 && (digits > 0 || (length >= 24 && words < 4.3));
}
