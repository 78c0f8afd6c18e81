import type { Finder, Span } from "./find/span.ts";

/**
 * Finds known secrets anywhere: verbatim, percent-encoded, escaped for JSON or HTML, in hexadecimal, inside base64, and
 * broken over lines or string literals. Values of fewer than four characters are ignored, in base64 fewer than five
 * bytes.
 */
export type KnownValue = { readonly name: string; readonly value: string };
type KnownValues = {
  readonly find: Finder;
  /** Whether the text ends with a possible prefix of a known value. */
  readonly isPending: (text: string) => boolean;
};

const shortest = 4;
/** Characters that may separate the pieces of a broken value. */
const gaps = /(?:\\[nrt]|[\s"'`+\\,&;])+/g;
const brokenLength = 8;

export function createKnownValues(values: readonly KnownValue[]): KnownValues {
  const used = values.filter(({ value }) => value.trim().length >= shortest);
  const plain = createValueFinder(
    used.flatMap(({ name, value }) => listForms(value).map((text) => ({ text, kind: name }))),
  );
  const inBase64 = createValueFinder(
    used.flatMap(({ name, value }) => listBase64(value).map((text) => ({ text, kind: name }))),
  );
  const broken = used
    .map(({ name, value }) => ({ name, text: value.replace(gaps, "") }))
    .filter(({ text }) => text.length >= brokenLength);
  const forms = [...new Set(used.flatMap(({ value }) => [...listForms(value), ...listBase64(value)]))];
  /** Characters and pieces that prefixes end with: a quick test that excludes most texts. */
  const endings = new Set(forms.flatMap((form) => [...form.slice(0, -1)]));
  const pieces = new Set(broken.flatMap(({ text }) => listPieces(text)));
  const longest = Math.max(0, ...forms.map((form) => form.length));

  return {
    find: (text, add) => {
      if (used.length === 0) return;
      plain(text, add);
      inBase64(text, (span) => add(widen(text, span)));
      if (broken.length > 0) findBroken(text, broken, add);
    },
    isPending: (text) => {
      if (forms.length === 0) return false;
      const tail = text.slice(-longest);
      if (endings.has(tail.at(-1) ?? "") && forms.some((form) => endsWithBeginning(tail, form))) return true;
      const joined = text.slice(-2 * longest - 200).replace(gaps, "");
      return pieces.has(joined.slice(-shortest)) && broken.some((one) => endsWithBeginning(joined, one.text));
    },
  };
}

const listPieces = (text: string): readonly string[] =>
  Array.from({ length: text.length - shortest }, (_, at) => text.slice(at, at + shortest));

function endsWithBeginning(text: string, form: string): boolean {
  for (let length = Math.min(form.length - 1, text.length); length >= 1; length -= 1)
    if (text.endsWith(form.slice(0, length))) return true;
  return false;
}

function listForms(value: string): readonly string[] {
  // An unpaired surrogate cannot be percent-encoded.
  const sound = value.toWellFormed();
  const escaped = JSON.stringify(value).slice(1, -1);
  const bytes = Buffer.from(value, "utf8");
  const percent = encodeURIComponent(sound).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const lower = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
  const all = [
    value,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    encodeURIComponent(sound),
    encodeURI(sound),
    percent,
    percent.replaceAll("%20", "+"),
    encodeURIComponent(percent),
    value.replaceAll("/", "\\/"),
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    value
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
  ];
  const hex = bytes.length >= shortest ? [bytes.toString("hex"), bytes.toString("hex").toUpperCase()] : [];
  return [...new Set([...all, ...all.map(lower), ...hex])];
}

/**
 * In base64 a value has three different forms, depending on its offset; the part that does not depend on its neighbors
 * is searched.
 */
function listBase64(value: string): readonly string[] {
  const bytes = Buffer.from(value, "utf8");
  const forms = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .replace(/(?<!=)=+$/, "");
    const start = Math.ceil((shift * 8) / 6);
    const end = Math.floor(((shift + bytes.length) * 8) / 6);
    return text.slice(start, end);
  });
  const long = forms.filter((form) => form.length >= 6);
  return [...new Set([...long, ...long.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))])];
}

const isBase64 = (code: number): boolean =>
  (code >= 48 && code <= 57) ||
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 43 ||
  code === 45 ||
  code === 47 ||
  code === 61 ||
  code === 95;

function widen(text: string, span: Span): Span {
  let { start, end } = span;
  while (start > 0 && isBase64(text.charCodeAt(start - 1))) start -= 1;
  while (end < text.length && isBase64(text.charCodeAt(end))) end += 1;
  return { start, end, kind: span.kind };
}

function findBroken(
  text: string,
  broken: readonly { readonly name: string; readonly text: string }[],
  add: (span: Span) => void,
): void {
  const joined = text.replace(gaps, "");
  if (joined.length === text.length) return;
  let places: Int32Array | undefined;
  for (const { name, text: value } of broken) {
    for (let at = joined.indexOf(value); at >= 0; at = joined.indexOf(value, at + value.length)) {
      places ??= listPlaces(text, joined.length);
      add({ start: places[at] ?? 0, end: (places[at + value.length - 1] ?? 0) + 1, kind: name });
    }
  }
}

/** Maps each character of the joined text to its position in the text. */
function listPlaces(text: string, length: number): Int32Array {
  const places = new Int32Array(length);
  let from = 0;
  let to = 0;
  const copy = (end: number): void => {
    for (; from < end; from += 1, to += 1) places[to] = from;
  };
  for (const gap of text.matchAll(gaps)) {
    copy(gap.index);
    from = gap.index + gap[0].length;
  }
  copy(text.length);
  return places;
}

export type SearchValue = { readonly text: string; readonly kind: string };

/** Finds many values in one pass: a hash of the last four characters says whether a value may start there. */
export function createValueFinder(values: readonly SearchValue[]): Finder {
  const buckets = new Map<number, SearchValue[]>();
  for (const one of values) {
    if (one.text.length < shortest) continue;
    const hash = hashBeginning(one.text);
    buckets.set(hash, [...(buckets.get(hash) ?? []), one]);
  }
  for (const bucket of buckets.values()) bucket.sort((a, b) => b.text.length - a.text.length);
  const isHit = new Uint8Array(65_536);
  for (const hash of buckets.keys()) isHit[hash] = 1;

  return (text, add) => {
    if (buckets.size === 0) return;
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      hash = ((hash << 4) ^ text.charCodeAt(at)) & 0xffff;
      if (isHit[hash] === 0) continue;
      const start = at - shortest + 1;
      const found = start < 0 ? undefined : buckets.get(hash)?.find((one) => text.startsWith(one.text, start));
      if (found) add({ start, end: start + found.text.length, kind: found.kind });
    }
  };
}

function hashBeginning(text: string): number {
  let hash = 0;
  for (let at = 0; at < shortest; at += 1) hash = ((hash << 4) ^ text.charCodeAt(at)) & 0xffff;
  return hash;
}
