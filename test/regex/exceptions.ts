/** Expressions that the checker rejects but whose input is short: the expression, and why its input is short. */
export const exceptions: ReadonlyMap<string, string> = new Map([
  [
    String.raw`/<meta\b[^>]*?\bcharset\s*=\s*["']?\s*([\w:.-]+)/i`,
    "server/net/to-text.ts reads the first MARK_BYTES of a page.",
  ],
]);

/** Files that build expressions from input in a function, with every special character escaped. */
export const builtFromEscaped: ReadonlySet<string> = new Set([
  // Words of a search, escaped, joined as alternatives.
  "web/lib/marks.ts",
  // Words of a passage, escaped, with bounded gaps between them.
  "web/sources/passage.ts",
]);

/**
 * The offline model truncates requests to REQUEST_CHARACTERS before these files see them: only exponential time counts.
 */
const shortInputs = ["builder", "commands", "intents", "memory", "project"].map(
  (name) => `server/model/offline/${name}.ts`,
);
export const isShortInput = (place: string): boolean => shortInputs.some((file) => place.startsWith(`${file}:`));
