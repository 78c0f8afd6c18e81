import { cleanText } from "./text.ts";
import type { Child, Element } from "./tree.ts";
type Metadata = {
  readonly title: string | null;
  readonly author: string | null;
  /** ISO 8601 date or timestamp. */
  readonly date: string | null;
  readonly canonicalUrl: string | null;
  readonly lang: string | null;
  /** The page's declared types, from og:type and schema.org. */
  readonly types: string;
};

export function readMetadata(tree: Element, url: string): Metadata {
  const found = scan(tree);
  const meta = (...names: readonly string[]): string | undefined =>
    names.map((name) => found.metas.get(name)).find((value) => value !== undefined && value !== "");
  const claims = readClaims(found.scripts);
  const claimed = <K extends keyof Claim>(key: K): Claim[K] | undefined =>
    claims.find((claim) => claim[key] !== undefined)?.[key];
  return {
    title: toTitle([meta("og:title"), claimed("headline"), meta("twitter:title")], found.title, found.headings),
    author: toAuthor([
      claimed("author"),
      meta("author", "article:author", "dc.creator", "parsely-author", "sailthru.author"),
      ...found.bylines,
    ]),
    date: toDate([claimed("published"), meta(...dateMetas), ...found.times]),
    canonicalUrl: toCanonical([found.canonical, meta("og:url")], url),
    lang: cleanText(found.lang).slice(0, 35) || null,
    types: [meta("og:type") ?? "", ...claims.map(({ type }) => type), ...found.itemTypes].join(" "),
  };
}

const dateMetas = [
  "article:published_time",
  "og:article:published_time",
  "datepublished",
  "date",
  "pubdate",
  "publishdate",
  "publish-date",
  "publish_date",
  "dc.date",
  "dc.date.issued",
  "dcterms.created",
  "citation_publication_date",
  "parsely-pub-date",
  "sailthru.date",
];

type PageData = {
  title: string;
  lang: string;
  canonical: string | undefined;
  readonly metas: Map<string, string>;
  readonly scripts: string[];
  readonly headings: string[];
  readonly bylines: string[];
  readonly times: string[];
  readonly itemTypes: string[];
};

function scan(tree: Element): PageData {
  const found: PageData = {
    title: "",
    lang: "",
    canonical: undefined,
    metas: new Map(),
    scripts: [],
    headings: [],
    bylines: [],
    times: [],
    itemTypes: [],
  };
  const visit = (element: Element): void => {
    note(element, found);
    if (element.tag === "svg") return;
    for (const child of element.children) if (typeof child !== "string") visit(child);
  };
  visit(tree);
  return found;
}

function note(element: Element, found: PageData): void {
  const { tag, attributes } = element;
  const get = (name: string): string => attributes.get(name)?.trim() ?? "";
  if (tag === "html") found.lang = get("lang") || get("xml:lang");
  if (tag === "title" && found.title === "") found.title = cleanText(textOf(element));
  if (tag === "h1") found.headings.push(cleanText(textOf(element)));
  if (tag === "link" && /\bcanonical\b/i.test(get("rel"))) found.canonical ??= get("href");
  if (tag === "script" && /\bld\+json\b/.test(get("type"))) found.scripts.push(element.children.join(""));
  if (get("itemtype") !== "") found.itemTypes.push(get("itemtype").split("/").at(-1) ?? "");
  if (tag === "meta") {
    const name = (get("property") || get("name") || get("itemprop")).toLowerCase();
    if (name !== "" && !found.metas.has(name)) found.metas.set(name, cleanText(get("content")));
    return;
  }
  if (tag === "time" || /date(Published|Created)/.test(get("itemprop")))
    found.times.push(get("datetime") || get("content") || cleanText(textOf(element)));
  const isByline = get("itemprop") === "author" || get("rel") === "author" || bylineClass.test(get("class"));
  if (isByline && found.bylines.length < 20) found.bylines.push(cleanText(textOf(element)));
}

const bylineClass = /(^|[\s_-])(byline|author-?(name|link|title)?|post-?author|entry-?author|article-?author)($|\s)/i;

const textOf = (node: Child): string =>
  typeof node === "string"
    ? node
    : node.tag === "script" || node.tag === "style"
      ? ""
      : node.children.map(textOf).join(" ");

