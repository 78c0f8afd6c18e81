import { createHash } from "node:crypto";
import { isNumberText, parseExactly } from "../../../lib/exact-json.ts";

/**
 * Make text, tool names and ids acceptable to providers. Each function depends only on its argument, so that the same
 * message always has the same bytes.
 */

/** Without lone surrogates and NUL, which providers reject. Blank text is replaced, since some reject it. */
export const fillBlank = (text: string, whenBlank: string): string => {
  const whole = clean(text);
  return isBlank(whole) ? whenBlank : whole;
};

export const clean = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\ufffd");

export const isBlank = (text: string): boolean => text.trim() === "";

/** Providers accept only an object; any other input is wrapped in one. `text`: JSON with the same value, and all digits of its numbers. */
export const toInput = (input: unknown, text?: string): unknown => {
  if (text !== undefined) return toInput(readExactly(text) ?? input);
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? cleanDeep(input)
    : { input: cleanDeep(input ?? null) };
};

/** A program may send arguments that are not JSON. They are wrapped like other text. */
const readExactly = (text: string): unknown => {
  try {
    return parseExactly(text);
  } catch {
    return undefined;
  }
};

const cleanDeep = (value: unknown): unknown => {
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null || isNumberText(value)) return value;
  if (Array.isArray(value)) return value.map(cleanDeep);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), cleanDeep(item)]));
};

const NAME_CHARACTERS = 64;

/** A model may call a tool that does not exist, by any name. All providers accept this alphabet. */
export const toToolName = (name: string): string => {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, NAME_CHARACTERS);
  if (plain === "") return "nameless";
  return /^[a-zA-Z_]/.test(plain) ? plain : `_${plain.slice(0, NAME_CHARACTERS - 1)}`;
};

export type IdRule = { readonly fits: RegExp; readonly characters: number };

/** Replaces ids that a provider would reject and repeated ids of a request, always in the same way. */
export const createIds = (rule: IdRule) => {
  const used = new Set<string>();
  return (callId: string): string => {
    let id = rule.fits.test(callId) ? callId : toHash(callId, rule);
    for (let again = 2; used.has(id); again += 1) id = toHash(`${callId} ${again}`, rule);
    used.add(id);
    return id;
  };
};

const toHash = (text: string, { characters }: IdRule): string =>
  createHash("sha256").update(text).digest("hex").slice(0, characters);
