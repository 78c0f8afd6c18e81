import { layOut, type Layout } from "./layout.ts";
import { parseTree, type Element } from "./tree.ts";
import { chooseRuns } from "./choose.ts";
import { renderMarkdown } from "./markdown.ts";
import { readMetadata } from "./metadata.ts";
import type { Page } from "./page.ts";

/** Text beyond this is ignored: main content comes before it. */
const maxLength = 12_000_000;

/** The main content of an HTML page as Markdown, with its metadata. */
export function readHtml(html: string, url: string): Page {
  const tree = parseTree(html.slice(0, maxLength));
  const layout = layOut(tree);
  const { types, ...metadata } = readMetadata(tree, url);
  const kept = chooseRuns(layout, { title: metadata.title ?? "", types });
  const keptRuns = new Set(layout.runs.filter((_, index) => kept[index]));
  const markdown = renderMarkdown(layout.root, {
    url: findBase(tree, url),
    isKept: (run) => keptRuns.has(run),
    isShown: ({ at }) => kept[at - 1] === true && kept[at] === true,
  });
  return { ...metadata, markdown, needsJavaScript: lacksText(tree, layout), kind: "html" };
}

function findBase(tree: Element, url: string): string {
  const base = findFirst(tree, ({ tag, attributes }) => tag === "base" && attributes.has("href"));
  return URL.parse(base?.attributes.get("href") ?? "", url)?.href ?? url;
}

function findFirst(element: Element, matches: (element: Element) => boolean): Element | undefined {
  if (matches(element)) return element;
  for (const child of element.children) {
    const found = typeof child === "string" ? undefined : findFirst(child, matches);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the page has almost no text without scripts, or asks to enable them. */
function lacksText(tree: Element, { root, runs }: Layout): boolean {
  if (root.words >= 120) return false;
  const hasScript = findFirst(
    tree,
    ({ tag, attributes }) => tag === "script" && !/json/.test(attributes.get("type") ?? ""),
  );
  if (hasScript === undefined) return false;
  const asksForScript = runs.some(({ text }) => {
    const pieces = text.split(/\bjavascript\b/i);
    if (pieces.length < 2) return false;
    const [before, after] = [pieces.slice(0, -1).join(" "), pieces.slice(1).join(" ")];
    return (
      /\b(?:enable|requires?|need|turn on|without|activate)\b/i.test(before) ||
      /\b(?:enabled?|required|disabled|activate)\b/i.test(after)
    );
  });
  const hasMount = findFirst(tree, isEmptyMount) !== undefined;
  return asksForScript || root.words < 15 || (hasMount && root.words < 60);
}

const isEmptyMount = ({ tag, attributes, children }: Element): boolean =>
  (tag === "div" || tag === "app-root" || tag === "section") &&
  (tag === "app-root" ||
    /^(root|app|__next|__nuxt|main|react-root|svelte|mount|application)$/.test(attributes.get("id") ?? "")) &&
  children.every((child) => typeof child === "string" && child.trim() === "");
