import { ApiError } from "../../protocol/errors.ts";
import type { MemoryField } from "../../protocol/memory.ts";

/** `append` adds to the value, `replace` overwrites it, `remove` deletes one entry, or everything if none is named. */
type MemoryOp = "append" | "replace" | "remove";
export type ValueChange = { readonly op: MemoryOp; readonly value: string };

/** A field's text after a change. Pure. Throws an `ApiError` that says what to do instead if the change is invalid. */
export function changeValue(field: MemoryField, before: string, { op, value }: ValueChange): string {
  const given = normalizeValue(value);
  if (op === "append" && given === "") throw new ApiError("invalid", `To append to ${field}, give a value.`);
  if (given === "") return "";
  if (field === "extra") return changeExtra(before, op, given);
  if (op === "replace") return given;
  return op === "append" ? appendEntry(before, given) : removeEntry(field, before, given);
}

/** Normalized as both databases store it, so that stored and requested values compare equal. */
export const normalizeValue = (value: string): string =>
  value.toWellFormed().replaceAll("\0", "\uFFFD").replace(/\r\n?/g, "\n").trim();

const isSame = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();

/** One entry per line. Existing entries are not added again. */
function appendEntry(before: string, entry: string): string {
  if (before === "") return entry;
  if (isSame(before, entry) || before.split("\n").some((line) => isSame(line, entry))) return before;
  return `${before}\n${entry}`;
}

function removeEntry(field: MemoryField, before: string, entry: string): string {
  if (isSame(before, entry)) return "";
  const lines = before.split("\n");
  const otherLines = lines.filter((line) => !isSame(line, entry));
  if (otherLines.length < lines.length) return otherLines.join("\n").trim();
  const withoutItem = lines.map((line) => removeItem(line, entry)).filter((line) => line !== "");
  const after = withoutItem.join("\n").trim();
  if (after !== before) return after;
  throw new ApiError(
    "invalid",
    `${quoteValue(entry)} is not an entry of ${field}, which is ${quoteValue(before)}. Replace the field with the text that should remain.`,
  );
}

/** Removes an item of a list within a line: "tea, coffee". */
function removeItem(line: string, entry: string): string {
  const items = line.split(/[,;]\s*/);
  const others = items.filter((item) => !isSame(item, entry));
  return others.length === items.length ? line : others.join(", ");
}

type Extra = Readonly<Record<string, unknown>>;

function changeExtra(before: string, op: MemoryOp, given: string): string {
  const old = before === "" ? {} : parseExtra(before);
  if (op === "append") return toText({ ...old, ...parseExtra(given) });
  if (op === "replace") return toText(parseExtra(given));
  if (!Object.hasOwn(old, given)) {
    const known = Object.keys(old).map(quoteValue).join(", ");
    throw new ApiError(
      "invalid",
      `extra has no key ${quoteValue(given)}. ${known ? `It has ${known}.` : "It is empty."}`,
    );
  }
  return toText(Object.fromEntries(Object.entries(old).filter(([key]) => key !== given)));
}

const toText = (extra: Extra): string => (Object.keys(extra).length === 0 ? "" : JSON.stringify(extra));

function parseExtra(text: string): Extra {
  const value = parseJson(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Extra;
  throw new ApiError("invalid", 'extra must be a JSON object, such as {"timeZone":"Europe/Berlin"}.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const SHOWN = 200;
export const quoteValue = (text: string): string =>
  JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text);
