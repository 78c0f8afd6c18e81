/** `// ... keep existing code (what it is)`, in the comment styles of common languages. */
const comments: readonly RegExp[] = [
  /^\{\s*\/\*(.*)\*\/\s*\}$/,
  /^\/\*+((?:[^*].*)?)\*\/$/,
  /^<!--(.*)-->$/,
  /^\{\/\*(.*)\*\/\}$/,
  /^\/\/+((?:[^/].*)?)$/,
  /^#+((?:[^#].*)?)$/,
  /^--+((?:[^-].*)?)$/,
  /^;+((?:[^;].*)?)$/,
  /^%+((?:[^%].*)?)$/,
  /^"""(.*)"""$/,
];

const DOTS = /^(?:\.\.|…)|(?:\.\.|…)$/;
const KEEPS =
  /\b(?:keep(?:s|ing)?\s+(?:the\s+)?(?:existing|rest|remaining|other|previous|original)|existing\s+(?:code|content|imports?|styles?|props|functions?|state|logic|markup|routes|rules)|(?:the\s+)?rest\s+of\s+(?:the\s+|this\s+|your\s+)?\w+|remaining\s+(?:code|content|lines|part|functions?)|(?:previous|original|unchanged|other)\s+code|(?:remains?|stays?|is|are)\s+(?:the\s+same|unchanged|as\s+before)|unchanged)\b/i;

/** In prose such a line is an example. */
const isProse = (path: string): boolean => /\.(?:md|mdx|markdown|txt|rst|adoc)$/i.test(path);

/** Whether a line is a marker for unchanged lines of the file. */
export function isMarker(line: string, path: string): boolean {
  if (isProse(path)) return false;
  const inside = toComment(line.trim());
  if (inside === undefined) return false;
  const text = inside.trim();
  if (/^(?:\.{3}|…)$/.test(text)) return true;
  return KEEPS.test(text) && (DOTS.test(text) || /^\(?keep\b/i.test(text));
}

function toComment(line: string): string | undefined {
  if (line.length > 300) return undefined;
  for (const pattern of comments) {
    const inside = pattern.exec(line)?.[1];
    if (inside !== undefined) return inside;
  }
  return undefined;
}
