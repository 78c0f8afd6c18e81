import type { Forest, Tree } from "../../server/tools/web/extract/forest.ts";

/** Gradient boosting of small trees for a chance, on values that are sorted into at most `bins` bins. */
export type Rows = {
  readonly values: readonly Float32Array[];
  /** The share of the run that is content. */
  readonly labels: readonly number[];
  readonly weights: readonly number[];
};
export type Settings = {
  readonly trees: number;
  readonly depth: number;
  readonly rate: number;
  /** The share of features, and of rows, that a tree sees. */
  readonly features: number;
  readonly rows: number;
  /** The least certainty on either side of a split. */
  readonly least: number;
  readonly smoothing: number;
};
const bins = 48;

export function growForest({ values, labels, weights }: Rows, settings: Settings, seed = 1): Forest {
  const width = values[0]?.length ?? 0;
  const count = values.length;
  const edges = Array.from({ length: width }, (_, feature) => findEdges(values, feature));
  const columns = edges.map((list, feature) => Uint8Array.from(values, (row) => binOf(list, row[feature] ?? 0)));
  const random = createRandom(seed);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const positive = weights.reduce((sum, weight, index) => sum + weight * (labels[index] ?? 0), 0);
  const start = Math.log(positive / (total - positive));
  const scores = new Float64Array(count).fill(start);
  const slopes = new Float64Array(count);
  const bends = new Float64Array(count);
  const trees: Tree[] = [];
  for (let number = 0; number < settings.trees; number += 1) {
    for (let index = 0; index < count; index += 1) {
      const chance = 1 / (1 + Math.exp(-(scores[index] ?? 0)));
      slopes[index] = (weights[index] ?? 0) * (chance - (labels[index] ?? 0));
      bends[index] = (weights[index] ?? 0) * Math.max(1e-6, chance * (1 - chance));
    }
    const seen = edges.flatMap((list, feature) => (list.length > 0 && random() < settings.features ? [feature] : []));
    const rows = Uint32Array.from({ length: count }, (_, index) => index).filter(() => random() < settings.rows);
    const node = grow({ edges, columns, slopes, bends, seen, settings }, rows, settings.depth);
    for (let index = 0; index < count; index += 1) scores[index] = (scores[index] ?? 0) + answer(node, columns, index);
    trees.push(toTree(node));
  }
  return { start, trees };
}

/** The same numbers for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function findEdges(values: readonly Float32Array[], feature: number): readonly number[] {
  const sorted = Float32Array.from(values, (row) => row[feature] ?? 0).sort();
  const distinct = [...new Set(sorted)];
  if (distinct.length <= bins) return distinct.slice(1);
  const cuts = Array.from(
    { length: bins - 1 },
    (_, cut) => sorted[Math.floor(((cut + 1) * sorted.length) / bins)] ?? 0,
  );
  return [...new Set(cuts)].filter((edge) => edge !== sorted[0]);
}

/** How many edges are not above the value. */
function binOf(edges: readonly number[], value: number): number {
  let [low, high] = [0, edges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (value >= (edges[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Node = number | { feature: number; bin: number; threshold: number; below: Node; rest: Node };
type Growing = {
  readonly edges: readonly (readonly number[])[];
  readonly columns: readonly Uint8Array[];
  readonly slopes: Float64Array;
  readonly bends: Float64Array;
  readonly seen: readonly number[];
  readonly settings: Settings;
};

function grow(growing: Growing, rows: Uint32Array, depth: number): Node {
  const { edges, columns, slopes, bends, seen, settings } = growing;
  let [slope, bend] = [0, 0];
  for (const row of rows) {
    slope += slopes[row] ?? 0;
    bend += bends[row] ?? 0;
  }
  const leaf = (-settings.rate * slope) / (bend + settings.smoothing);
  if (depth === 0 || bend < 2 * settings.least) return leaf;
  const worth = (g: number, h: number): number => (g * g) / (h + settings.smoothing);
  let [best, feature, bin] = [1e-4, -1, 0];
  for (const candidate of seen) {
    const { gradients, certainties } = sumBins(growing, rows, candidate);
    let [g, h] = [0, 0];
    for (let at = 0; at < gradients.length - 1; at += 1) {
      g += gradients[at] ?? 0;
      h += certainties[at] ?? 0;
      if (h < settings.least || bend - h < settings.least) continue;
      const gain = worth(g, h) + worth(slope - g, bend - h) - worth(slope, bend);
      if (gain > best) [best, feature, bin] = [gain, candidate, at];
    }
  }
  const column = columns[feature];
  if (column === undefined) return leaf;
  return {
    feature,
    bin,
    threshold: edges[feature]?.[bin] ?? 0,
    below: grow(
      growing,
      rows.filter((row) => (column[row] ?? 0) <= bin),
      depth - 1,
    ),
    rest: grow(
      growing,
      rows.filter((row) => (column[row] ?? 0) > bin),
      depth - 1,
    ),
  };
}

function sumBins({ edges, columns, slopes, bends }: Growing, rows: Uint32Array, feature: number) {
  const gradients = new Float64Array((edges[feature]?.length ?? 0) + 1);
  const certainties = new Float64Array(gradients.length);
  const column = columns[feature] ?? new Uint8Array();
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    const bin = column[row] as number;
    (gradients[bin] as number) += slopes[row] as number;
    (certainties[bin] as number) += bends[row] as number;
  }
  return { gradients, certainties };
}

function answer(node: Node, columns: readonly Uint8Array[], row: number): number {
  let at = node;
  while (typeof at !== "number") at = (columns[at.feature]?.[row] ?? 0) <= at.bin ? at.below : at.rest;
  return at;
}

const toTree = (node: Node): Tree =>
  typeof node === "number"
    ? node
    : { feature: node.feature, threshold: node.threshold, below: toTree(node.below), rest: toTree(node.rest) };
