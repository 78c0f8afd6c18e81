import { existsSync, readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/**
 * Texts that would run something or ask another site for something, were they drawn as more than text. Ours stand in
 * test/fixtures; collected ones are read beside the project where they are, and whoever has none is told so.
 */
const own = JSON.parse(readFileSync(new URL("../../fixtures/hostile/forms.json", import.meta.url), "utf8")) as Readonly<
  Record<"scripts" | "leaks" | "diagrams" | "formulas", readonly string[]>
>;
const collected = new URL("../../../../shared/data/hostile/", import.meta.url);

/** All of it only in `npm run test:deep`. */
export const isDeep = process.env["STONECHAT_DEEP"] === "1";

const aimAt = (forms: readonly string[], site: string): readonly string[] =>
  forms.map((form) => form.replaceAll("{site}", site));

function readCollected(name: string): readonly unknown[] {
  const file = new URL(`${name}.json.gz`, collected);
  if (existsSync(file)) return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8")) as unknown[];
  console.log(`skipped: ${name}, which is not beside the project`);
  return [];
}

const isText = (form: unknown): form is string => typeof form === "string" && form.trim() !== "";

/** Every way that an address is spelled, as a picture, as a link and as markup. */
function wrapAddresses(): readonly string[] {
  const cases = readCollected("url-tests").flatMap((one) =>
    typeof one === "object" && one !== null && "input" in one && isText(one.input) ? [one.input] : [],
  );
  return [...cases, ...readCollected("ssrf-forms").filter(isText)].map(
    (url, index) => `![x](${url})\n\n[x](<${url}>) <img src="${url}"> ![x][a${index}]\n\n[a${index}]: ${url}\n\n${url}`,
  );
}

/** One of `every` of them, spread over the whole list. */
export const takeEvery = <T>(forms: readonly T[], every: number): readonly T[] =>
  forms.filter((_, index) => index % every === 0);

/** Those of ours alone: enough for a control. */
export const listOwn = (site: string): readonly string[] => [...aimAt(own.scripts, site), ...aimAt(own.leaks, site)];
const found = (): readonly string[] => [
  ...readCollected("xss").filter(isText),
  ...readCollected("naughty-strings").filter(isText),
  ...wrapAddresses(),
];

/** Ours and the collected ones; without the deep test every `every`-th of the latter. */
export function listForms(site: string, every = 120): readonly string[] {
  const others = found();
  return [...listOwn(site), ...(isDeep ? others : takeEvery(others, every))];
}

export const listDiagrams = (site: string): readonly string[] => aimAt(own.diagrams, site);
export const listFormulas = (site: string): readonly string[] => aimAt(own.formulas, site);

export const inBatches = <T>(forms: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(forms.length / size) }, (_, index) => forms.slice(index * size, (index + 1) * size));
