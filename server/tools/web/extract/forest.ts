import { readFileSync } from "node:fs";
import { featureNames } from "./features.ts";

/**
 * The weights: small decision trees whose leaves add up to the log odds that a run is main content, fitted by
 * eval/extract/fit.ts to the development pages of WCXB (CC BY 4.0). Each line is a tree in prefix order: `feature<threshold`,
 * the subtree for smaller values, the subtree for the rest; a bare number is a leaf. The first line is the base value.
 */
export type Tree =
  | number
  | { readonly feature: number; readonly threshold: number; readonly below: Tree; readonly rest: Tree };
export type Forest = { readonly start: number; readonly trees: readonly Tree[] };

/** `any` is fitted to all pages; `article` to pages that declare themselves articles, including truncated ones. */
export type Forests = { readonly any: Forest; readonly article: Forest };

export const forestFiles = { any: "forest.txt", article: "article-forest.txt" } as const;

export const readForests = (): Forests => ({
  any: readForest(forestFiles.any),
  article: readForest(forestFiles.article),
});

function readForest(file: string): Forest {
  const [start = "", ...lines] = readFileSync(new URL(file, import.meta.url), "utf8")
    .trim()
    .split("\n");
  return { start: toNumber(start), trees: lines.map(parseTree) };
}

export function weigh({ start, trees }: Forest, row: Float32Array): number {
  let total = start;
  for (const tree of trees) {
    let node = tree;
    while (typeof node !== "number") node = (row[node.feature] ?? 0) < node.threshold ? node.below : node.rest;
    total += node;
  }
  return total;
}

export function printForest({ start, trees }: Forest): string {
  const print = (tree: Tree): string =>
    typeof tree === "number"
      ? toText(tree)
      : `${featureNames[tree.feature] ?? ""}<${toText(tree.threshold)} ${print(tree.below)} ${print(tree.rest)}`;
  return `${[start, ...trees].map(print).join("\n")}\n`;
}

const toText = (value: number): string => String(Number(value.toPrecision(4)));

function parseTree(line: string): Tree {
  const tokens = line.split(" ").values();
  const parse = (): Tree => {
    const token = tokens.next().value ?? "";
    const [name = "", threshold] = token.split("<");
    if (threshold === undefined) return toNumber(token);
    const feature = featureNames.indexOf(name);
    if (feature < 0) throw new Error(`The weights ask for "${name}", which is not measured.`);
    return { feature, threshold: toNumber(threshold), below: parse(), rest: parse() };
  };
  return parse();
}

function toNumber(text: string): number {
  const value = Number(text);
  if (text === "" || Number.isNaN(value)) throw new Error(`The weights have "${text}" where a number belongs.`);
  return value;
}
