import { createHash } from "node:crypto";

/**
 * What models and people write, as providers take it. Each of these looks at nothing but its argument, so that what was sent
 * once is sent again in the same bytes.
 */

/** No half characters and no NUL: providers refuse both. Words in place of nothing, which some refuse, too. */
export const toText = (text: string, whenBlank: string): string => {
  const whole = clean(text);
  return isBlank(whole) ? whenBlank : whole;
};

export const clean = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\ufffd");

export const isBlank = (text: string): boolean => text.trim() === "";

/** Providers take nothing but an object; what a model wrote otherwise is shown to it inside one. */
export const toInput = (input: unknown): unknown =>
  typeof input === "object" && input !== null && !Array.isArray(input)
    ? cleanDeep(input)
    : { input: cleanDeep(input ?? null) };

const cleanDeep = (value: unknown): unknown => {
  if (typeof value === "string") return clean(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cleanDeep);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [clean(key), cleanDeep(item)]));
};

const NAME_CHARACTERS = 64;

/** A model may call what does not exist, under any name; the alphabet is the one that all providers share. */
export const toToolName = (name: string): string => {
  const plain = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, NAME_CHARACTERS);
  if (plain === "") return "nameless";
  return /^[a-zA-Z_]/.test(plain) ? plain : `_${plain.slice(0, NAME_CHARACTERS - 1)}`;
};

export type IdRule = { readonly fits: RegExp; readonly characters: number };

/** Ids that a provider would refuse, and those of one request that were used before, get another in the same way each time. */
export const createIds = (rule: IdRule) => {
  const given = new Set<string>();
  return (callId: string): string => {
    let id = rule.fits.test(callId) ? callId : toHash(callId, rule);
    for (let again = 2; given.has(id); again += 1) id = toHash(`${callId} ${again}`, rule);
    given.add(id);
    return id;
  };
};

const toHash = (text: string, { characters }: IdRule): string =>
  createHash("sha256").update(text).digest("hex").slice(0, characters);
