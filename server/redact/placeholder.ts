import { createHmac } from "node:crypto";
import { isCard, isEmail, isIban, isPhone } from "./personal.ts";

/**
 * The same value gets the same placeholder within a thread, however it was found; it depends only on the value and the
 * salt.
 */
export type ToPlaceholder = (value: string) => string;

export const placeholderPattern = /\[secret:[a-z-]{2,20}:[0-9a-f]{8}\]/g;

const cacheLimit = 2_000;

export function createPlaceholders(salt: string): ToPlaceholder {
  const known = new Map<string, string>();
  return (value) => {
    const cached = known.get(value);
    if (cached !== undefined) return cached;
    const mark = createHmac("sha256", salt).update(value).digest("hex").slice(0, 8);
    const placeholder = `[secret:${toShape(value)}:${mark}]`;
    if (known.size >= cacheLimit) known.clear();
    known.set(value, placeholder);
    return placeholder;
  };
}

/** Description of a value for the model: its form, never a part of it. */
function toShape(value: string): string {
  if (/PRIVATE KEY/.test(value)) return "private-key";
  if (/^ey[IJ][\w=-]+\.[\w.=-]+$/.test(value)) return "jwt";
  if (isEmail(value)) return "email";
  if (isCard(value)) return "card";
  if (isIban(value)) return "iban";
  if (isPhone(value)) return "phone";
  if (/\s/.test(value)) return "text";
  return value.length >= 16 ? "token" : "password";
}

/** Finds a placeholder that a write would add to a text that did not contain it; the write would lose the secret. */
export function findAddedPlaceholder(before: string, after: string): string | undefined {
  const known = new Set(before.match(placeholderPattern));
  return (after.match(placeholderPattern) ?? []).find((one) => !known.has(one));
}
