import { parseJson } from "../parse-json.ts";
import type { LedgerCall, LedgerEntry } from "./entry.ts";
import { isId, isIdAt, listIds } from "./kinds.ts";

type Leaf = { readonly path: string; readonly value: string; readonly kind: "id" | "scalar" };

const LONGEST_VALUE = 80;
const LONGEST_PREVIEW = 240;
const LONGEST_ARGS = 90;
/** Rows read from both ends of a list. */
const ROWS = { first: 40, last: 10 };
const MOST_NODES = 4000;
const DEEPEST = 8;
const MOST_IN_TEXT = 12;
const MOST_TEXT = 20_000;

/** The values of a call that may be needed later: those of its result, and arguments that the result does not repeat. */
export function readCall(call: LedgerCall, depth: number, most: number): readonly LedgerEntry[] {
  const { id, tool, input, output, ok, error, preview } = call;
  const args = toArgs(input);
  const brought = ok ? listLeaves(output) : [];
  const known = new Set(brought.map(({ value }) => value));
  const given = listLeaves(input)
    .filter(({ value }) => !known.has(value))
    .map((leaf) => ({ ...leaf, path: `args.${leaf.path}` }));
  const place = { tool, call: id, args, about: findSubject(tool, args, input, ok ? output : undefined), depth };
  const entry = (kind: LedgerEntry["kind"], path: string, value: string): LedgerEntry => ({
    ...place,
    kind,
    path,
    value,
    uses: 0,
    lastUsed: depth,
  });
  const text = ok ? (preview ?? "") : `failed: ${error ?? "no reason"}`;
  const words = text.trim().replace(/\s+/g, " ");
  return [
    ...(words === "" ? [] : [entry("gist", "", cutTo(words, LONGEST_PREVIEW))]),
    ...choose(preview === undefined ? [...brought, ...given] : listNamed(brought), most).map(({ kind, path, value }) =>
      entry(kind, path, value),
    ),
  ];
}

/** If the tool provides a preview, only short ids are added to it. */
const listNamed = (leaves: readonly Leaf[]): readonly Leaf[] =>
  leaves.filter(({ kind, value }) => kind === "id" && value.length <= LONGEST_NAMED);

const LONGEST_NAMED = 40;

/** Ids first, then other values, each in their original order. */
const choose = (leaves: readonly Leaf[], most: number): readonly Leaf[] =>
  leaves.length <= most
    ? leaves
    : [...leaves.filter(({ kind }) => kind === "id"), ...leaves.filter(({ kind }) => kind !== "id")].slice(0, most);

function listLeaves(root: unknown): readonly Leaf[] {
  const leaves: Leaf[] = [];
  let nodes = 0;
  const add = (path: string, key: string, value: string): void => {
    const kind = isIdAt(key, value) ? "id" : "scalar";
    leaves.push({ path, value, kind });
  };
  const visit = (value: unknown, path: string, key: string, depth: number): void => {
    nodes += 1;
    if (nodes > MOST_NODES || depth > DEEPEST || value === null || value === undefined) return;
    if (typeof value === "string") readText(value, path, key, depth);
    else if (typeof value === "number" || typeof value === "boolean") add(path, key, String(value));
    else if (Array.isArray(value)) visitRows(value, path, key, depth);
    else if (typeof value === "object")
      for (const [name, inner] of Object.entries(value)) visit(inner, join(path, name), name, depth + 1);
  };
  const visitRows = (rows: readonly unknown[], path: string, key: string, depth: number): void => {
    const skipped = rows.length > ROWS.first + ROWS.last;
    rows.forEach((row, at) => {
      if (skipped && at >= ROWS.first && at < rows.length - ROWS.last) return;
      visit(row, join(path, String(at)), key, depth + 1);
    });
  };
  const readText = (text: string, path: string, key: string, depth: number): void => {
    const inner = parseJson(text);
    if (inner !== undefined) return visit(inner, path, key, depth + 1);
    if (text.trim() === "") return;
    if (text.length <= LONGEST_VALUE) return add(path, key, text);
    for (const id of listIds(text.slice(0, MOST_TEXT)).slice(0, MOST_IN_TEXT))
      leaves.push({ path, value: id, kind: "id" });
  };
  visit(root, "", "", 0);
  return leaves;
}

/** Dots separate names in a path, so they are replaced within names. */
const join = (path: string, name: string): string => {
  const safe = name.replace(/[.\s]+/g, "_").slice(0, 60);
  return path === "" ? safe : `${path}.${safe}`;
};

/** The values of scalar arguments. Nested or long arguments add a hash that distinguishes calls. */
function toArgs(input: unknown): string {
  if (typeof input !== "object" || input === null) return input === undefined ? "" : cutTo(String(input), LONGEST_ARGS);
  const plain: string[] = [];
  let hasMore = false;
  for (const value of Object.values(input)) {
    if (typeof value === "object" && value !== null) hasMore = true;
    else if (value !== undefined && value !== null) plain.push(String(value).replace(/\s+/g, " "));
  }
  const text = plain.join(", ");
  return text.length <= LONGEST_ARGS && !hasMore
    ? text
    : `${cutTo(text, LONGEST_ARGS)}#${toMark(JSON.stringify(sortKeys(input)))}`;
}

const sortKeys = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== "object" || value === null) return value;
  const names = Object.keys(value).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(names.map((name) => [name, sortKeys((value as Record<string, unknown>)[name])]));
};

/** FNV-1a: short, and the same everywhere. */
function toMark(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

/**
 * Identifies the thing that a result describes: by its own id, by the id that the tool is named after, or by all its ids. Without
 * any, by the first id of the arguments together with the tool.
 */
function findSubject(tool: string, args: string, input: unknown, output: unknown): string {
  const fields = listIdFields(typeof output === "string" ? parseJson(output) : output);
  const own = fields.find(({ stem }) => stem === "");
  if (own) return isId(own.value) ? `id=${own.value}` : `${tool} id=${own.value}`;
  const named = fields.find(({ stem }) => tool.toLowerCase().includes(stem));
  if (named) return `${named.stem}=${named.value}`;
  if (fields.length > 0) return fields.map(({ stem, value }) => `${stem}=${value}`).join(" ");
  const [given] = listIdFields(input);
  return given ? `${tool} ${given.stem}=${given.value}` : `${tool}(${args})`;
}

type IdField = { readonly stem: string; readonly value: string };

/** Root fields such as `id`, `order_id`, `orderId`. `stem` is the name without the suffix. */
function listIdFields(value: unknown): readonly IdField[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]): IdField[] => {
    const isPlain = typeof inner === "number" || (typeof inner === "string" && inner.length <= LONGEST_VALUE);
    const stem = /^(?:id|(.+?)(?:[_-]id|Id|ID))$/.exec(name);
    return stem && isPlain && inner !== "" ? [{ stem: (stem[1] ?? "").toLowerCase(), value: String(inner) }] : [];
  });
}

/** Cuts at a word boundary, because a truncated id would be a different id. */
function cutTo(text: string, most: number): string {
  if (text.length <= most) return text;
  const border = Math.max(text.lastIndexOf(" ", most - 1), text.lastIndexOf(",", most - 1));
  return `${text.slice(0, Math.max(0, border)).toWellFormed()}…`;
}
