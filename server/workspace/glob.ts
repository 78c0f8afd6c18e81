import { RE2JS } from "re2js";

export type Glob = (path: string) => boolean;

const LONGEST = 300;

/**
 * `**` over folders, `*` and `?` within a name, `{a,b}`, several divided by commas. Without a `/` any folder's names are meant,
 * and the name of a folder means what is inside it. In time linear in the path, whatever the pattern.
 */
export function toGlob(patterns: string): Glob {
  if (patterns.length > LONGEST) throw new Error(`A pattern of paths has at most ${LONGEST} characters.`);
  const all = splitList(patterns).map((pattern) => RE2JS.compile(toExpression(pattern.trim())));
  return (path) => all.some((one) => one.matcher(path).matches());
}

/** At commas that are not inside braces. */
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
