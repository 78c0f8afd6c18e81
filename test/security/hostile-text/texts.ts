/** Texts that made an earlier version hang or slow down, and the shapes that make careless patterns do so, each at any length. */
export type HostileText = { readonly name: string; readonly make: (length: number) => string };

const repeat =
  (piece: string, before = "", after = ""): HostileText["make"] =>
  (length) =>
    before + piece.repeat(Math.max(1, Math.floor((length - before.length - after.length) / piece.length))) + after;

/** The same text each time, without any pattern. */
const noise =
  (first: number, count: number): HostileText["make"] =>
  (length) => {
    let seed = 7;
    const draw = (): number => (seed = (seed * 48_271) % 0x7fffffff);
    return Array.from({ length }, () => String.fromCharCode(first + (draw() % count))).join("");
  };

export const hostileTexts: readonly HostileText[] = [
  { name: "an identifier that never ends", make: repeat("a_", "token = ", "=") },
  { name: "a wrapped token that never ends", make: repeat("abcd\n\n", 'password = "abcdefgh', '!"') },
  { name: "dot leaders", make: repeat(".", "Chapter one ", " 12") },
  { name: "question marks", make: repeat("?", "really", " yes") },
  { name: "exclamation marks", make: repeat("!", "", "x") },
  { name: "empty comments", make: repeat("<!---->") },
  { name: "open comments", make: repeat("<!--") },
  { name: "spaces", make: repeat(" ", "remember", "\nx") },
  { name: "tabs and a colon", make: repeat("\t", "user-agent", "\u000bx") },
  { name: "newlines", make: repeat("\n", "a", "b") },
  { name: "one long word", make: repeat("a") },
  { name: "digits", make: repeat("0", "", "x") },
  { name: "digits and separators", make: repeat("0,", "", "x") },
  { name: "capital words", make: repeat("Aa ", "", "1") },
  { name: "open brackets", make: repeat("[") },
  { name: "open links", make: repeat("[a](") },
  { name: "pictures", make: repeat("![](") },
  { name: "backticks", make: repeat("`", "", "x") },
  { name: "separated backticks", make: repeat("`a``", "", "x") },
  { name: "fences", make: repeat("```\n") },
  { name: "tags", make: repeat("<a ") },
  { name: "quotation marks", make: repeat('"') },
  { name: "backslashes", make: repeat("\\", "token: ", "x") },
  { name: "slashes", make: repeat("/a", "http://x") },
  { name: "addresses", make: repeat("a@", "", "!") },
  { name: "dotted names", make: repeat("a.", "www.", "!") },
  { name: "hyphens", make: repeat("-", "", "x") },
  { name: "underscores and letters", make: repeat("_A", "A") },
  { name: "braces", make: repeat("{") },
  { name: "keys", make: repeat("api_key=") },
  { name: "assignments", make: repeat("password: ") },
  { name: "keys of vendors", make: repeat("sk-ant-api03-") },
  { name: "private keys", make: repeat("-----BEGIN PRIVATE KEY-----\n") },
  { name: "Chinese courtesies", make: repeat("你能不能", "", "x") },
  { name: "courtesies", make: repeat("please ", "", "x") },
  { name: "words and full stops", make: repeat("St. ", "", "x") },
  { name: "emoji", make: repeat("👩‍👩‍👧") },
  { name: "combining marks", make: repeat("\u0301", "e") },
  { name: "percent escapes", make: repeat("%41") },
  { name: "stars", make: repeat("*a", "allow: /", "$") },
  { name: "table bars", make: repeat("|-", "", "x") },
  { name: "headings", make: repeat("# ") },
  { name: "Chinese without meaning", make: noise(0x4e00, 20_000) },
  { name: "characters of nobody", make: noise(0xe000, 6_000) },
  { name: "one word without meaning", make: noise(0x61, 26) },
  { name: "signs without meaning", make: noise(0x21, 15) },
  { name: "dollar signs", make: repeat("$a", "", "\\") },
];
