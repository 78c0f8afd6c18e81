import { readHtml } from "../server/tools/web/extract/read-html.ts";
import { readSamples, type Sample } from "./extract/pages.ts";
import { peers, toText } from "./extract/peers.ts";
import { measureAccuracy, stripMarkdown, toWords, type Accuracy } from "./extract/words.ts";
import { SHORT_ARTICLE, toShortArticle } from "./extract/short-articles.ts";
import { createReport } from "./report.ts";

/**
 * `npm run eval:extract`: the word F1 of the main content and the time for a page, over all pages and by kind, with
 * Readability and Defuddle on the same pages in the same run. Each parses the page itself. Times are of warm code.
 * Our weights were fitted to the development pages of the benchmark: on those pages the figures of `extract/fit.ts`, which
 * measures on sites that it did not fit to, are the ones to believe.
 */
type Reading = { readonly text: string; readonly ms: number };
type ScoredPage = Accuracy & { readonly kind: string; readonly ms: number };
type Results = ReadonlyMap<string, readonly ScoredPage[]>;

const contestants: Readonly<Record<string, (sample: Sample) => Promise<Reading>>> = {
  ours: async ({ html, url }) => {
    const startedAt = performance.now();
    const { markdown } = readHtml(html, url);
    return { ms: performance.now() - startedAt, text: stripMarkdown(markdown) };
  },
  ...Object.fromEntries(
    Object.entries(peers).map(([name, extract]) => [
      name,
      async ({ html, url }: Sample) => {
        const startedAt = performance.now();
        // A page that it cannot read is a page without content.
        const content = await extract(html, url).catch(() => "");
        return { ms: performance.now() - startedAt, text: toText(content) };
      },
    ]),
  ),
};
const peerNames = Object.keys(peers);
const mean = (list: readonly number[]): number => list.reduce((sum, one) => sum + one, 0) / list.length;
const median = (list: readonly number[]): number => list.toSorted((a, b) => a - b)[list.length >> 1] ?? 0;

/** No kind more than .01 below the better peer, all together at least .02 above it. */
const kinds = ["article", "short-article", "collection", "documentation", "forum", "listing", "product", "service"];
const report = createReport({
  "extract.f1": { atLeast: 0.85 },
  "extract.f1.lead": { atLeast: 0.02 },
  ...Object.fromEntries(kinds.map((kind) => [`extract.f1.${kind}.lead`, { atLeast: -0.01 }])),
  "extract.ms": { atMost: 100 },
  "extract.time.vs-defuddle": { atMost: 1 },
});
const folder = report.find("pages");
if (folder !== undefined) {
  const all = await scoreAll(folder);
  addScores(all, "short-article", ({ kind }) => kind === SHORT_ARTICLE);
  const whole = [...all].map(([name, list]) => [name, list.filter(({ kind }) => kind !== SHORT_ARTICLE)] as const);
  const results = new Map(whole);
  const ours = results.get("ours") ?? [];
  addScores(results, "", () => true);
  for (const kind of [...new Set(ours.map((one) => one.kind))].sort())
    addScores(results, kind, (one) => one.kind === kind);
  for (const [name, list] of results) {
    const id = name === "ours" ? "extract.ms" : `extract.ms.${name}`;
    report.add({ id, value: median(list.map(({ ms }) => ms)), unit: "ms", n: list.length });
  }
  const defuddle = results.get("defuddle") ?? [];
  const ratio = median(ours.map(({ ms }) => ms)) / median(defuddle.map(({ ms }) => ms));
  report.add({ id: "extract.time.vs-defuddle", value: ratio, unit: "ratio", n: ours.length });
  report.print();
}

/** F1, precision and recall of pages of a kind, or of all: ours, each peer's, and how far our F1 is above the better of the peers. */
function addScores(results: Results, kind: string, belongs: (one: ScoredPage) => boolean): void {
  const n = (results.get("ours") ?? []).filter(belongs).length;
  for (const part of ["f1", "precision", "recall"] as const) {
    const id = `extract.${part}${kind === "" ? "" : `.${kind}`}`;
    const unit = part === "f1" ? "F1" : "share";
    const scoreOf = (name: string): number => mean((results.get(name) ?? []).filter(belongs).map((one) => one[part]));
    report.add({ id, value: scoreOf("ours"), unit, n });
    for (const name of peerNames) report.add({ id: `${id}.${name}`, value: scoreOf(name), unit, n });
    if (part !== "f1") continue;
    report.add({ id: `${id}.lead`, value: scoreOf("ours") - Math.max(...peerNames.map(scoreOf)), unit, n });
  }
}

async function scoreAll(pages: string): Promise<Results> {
  const results = new Map<string, ScoredPage[]>(Object.keys(contestants).map((name) => [name, []]));
  let skipped = 0;
  for (const sample of readSamples(pages, report.limit)) {
    if (sample.wanted.length === 0) {
      skipped += 1;
      continue;
    }
    const short = sample.kind === "article" ? toShortArticle(sample) : undefined;
    for (const one of [sample, ...(short ? [short] : [])])
      for (const [name, read] of Object.entries(contestants)) {
        const { text, ms } = await read(one);
        results.get(name)?.push({ kind: one.kind, ...measureAccuracy(toWords(text), one.wanted), ms });
      }
  }
  if (skipped > 0) console.log(`${skipped} pages skipped: their ground truth has no text.`);
  return results;
}
