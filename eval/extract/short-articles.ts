import { createHash } from "node:crypto";
import { layOut, type Run } from "../../server/tools/web/extract/layout.ts";
import { parseTree, type Element } from "../../server/tools/web/extract/tree.ts";
import { labelRuns } from "./label.ts";

/** Words of a shortened article: as short as news items often are. */
const LENGTHS = { least: 70, most: 300 };
/** An article has to be clearly longer than that to be shortened. */
const LONG = 400;

/**
 * The page of a long article with all of the article but its first 70 to 300 words taken out, and everything around it left in
 * place. The collection has few short articles among teasers and lists, and there an extractor errs most. Undefined where the
 * article is short already.
 */
export function toShortArticle(
  html: string,
  content: string,
  id: string,
): { readonly tree: Element; readonly content: string } | undefined {
  const tree = parseTree(html);
  const { runs } = layOut(tree);
  const texts = runs.map(({ text }) => text);
  const labels = labelRuns(texts, content);
  const own = runs.filter((_, index) => (labels[index] ?? 0) > 0.5);
  if (own.reduce((sum, run) => sum + run.words, 0) < LONG) return undefined;
  const length =
    LENGTHS.least + (createHash("sha256").update(id).digest().readUInt32BE() % (LENGTHS.most - LENGTHS.least));
  const kept: Run[] = [];
  let words = 0;
  for (const run of own) {
    if (words >= length) break;
    words += run.words;
    kept.push(run);
  }
  if (words > 2 * LENGTHS.most) return undefined;
  for (const run of own.slice(kept.length)) remove(run);
  return { tree, content: kept.map(({ text }) => text).join("\n") };
}

function remove({ parent, nodes }: Run): void {
  const gone = new Set(nodes);
  const left = parent.element.children.filter((child) => !gone.has(child));
  parent.element.children.splice(0, parent.element.children.length, ...left);
}
