import { createHash } from "node:crypto";
import { layOut, type Run } from "../../server/tools/web/extract/layout.ts";
import { parseTree, type Child } from "../../server/tools/web/extract/tree.ts";
import { voidTags } from "../../server/tools/web/extract/tags.ts";
import { labelRuns } from "./label.ts";
import type { Sample } from "./pages.ts";
import { toWords } from "./words.ts";

export const SHORT_ARTICLE = "short article";

/** Words of a shortened article: as short as news items often are. */
const LENGTHS = { least: 70, most: 300 };
/** An article has to be clearly longer than that to be shortened. */
const LONG = 400;

/**
 * The page of a long article with all of the article but its first 70 to 300 words taken out, and everything around it left in
 * place. The collection has few short articles among teasers and lists, and there an extractor errs most. Undefined where the
 * article is short already.
 */
export function toShortArticle(sample: Sample): Sample | undefined {
  const tree = parseTree(sample.html);
  const { runs } = layOut(tree);
  const texts = runs.map(({ text }) => text);
  const labels = labelRuns(texts, sample.content);
  const own = runs.filter((_, index) => (labels[index] ?? 0) > 0.5);
  if (own.reduce((sum, run) => sum + run.words, 0) < LONG) return undefined;
  const length =
    LENGTHS.least + (createHash("sha256").update(sample.id).digest().readUInt32BE() % (LENGTHS.most - LENGTHS.least));
  const kept: Run[] = [];
  let words = 0;
  for (const run of own) {
    if (words >= length) break;
    words += run.words;
    kept.push(run);
  }
  if (words > 2 * LENGTHS.most) return undefined;
  for (const run of own.slice(kept.length)) remove(run);
  const content = kept.map(({ text }) => text).join("\n");
  return { ...sample, kind: SHORT_ARTICLE, html: toHtml(tree), content, wanted: toWords(content) };
}

function remove({ parent, nodes }: Run): void {
  const gone = new Set(nodes);
  const left = parent.element.children.filter((child) => !gone.has(child));
  parent.element.children.splice(0, parent.element.children.length, ...left);
}

function toHtml(node: Child): string {
  if (typeof node === "string") return escape(node);
  const inner = node.children.map(toHtml).join("");
  if (node.tag === "#root") return `<!doctype html>${inner}`;
  const attributes = [...node.attributes].map(([name, value]) => ` ${name}="${escape(value)}"`).join("");
  return `<${node.tag}${attributes}>${inner}${voidTags.has(node.tag) ? "" : `</${node.tag}>`}`;
}

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