/** Removes the site's name before or after a bar or dash from the title. */
function toTitle(given: readonly (string | undefined)[], title: string, headings: readonly string[]): string | null {
  const whole = given.map((one) => cleanText(one ?? "")).find((one) => one !== "") ?? title;
  if (whole === "") return headings.find((heading) => heading !== "") ?? null;
  const heading = headings.find((one) => agrees(one, `${whole} ${title}`));
  if (heading !== undefined) return heading;
  const parts = whole.split(/\s[|–—·»:-]\s/).map((part) => part.trim());
  const longest = parts.reduce((best, part) => (part.length > best.length ? part : best), "");
  return parts.length > 1 && longest.split(" ").length >= 3 && longest.length * 2 > whole.length ? longest : whole;
}

/** A heading of at least two words, most of which are in the title. */
function agrees(heading: string, title: string): boolean {
  const words = heading.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const known = new Set(title.toLowerCase().match(/[\p{L}\p{N}]+/gu));
  return (
    words.length >= 2 && heading.length <= 200 && words.filter((word) => known.has(word)).length * 2 > words.length
  );
}

function toAuthor(candidates: readonly (string | undefined)[]): string | null {
  for (const candidate of candidates) {
    const name = cleanText(candidate ?? "")
      .replace(/^(written |posted |reviewed )?by:?\s+/i, "")
      .replace(/[|·•][^]*$| on \w{1,12}day\b[^]*$/, "")
      .replace(/^[\s,]+|(?<![\s,])[\s,]+$/g, "");
    if (name !== "" && name.length <= 80 && !/https?:|www\.|@\w+\.|^(admin|author|editor|staff|by)$/i.test(name))
      return name;
  }
  return null;
}

function toDate(candidates: readonly (string | undefined)[]): string | null {
  for (const candidate of candidates) {
    const text = cleanText(candidate ?? "").replace(/([+-]\d\d)(\d\d)$/, "$1:$2");
    const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0];
    const moment = day === undefined ? parseDate(text) : text;
    if (moment === undefined || Number.isNaN(Date.parse(moment.slice(0, 10)))) continue;
    return moment.length === 10 || Number.isNaN(Date.parse(moment)) ? moment.slice(0, 10) : moment;
  }
  return null;
}

/** Parses dates in words, such as "March 5, 2025". Ignores ambiguous forms such as 3/5/2025. */
function parseDate(text: string): string | undefined {
  if (text.length > 60 || !/\b(19|20)\d\d\b/.test(text) || !/[a-z]{3}/i.test(text)) return undefined;
  const at = Date.parse(`${text.replace(/\b(\d+)(st|nd|rd|th)\b/i, "$1").replace(/\sat\s[^]*$/i, "")} UTC`);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString().slice(0, 10);
}

function toCanonical(candidates: readonly (string | undefined)[], url: string): string | null {
  for (const candidate of candidates) {
    const target =
      candidate === undefined || candidate === "" ? null : URL.parse(candidate, URL.canParse(url) ? url : undefined);
    if (target !== null && /^https?:$/.test(target.protocol)) return target.href;
  }
  return null;
}

/** The metadata of one JSON-LD object. */
type Claim = {
  readonly type: string;
  readonly headline?: string | undefined;
  readonly author?: string | undefined;
  readonly published?: string | undefined;
};

const maxThings = 500;

/** Reads JSON-LD and skips invalid blocks. Articles come first. */
function readClaims(scripts: readonly string[]): readonly Claim[] {
  const things = scripts.map(parse);
  const claims: Claim[] = [];
  for (let at = 0; at < things.length && at < maxThings; at += 1) {
    const thing = things[at];
    if (Array.isArray(thing)) things.push(...thing.slice(0, maxThings));
    if (!isRecord(thing)) continue;
    const type = [thing["@type"]]
      .flat()
      .filter((one) => typeof one === "string")
      .join(" ");
    const { headline, author, creator, datePublished, uploadDate } = thing;
    claims.push({
      type,
      headline: isArticle(type) ? toText(headline) : undefined,
      author: isSite(type) ? undefined : toNames(author ?? creator),
      published: isSite(type) ? undefined : (toText(datePublished) ?? toText(uploadDate)),
    });
    things.push(thing["@graph"], thing["mainEntity"], thing["mainEntityOfPage"]);
  }
  return claims.sort((a, b) => Number(isArticle(b.type)) - Number(isArticle(a.type)));
}

const isArticle = (type: string): boolean => /Article|Posting|Report|Review/.test(type);
const isSite = (type: string): boolean => /WebSite|Organization|Breadcrumb|Person/.test(type);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const toText = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);

function toNames(value: unknown): string | undefined {
  const names = [value].flat().flatMap((one) => toText(isRecord(one) ? one["name"] : one) ?? []);
  return names.length === 0 ? undefined : names.slice(0, 5).join(", ");
}
