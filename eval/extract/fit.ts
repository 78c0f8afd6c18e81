import { writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { layOut } from "../../server/tools/web/extract/layout.ts";
import { parseTree } from "../../server/tools/web/extract/tree.ts";
import { chooseBy, isArticle } from "../../server/tools/web/extract/choose.ts";
import { measureRuns } from "../../server/tools/web/extract/features.ts";
import { forestFiles, printForest, type Forests } from "../../server/tools/web/extract/forest.ts";
import { survey, type Survey } from "../../server/tools/web/extract/survey.ts";
import { readMetadata } from "../../server/tools/web/extract/metadata.ts";
import { growForest, type Rows, type Settings } from "./boost.ts";
import { labelRuns } from "./label.ts";
import { readSamples, type Sample } from "./pages.ts";
import { SHORT_ARTICLE as SHORT, toShortArticle } from "./short-articles.ts";
import { measureAccuracy, toWords, type Accuracy } from "./words.ts";

/**
 * Fits the weights of the extractor to labeled pages, and to the same articles cut short. Prints the accuracy on sites that were not
 * used for the fit (five-fold cross-validation by site). `--write` then fits to all sites and writes the weights.
 */
const { values } = parseArgs({
  options: {
    data: { type: "string", default: join(import.meta.dirname, "../../../shared/data") },
    folds: { type: "string", default: "5" },
    salt: { type: "string", default: "" },
    set: { type: "string", multiple: true, default: [] },
    /** The weight of a shortened article, relative to a full page. */
    short: { type: "string", default: "0.5" },
    write: { type: "boolean", default: false },
  },
});
const settings: Settings = {
  trees: 250,
  depth: 3,
  rate: 0.1,
  features: 0.3,
  rows: 0.8,
  least: 50,
  smoothing: 5,
  ...Object.fromEntries(values.set.map((pair) => pair.split("=")).map(([name, value]) => [name, Number(value)])),
};

const share = Number(values.short);

type PreparedPage = {
  readonly sample: Sample;
  readonly page: Survey;
  readonly words: readonly (readonly string[])[];
  readonly rows: readonly Float32Array[];
  readonly labels: readonly number[];
};

const listPages = (sample: Sample): readonly PreparedPage[] => {
  const short = sample.kind === "article" ? toShortArticle(sample) : undefined;
  return [sample, ...(short ? [short] : [])].map(prepare);
};

function prepare(sample: Sample): PreparedPage {
  const tree = parseTree(sample.html);
  const layout = layOut(tree);
  const { title, types } = readMetadata(tree, sample.url);
  const page = survey(layout, { title: title ?? "", types });
  const texts = layout.runs.map(({ text }) => text);
  return {
    sample,
    page,
    words: texts.map(toWords),
    rows: measureRuns(page),
    labels: labelRuns(texts, sample.content),
  };
}

/** Every page has about the same say, and in it a run by its words. Pages whose content is not in their HTML have none. */
function toRows(pages: readonly PreparedPage[]): Rows {
  const usable = pages.filter((page) => scoreOracle(page).f1 > 0.3);
  return {
    values: usable.flatMap(({ rows }) => rows),
    labels: usable.flatMap(({ labels }) => labels),
    weights: usable.flatMap(({ words, sample }) => {
      const own = words.map((run) => Math.min(1, (run.length + 1) / (sample.wanted.length + 30)));
      const total = own.reduce((sum, weight) => sum + weight, 0);
      const say = sample.kind === SHORT ? share : 1;
      return own.map((weight) => (100 * say * weight) / Math.max(1, total / 3));
    }),
  };
}

const scoreKept = ({ words, sample }: PreparedPage, kept: readonly boolean[]): Accuracy =>
  measureAccuracy(words.filter((_, index) => kept[index]).flat(), sample.wanted);
const scoreOracle = (page: PreparedPage): Accuracy =>
  scoreKept(
    page,
    page.labels.map((label) => label > 0.5),
  );
const isClaimed = ({ page }: PreparedPage): boolean => isArticle(page);
const grow = (all: readonly PreparedPage[]): Forests => ({
  any: growForest(toRows(all.filter(({ sample }) => sample.kind !== SHORT)), settings),
  article: growForest(toRows(all.filter(isClaimed)), settings),
});
const score = (prepared: PreparedPage, forests: Forests): Accuracy =>
  scoreKept(prepared, chooseBy(forests, prepared.page, prepared.rows));

const folds = Number(values.folds);
const foldOf = ({ sample }: PreparedPage): number =>
  createHash("sha256")
    .update(values.salt + sample.site)
    .digest()
    .readUInt32BE() % folds;
const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;

const pages = [...readSamples(join(values.data, "pages"))].filter(({ wanted }) => wanted.length > 0).flatMap(listPages);
const scores = new Map<string, Accuracy[]>();
for (let fold = 0; fold < folds; fold += 1) {
  const forests = grow(pages.filter((page) => foldOf(page) !== fold));
  for (const page of pages.filter((one) => foldOf(one) === fold))
    for (const key of page.sample.kind === SHORT ? [SHORT] : ["all", page.sample.kind])
      scores.set(key, [...(scores.get(key) ?? []), score(page, forests)]);
}
for (const [kind, list] of [...scores].sort())
  console.log(
    kind.padEnd(14),
    ...(["f1", "precision", "recall"] as const).map(
      (name) => `${name} ${mean(list.map((one) => one[name])).toFixed(4)}`,
    ),
    list.length,
  );
if (values.write) {
  const forests = grow(pages);
  for (const name of ["any", "article"] as const)
    writeFileSync(
      join(import.meta.dirname, "../../server/tools/web/extract", forestFiles[name]),
      printForest(forests[name]),
    );
  const f1 = mean(pages.map((page) => score(page, forests).f1));
  console.log(`written; on the pages it was fitted to ${f1.toFixed(4)}`);
}
