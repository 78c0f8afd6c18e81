import type { Box } from "./layout.ts";

/** Common names of page parts in class, id and role. Each is one bit of the result of `createHints`. */
const patterns = {
  navigation: /nav(?!y)|menu|breadcrumb|crumb|paginat|pager|toolbar|\btabs?\b|skip-?link/,
  footer: /foot(er|\b)|copyright|legal|colophon|disclaimer/,
  sidebar: /side-?bar|aside|\brail\b|widget|secondary|complementary|\bside\b/,
  comment: /comment|disqus|repl(y|ies)|respond/,
  promotion:
    /\bads?\b|\bad-|advert|sponsor|promo|banner|\bcta\b|call-to-action|newsletter|subscri|sign-?up|paywall|outbrain|taboola|donat/,
  overlay: /cookie|consent|gdpr|modal|pop-?up|overlay|lightbox|dialog|drawer|off-?canvas|toast|tooltip|dropdown|mega/,
  header: /header|masthead|top-?bar|logo|brand|search|log-?in|account|\bcart\b|utility/,
  contents: /\btoc\b|table-?of-?contents|on-this-page/,
  content:
    /content|article|\bpost|entry|story|\bblog|markdown|prose|rich-?text|\brte\b|wysiwyg|description|\btext\b|\bcopy\b/,
  main: /main|primary|page-?body|article-?body|post-?body|entry-?content|post-?content|article-?content/,
} as const;
export const hintNames = Object.keys(patterns) as readonly (keyof typeof patterns)[];

const toBit = (name: keyof typeof patterns): number => 1 << hintNames.indexOf(name);

/** Some pages have long lists of utility classes; the relevant names come first. */
const maxNameLength = 300;

export function createHints(): (box: Box) => number {
  const known = new Map<string, number>();
  return ({ element: { attributes }, tag }) => {
    if (attributes.size === 0 || tag === "body" || tag === "html") return 0;
    const names = ["class", "id", "role", "data-testid"].map((name) => attributes.get(name) ?? "").join(" ");
    const found = known.get(names);
    if (found !== undefined) return found;
    const bits = match(names);
    known.set(names, bits);
    return bits;
  };
}

function match(names: string): number {
  const text = names
    .slice(0, maxNameLength)
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
  let bits = 0;
  for (const name of hintNames) if (patterns[name].test(text)) bits |= toBit(name);
  return bits;
}
