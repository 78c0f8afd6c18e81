import { readHtml } from "../server/tools/web/extract/read-html.ts";
import { readSamples, type Sample } from "./extract/pages.ts";
import { peers, toText } from "./extract/peers.ts";
import { measureAccuracy, stripMarkdown, toWords, type Accuracy } from "./extract/words.ts";
import { createReport } from "./report.ts";

/**
 * `npm run eval:extract`: the word F1 of the main content and the time for a page, over all pages and by kind, with
 * Readability and Defuddle on the same pages in the same run. Each parses the page itself. Times are of warm code.
 * Our weights were fitted to the development pages of the benchmark: on those pages the figures of `extract/fit.ts`, which
 * measures on sites that it did not fit to, are the ones to believe.
 */
type Reading = { readonly text: string; readonly ms: number };
type Scored = Accuracy & { readonly kind: string; readonly ms: number };

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
const kinds = ["article", "collection", "documentation", "forum", "listing", "product", "service"];
const report = createReport({
  "extract.f1": { atLeast: 0.85 },
  "extract.f1.lead": { atLeast: 0.02 },
  ...Object.fromEntries(kinds.map((kind) => [`extract.f1.${kind}.lead`, { atLeast: -0.01 }])),
  "extract.ms": { atMost: 100 },
  "extract.time.vs-defuddle": { atMost: 1 },
});
const folder = report.find("pages");
if (folder !== undefined) {
  const results = await scoreAll(folder);
  const ours = results.get("ours") ?? [];
  addScores("extract.f1", () => true);
  for (const kind of [...new Set(ours.map((one) => one.kind))].sort())
    addScores(`extract.f1.${kind}`, (one) => one.kind === kind);
  for (const [name, list] of results)
    for (const part of ["precision", "recall"] as const) {
      const id = name === "ours" ? `extract.${part}` : `extract.${part}.${name}`;
      report.add({ id, value: mean(list.map((one) => one[part])), unit: "share", n: list.length });
    }
  for (const [name, list] of results) {
    const id = name === "ours" ? "extract.ms" : `extract.ms.${name}`;
    report.add({ id, value: median(list.map(({ ms }) => ms)), unit: "ms", n: list.length });
  }
  const defuddle = results.get("defuddle") ?? [];
  const ratio = median(ours.map(({ ms }) => ms)) / median(defuddle.map(({ ms }) => ms));
  report.add({ id: "extract.time.vs-defuddle", value: ratio, unit: "ratio", n: ours.length });
  report.print();

  /** Ours, each peer's, and how far ours is above the better of the peers. */
  function addScores(id: string, belongs: (one: Scored) => boolean): void {
    const scoreOf = (name: string): number => mean((results.get(name) ?? []).filter(belongs).map(({ f1 }) => f1));
    const n = ours.filter(belongs).length;
    report.add({ id, value: scoreOf("ours"), unit: "F1", n });
    for (const name of peerNames) report.add({ id: `${id}.${name}`, value: scoreOf(name), unit: "F1", n });
    const best = Math.max(...peerNames.map(scoreOf));
    report.add({ id: `${id}.lead`, value: scoreOf("ours") - best, unit: "F1", n });
  }
}

async function scoreAll(pages: string): Promise<ReadonlyMap<string, readonly Scored[]>> {
  const results = new Map<string, Scored[]>(Object.keys(contestants).map((name) => [name, []]));
  let skipped = 0;
  for (const sample of readSamples(pages, report.limit)) {
    if (sample.wanted.length === 0) {
      skipped += 1;
      continue;
    }
    for (const [name, read] of Object.entries(contestants)) {
      const { text, ms } = await read(sample);
      results.get(name)?.push({ kind: sample.kind, ...measureAccuracy(toWords(text), sample.wanted), ms });
    }
  }
  if (skipped > 0) console.log(`${skipped} pages skipped: their ground truth has no text.`);
  return results;
}
