import { RE2JS } from "re2js";

type Glob = (path: string) => boolean;

const LONGEST = 300;

/**
 * `**` across folders, `*` and `?` within a name, `{a,b}`, several patterns separated by commas. A pattern without `/` matches
 * names in any folder, and a folder matches its contents. Linear in the length of the path for any pattern.
 */
export function toGlob(patterns: string): Glob {
  if (patterns.length > LONGEST) throw new Error(`A path pattern can have at most ${LONGEST} characters.`);
  const all = splitList(patterns).map((pattern) => RE2JS.compile(toExpression(pattern.trim())));
  return (path) => all.some((one) => one.matcher(path).matches());
}

/** Splits at commas outside braces. */
function splitList(patterns: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const char of patterns) {
    if (char === "{") depth += 1;
    if (char === "}") depth -= 1;
    if (char === "," && depth <= 0) parts.push("");
    else parts.push(`${parts.pop()}${char}`);
  }
  return parts.filter((part) => part.trim() !== "");
}

const tokens = /\*\*\/|\*\*|\*|\?|[{},]|[^*?{},]+/g;

function toExpression(given: string): string {
  const pattern = given.replace(/^\.?\//, "").replace(/\/$/, "");
  const isClosed = (pattern.match(/\{/g)?.length ?? 0) === (pattern.match(/\}/g)?.length ?? 0);
  const meant: Readonly<Record<string, string>> = {
    "**/": "(?:.*/)?",
    "**": ".*",
    "*": "[^/]*",
    "?": "[^/]",
    ...(isClosed ? { "{": "(?:", "}": ")", ",": "|" } : {}),
  };
  const body = (pattern.match(tokens) ?? []).map((token) => meant[token] ?? RE2JS.quote(token)).join("");
  const anywhere = pattern.includes("/") ? "" : "(?:.*/)?";
  return `${anywhere}${body}(?:/.*)?`;
}
