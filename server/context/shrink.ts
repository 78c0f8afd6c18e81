import { isIdAt } from "./ledger/kinds.ts";
import { parseJson } from "./parse-json.ts";
import { shortenText } from "./shorten-text.ts";

/** Limits per value: list items, characters of a string, object keys, and depth. */
export type Level = { readonly items: number; readonly text: number; readonly keys: number; readonly depth: number };

/** Shrinks the value to a level. Undefined if the result would exceed `characters`; stops early in that case. */
type Shrink = (level: Level, characters: number) => unknown;

/** Parsed strings and chosen fields are cached across levels. */
export function createShrink(value: object): Shrink {
  const reader = createReader();
  return (level, characters) => {
    const budget = { left: characters };
    const shrunk = shrink(value, { reader, level, budget, depth: 0 });
    return budget.left < 0 ? undefined : shrunk;
  };
}

type ShrinkState = {
  readonly reader: ReturnType<typeof createReader>;
  readonly level: Level;
  /** Characters left. Below zero the result is discarded. */
  readonly budget: { left: number };
  readonly depth: number;
};

function shrink(value: unknown, work: ShrinkState): unknown {
  const { reader, level, budget, depth } = work;
  if (budget.left < 0) return null;
  if (typeof value === "string") {
    const inner = reader.parse(value);
    return inner === undefined ? shrinkText(value, work) : shrink(inner, work);
  }
  if (typeof value !== "object" || value === null) {
    budget.left -= String(value).length + 1;
    return value ?? null;
  }
  if (depth > level.depth) return shrinkText(nameShape(value), work);
  const inside = { ...work, depth: depth + 1 };
  return Array.isArray(value) ? shrinkList(value, inside) : shrinkObject(value, inside);
}

function shrinkText(text: string, { level, budget }: ShrinkState): string {
  const shown = shortenText(text, level.text).toWellFormed();
  budget.left -= shown.length > budget.left ? shown.length : JSON.stringify(shown).length + 1;
  return shown;
}

function shrinkList(items: readonly unknown[], work: ShrinkState): unknown {
  const { level, budget } = work;
  budget.left -= 2;
  if (items.length <= level.items) return shrinkEach(items, work);
  const last = Math.floor(level.items / 3);
  const [from, to] = [level.items - last, items.length - last];
  const gap = describeGap(items, from, to, level);
  budget.left -= gap.length + 3;
  return [...shrinkEach(items.slice(0, from), work), gap, ...shrinkEach(items.slice(to), work)];
}

function shrinkEach(items: readonly unknown[], work: ShrinkState): readonly unknown[] {
  const shown: unknown[] = [];
  for (const item of items) {
    if (work.budget.left < 0) break;
    shown.push(shrink(item, work));
  }
  return shown;
}

function shrinkObject(object: object, work: ShrinkState): unknown {
  const { reader, level, budget } = work;
  const { fields, count } = reader.fields(object);
  const shown: [string, unknown][] = [];
  budget.left -= 2;
  for (const [name, inner] of chooseFields(fields, level.keys)) {
    if (budget.left < 0) break;
    const short = shortenText(name, KEY).toWellFormed();
    budget.left -= JSON.stringify(short).length + 2;
    shown.push([short, shrink(inner, work)]);
  }
  if (count > shown.length) {
    const more = `${count - shown.length} more keys`;
    budget.left -= more.length + 12;
    shown.push(["_more", more]);
  }
  return Object.fromEntries(shown);
}

type Field = readonly [name: string, value: unknown];
const KEY = 80;
const MOST_KEYS = 200;

function createReader() {
  const parsed = new Map<string, object | undefined>();
  const read = new WeakMap<object, { readonly fields: readonly Field[]; readonly count: number }>();
  return {
    parse: (text: string): object | undefined => {
      if (!/^\s*[[{]/.test(text)) return undefined;
      if (!parsed.has(text)) parsed.set(text, parseJson(text));
      return parsed.get(text);
    },
    fields: (object: object) => {
      const known = read.get(object);
      if (known) return known;
      const all = Object.entries(object);
      const fresh = { fields: chooseFields(all, MOST_KEYS), count: all.length };
      read.set(object, fresh);
      return fresh;
    },
  };
}

const isPlain = (value: unknown): boolean =>
  typeof value === "object" ? value === null : typeof value !== "string" || value.length <= KEY;

/** Keeps the order. If there are too many, short scalars are preferred to long and nested values. */
function chooseFields(fields: readonly Field[], most: number): readonly Field[] {
  if (fields.length <= most) return fields;
  const plain = fields.filter(([, value]) => isPlain(value));
  const chosen = new Set([...plain, ...fields.filter(([, value]) => !isPlain(value))].slice(0, most));
  return fields.filter((field) => chosen.has(field));
}

const MOST_IDS = 40;
const MOST_LOOKED_AT = 100;

/** Describes the omitted items of a list: how many, their indices and their ids. */
function describeGap(items: readonly unknown[], from: number, to: number, { text }: Level): string {
  const ids: string[] = [];
  let room = Math.max(text, 200);
  for (let at = from; at < Math.min(to, from + MOST_LOOKED_AT) && ids.length < MOST_IDS; at += 1) {
    const id = findName(items[at]);
    if (id === undefined) continue;
    room -= id.length + 1;
    if (room < 0) break;
    ids.push(id);
  }
  const places = to - from === 1 ? `[${from}]` : `[${from}]-[${to - 1}]`;
  const rest = ids.length > 0 && ids.length < to - from ? " …" : "";
  return `… ${to - from} of ${items.length} left out: ${places}${ids.length === 0 ? "" : ` (${ids.join(" ")}${rest})`}`;
}

const LONGEST_NAME = 60;
const MOST_IN_ROW = 4;

/** The first id of an object; for a list, the ids of its items joined by "+". */
function findName(item: unknown, depth = 0): string | undefined {
  if (typeof item !== "object" || item === null || depth > 1) return undefined;
  if (Array.isArray(item)) {
    const names = item.slice(0, MOST_IN_ROW).flatMap((one) => findName(one, depth + 1) ?? []);
    return names.length === 0 ? undefined : names.join("+");
  }
  for (const [key, value] of Object.entries(item)) {
    if (typeof value !== "string" && typeof value !== "number") continue;
    const text = String(value);
    if (text.length <= LONGEST_NAME && isIdAt(key, text)) return text.toWellFormed();
  }
  return undefined;
}

const nameShape = (value: object): string =>
  Array.isArray(value) ? `[${value.length} items]` : `{${Object.keys(value).slice(0, 20).join(", ")}}`;
