import type { Box } from "./layout.ts";

/** What authors call the parts of a page, in class, id and role. Each is a bit. */
const patterns: Readonly<Record<string, RegExp>> = {
  navigation: /nav(?!y)|menu|breadcrumb|crumb|paginat|pager|toolbar|\btabs?\b|skip-?link/,
  footer: /foot(er|\b)|copyright|legal|colophon|disclaimer/,
  sidebar: /side-?bar|aside|\brail\b|widget|secondary|complementary|\bside\b/,
  related:
    /relat|recommend|read-?(more|next)|suggest|trending|popular|similar|upsell|cross-?sell|may-?also|most-?read|more-(from|stories|posts|in)|latest|up-next/,
  social: /shar(e|ing)|social|follow|addtoany|facebook|twitter/,
  comment: /comment|disqus|repl(y|ies)|respond/,
  promotion:
    /\bads?\b|\bad-|advert|sponsor|promo|banner|\bcta\b|call-to-action|newsletter|subscri|sign-?up|paywall|outbrain|taboola|donat/,
  overlay: /cookie|consent|gdpr|modal|pop-?up|overlay|lightbox|dialog|drawer|off-?canvas|toast|tooltip|dropdown|mega/,
  byline: /meta|by-?line|author|\bdate|posted|timestamp|reading-?time|avatar|\bbio\b|profile|signature/,
  label: /\btags?\b|categor|badge|\blabel|topics?\b|keyword/,
  header: /header|masthead|top-?bar|logo|brand|search|log-?in|account|\bcart\b|utility/,
  contents: /\btoc\b|table-?of-?contents|on-this-page/,
  content:
    /content|article|\bpost|entry|story|\bblog|markdown|prose|rich-?text|\brte\b|wysiwyg|description|\btext\b|\bcopy\b/,
  main: /main|primary|page-?body|article-?body|post-?body|entry-?content|post-?content|article-?content/,
  product: /product|price|\bspecs?\b|specification|detail|feature|ingredient|\bsku\b/,
  card: /card|grid|tile|result|item|\blist\b|listing|collection|teaser|carousel|slider|swiper/,
  thread: /thread|message|topic|question|answer|post-?body|discussion|forum|comment-?body|\bmd\b/,
  review: /review|rating|testimonial|quote/,
  faq: /faq|accordion|collaps|toggle|expand/,
  form: /form|filter|sort|facet|refine|select|input|button|btn/,
};
export const hintNames = Object.keys(patterns);
const entries = Object.values(patterns);

const known = new Map<string, number>();

export function readHints({ element, tag }: Box): number {
  const { attributes } = element;
  if (attributes.size === 0 || tag === "body" || tag === "html") return 0;
  const names = `${attributes.get("class") ?? ""} ${attributes.get("id") ?? ""} ${attributes.get("role") ?? ""} ${attributes.get("data-testid") ?? ""}`;
  if (names.length < 5) return 0;
  const before = known.get(names);
  if (before !== undefined) return before;
  const text = names
    .slice(0, 300)
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();
  let bits = 0;
  for (const [index, pattern] of entries.entries()) if (pattern.test(text)) bits |= 1 << index;
  if (known.size > 20_000) known.clear();
  known.set(names, bits);
  return bits;
}
