import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/**
 * Payloads that would run scripts or send requests if they were rendered as HTML. Ours are in test/fixtures. Collected ones are
 * read from outside the repository; without them the tests log that they were skipped.
 */
const own = JSON.parse(readFileSync(new URL("../../fixtures/hostile/forms.json", import.meta.url), "utf8")) as Readonly<
  Record<"scripts" | "leaks" | "diagrams" | "formulas", readonly string[]>
>;
const collected = new URL("../../../../shared/data/hostile/", import.meta.url);

/** `npm run test:deep` uses all payloads. */
export const isDeep = process.env["STONECHAT_DEEP"] === "1";

const withSite = (payloads: readonly string[], site: string): readonly string[] =>
  payloads.map((payload) => payload.replaceAll("{site}", site));

function readCollected(name: string): readonly unknown[] {
  const file = new URL(`${name}.json.gz`, collected);
  if (existsSync(file)) return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as unknown[];
  console.log(`skipped: ${name}, which is not available`);
  return [];
}

const isText = (payload: unknown): payload is string => typeof payload === "string" && payload.trim() !== "";

/** Every spelling of a URL, as an image, a link and HTML. */
function wrapUrls(): readonly string[] {
  const cases = readCollected("url-tests").flatMap((one) =>
    typeof one === "object" && one !== null && "input" in one && isText(one.input) ? [one.input] : [],
  );
  return [...cases, ...readCollected("ssrf-forms").filter(isText)].map(
    (url, index) => `![x](${url})\n\n[x](<${url}>) <img src="${url}"> ![x][a${index}]\n\n[a${index}]: ${url}\n\n${url}`,
  );
}

/** Every n-th payload. */
export const takeEvery = <T>(payloads: readonly T[], every: number): readonly T[] =>
  payloads.filter((_, index) => index % every === 0);

/** Our own payloads, enough for a control. */
export const listOwn = (site: string): readonly string[] => [
  ...withSite(own.scripts, site),
  ...withSite(own.leaks, site),
];
const listCollected = (): readonly string[] => [
  ...readCollected("xss").filter(isText),
  ...readCollected("naughty-strings").filter(isText),
  ...wrapUrls(),
];

/** Our own payloads and the collected ones; of the latter only every n-th unless deep. */
export function listPayloads(site: string, every = 120): readonly string[] {
  const others = listCollected();
  return [...listOwn(site), ...(isDeep ? others : takeEvery(others, every))];
}

export const listDiagrams = (site: string): readonly string[] => withSite(own.diagrams, site);
export const listFormulas = (site: string): readonly string[] => withSite(own.formulas, site);

/** Batches of about this size. Their number is rounded, because a batch costs as much as its payloads. */
export function inBatches<T>(payloads: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.max(1, Math.round(payloads.length / size));
  const even = Math.ceil(payloads.length / count);
  return Array.from({ length: count }, (_, index) => payloads.slice(index * even, (index + 1) * even)).filter(
    (batch) => batch.length > 0,
  );
}
