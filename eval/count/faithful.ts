/**
 * Numbers, ids and dates of a compaction summary that do not occur in its source. Its own numbering is ignored: the messages it
 * covers, and the origin of a line (`m12`, `m3-8`).
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
