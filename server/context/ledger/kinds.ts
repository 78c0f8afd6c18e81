const dateOrTime = /^\d{4}-\d\d(?:-\d\d)?(?:[T ][\d:.]+(?:Z|[+-][\d:]+)?)?$|^\d{1,2}:\d\d(?::\d\d)?(?:[+-]\d+)?$/;
const amount = /^[-+]?[$€£]?\d{1,3}(?:,\d{3})*(?:\.\d+)?%?$|^[-+]?\d+\.\d+$/;
/** A number with a unit: `20th`, `11am`, `5kg`, `30px`. */
const measured = /^\d+(?:\.\d+)?[a-z]{1,3}$/i;
const idKey =
  /(?:^|[_\-.]|[a-z](?=[A-Z]))(?:ids?|keys?|codes?|refs?|number|uuid|guid|sha|hash|slug|path|url|uri|href|handle|sku|isbn|version)$/i;

const isDate = (text: string): boolean => dateOrTime.test(text);

/** Looks like an identifier: letters with digits, many digits, an address or a path. */
export function isId(text: string): boolean {
  if (text.length < 4 || text.length > 120 || /\s/.test(text) || isDate(text)) return false;
  if (amount.test(text) && text.length < 5) return false;
  if (/^\d+$/.test(text)) return text.length >= 5;
  if (/^[-+$€£]?[\d.,]+%?$/.test(text) || measured.test(text)) return false;
  if (/\d/.test(text)) return /\p{L}/u.test(text);
  return /^[^@\s]+@[^@\s]+\.\w+$/.test(text) || /^(?:https?:\/)?(?:\.{0,2}\/)?[\w.~-]+(?:\/[\w.~-]+)+\/?$/.test(text);
}

/** Keys of attributes, not of identifiers. */
const attribute =
  /(?:zip|postal|postcode|phone|fax|email|mail|street|address\d?|amount|price|total|balance|count|size|time|_at)$/i;

/** Also considers the key: `order_id: 42` is an id, though 42 alone is not. */
export const isIdAt = (key: string, text: string): boolean =>
  (isId(text) && !attribute.test(key)) ||
  (idKey.test(key) && text.length > 0 && text.length <= 80 && !/\s/.test(text) && !isDate(text));

const word = /[\p{L}\p{N}]+(?:[_@#/.:+~-]+[\p{L}\p{N}]+)*/gu;

/** Words of a text that look like ids and have at least 5 characters. */
export function listIds(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [one] of text.matchAll(word)) if (one.length >= 5 && isId(one)) found.add(one);
  return [...found];
}

/** All words that could be values. */
export const listWords = (text: string): ReadonlySet<string> =>
  new Set(Array.from(text.matchAll(word), ([one]) => one));
