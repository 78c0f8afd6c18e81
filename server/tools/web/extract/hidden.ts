import type { Element } from "./tree.ts";

/**
 * Whether this element is invisible in a browser. Invisible text is a common way to inject instructions into a model, so it is
 * always dropped. Stylesheets are not evaluated: only attributes and well-known classes count.
 */
export function isHidden(element: Element): boolean {
  const { attributes } = element;
  if (attributes.size === 0) return false;
  if (attributes.has("hidden") || attributes.get("aria-hidden") === "true") return true;
  const names = attributes.get("class");
  if (names !== undefined && hasHidingClass(names)) return true;
  const style = attributes.get("style");
  return style !== undefined && hidesByStyle(toRules(style));
}

/** Whether it is invisible at first but probably shown by a script: a fade-in or an overlay before the first paint. */
export function isFaint({ attributes }: Element): boolean {
  const style = attributes.get("style");
  if (style === undefined) return false;
  const rules = toRules(style);
  return isZero(rules.get("opacity") ?? "") || rules.get("visibility") === "hidden";
}

export const isFadingIn = ({ attributes }: Element): boolean =>
  attributes.has("data-w-id") || /transform\s*:|transition|will-change|animation/.test(attributes.get("style") ?? "");

const hidingClasses = new Set(
  "sr-only visually-hidden visuallyhidden screen-reader-text screenreader-only u-hidden-visually a11y-hidden".split(
    " ",
  ),
);

const hasHidingClass = (names: string): boolean => names.split(/\s+/).some((name) => hidingClasses.has(name));

function hidesByStyle(rules: ReadonlyMap<string, string>): boolean {
  const get = (name: string): string => rules.get(name) ?? "";
  if (get("display") === "none" || isZero(get("font-size"))) return true;
  if (get("overflow") === "hidden" && (isTiny(get("height")) || isTiny(get("width")) || isTiny(get("max-height"))))
    return true;
  if (/^rect\(\s*0|^rect\(\s*1px[ ,]+1px/.test(get("clip")) || /^inset\(\s*(50|100)%/.test(get("clip-path")))
    return true;
  if (["left", "right", "top", "text-indent", "margin-left", "margin-top"].some((name) => isFarAway(get(name))))
    return true;
  if (/^(translate[xy]?|scale)\(\s*(0\s*\)|-\d{4,})/.test(get("transform"))) return true;
  const background = toColor(get("background-color") || get("background"));
  const color = toColor(get("color"));
  return color === "transparent" || (color !== "" && color === background);
}

function toRules(style: string): ReadonlyMap<string, string> {
  const rules = new Map<string, string>();
  for (const rule of style.toLowerCase().split(";")) {
    const colon = rule.indexOf(":");
    if (colon > 0)
      rules.set(
        rule.slice(0, colon).trim(),
        rule
          .slice(colon + 1)
          .replace("!important", "")
          .trim(),
      );
  }
  return rules;
}

const isZero = (value: string): boolean => /^(?:0+|0*\.0+)(?:px|em|rem|pt|%)?$/.test(value);
const isTiny = (value: string): boolean => /^[01](px)?$/.test(value);
const isFarAway = (value: string): boolean => /^-\d{3,}(\.\d+)?(px|em|rem|pt|vw|vh|%)?$/.test(value);

const namedColors: Readonly<Record<string, string>> = { white: "ffffff", black: "000000", transparent: "transparent" };

/** Normalizes common color notations to six hex digits; other notations only equal themselves. */
function toColor(value: string): string {
  const named = namedColors[value];
  if (named !== undefined) return named;
  const short = /^#([\da-f])([\da-f])([\da-f])$/.exec(value);
  if (short)
    return short
      .slice(1)
      .map((digit) => digit + digit)
      .join("");
  if (/^#[\da-f]{6}$/.test(value)) return value.slice(1);
  const parts = /^rgba?\(\s*(\d+)[\s,]+(\d+)[\s,]+(\d+)\s*(?:[,/]\s*([\d.]+)\s*)?\)$/.exec(value);
  if (!parts) return value;
  if (parts[4] !== undefined && Number(parts[4]) === 0) return "transparent";
  return parts
    .slice(1, 4)
    .map((part) => Number(part).toString(16).padStart(2, "0"))
    .join("");
}
