/**
 * Numbers, ids and dates of a head that do not stand in what it was made of. Its own marks are not counted: which messages it
 * stands for, and where a line comes from (`m12`, `m3-8`).
 */
export function listUnfaithful(head: string, source: string): readonly string[] {
  const body = head.replaceAll(/<\/?context[^>]*>/g, " ").replaceAll(/\[messages \d+-\d+\]/g, " ");
  const words = new Set(body.split(/[\s,;()"'`[\]{}<>|]+/).map(trim));
  return [...words].filter((word) => /\d/.test(word) && !OWN_MARK.test(word) && !isThere(word, source));
}

/** A path of a value is written as its keys with dots between. */
const PATH = /^[a-z_]\w*(?:\.[a-z_]\w*)+$/i;

const isThere = (word: string, source: string): boolean =>
  source.includes(word) || (PATH.test(word) && word.split(".").every((key) => source.includes(key)));

const OWN_MARK = /^m\d+(?:-\d+)?$/;

const trim = (word: string): string => word.replace(/^[^\p{L}\p{N}$-]+|[^\p{L}\p{N}%]+$/gu, "");
