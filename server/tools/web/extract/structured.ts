/** What one thing in a page's JSON-LD says about itself. */
export type Claim = {
  readonly type: string;
  readonly headline?: string | undefined;
  readonly author?: string | undefined;
  readonly published?: string | undefined;
};

const maxThings = 500;

/** Reads JSON-LD; what cannot be parsed is not there. Articles come before other things. */
export function readClaims(scripts: readonly string[]): readonly Claim[] {
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
