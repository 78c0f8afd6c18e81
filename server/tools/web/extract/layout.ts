import { isFadingIn, isFaint, isHidden } from "./hidden.ts";
import { blockTags, unreadTags } from "./tags.ts";
import { cleanText, countWords } from "./text.ts";
import type { Child, Element } from "./tree.ts";

/** The visible part of the page: nested block boxes with runs of text in them. */
export type Box = {
  readonly kind: "box";
  readonly element: Element;
  readonly tag: string;
  readonly parent: Box | undefined;
  readonly depth: number;
  readonly children: (Box | Run | Image)[];
  /** The runs of this box are those from `first` up to `end`, exclusive. */
  readonly first: number;
  end: number;
  words: number;
  linkWords: number;
};
export type Run = {
  readonly kind: "run";
  readonly parent: Box;
  readonly nodes: readonly Child[];
  readonly text: string;
  readonly words: number;
  readonly linkWords: number;
};
/** An image between two paragraphs; `at` is the index of the run that follows it. */
export type Image = { readonly kind: "image"; readonly element: Element; readonly at: number };
export type Layout = { readonly root: Box; readonly runs: readonly Run[] };

export function layOut(tree: Element): Layout {
  const holders = findHolders(tree);
  const isVeiled = createVeils(tree);
  const runs: Run[] = [];
  const root = makeBox(tree, undefined, 0);
  fill(root, false);
  return { root, runs };

  function fill(box: Box, inLink: boolean): void {
    let nodes: Child[] = [];
    const flush = (): void => {
      const run = makeRun(nodes, box, inLink);
      if (run === undefined) {
        for (const element of findImages(nodes)) box.children.push({ kind: "image", element, at: runs.length });
        nodes = [];
        return;
      }
      nodes = [];
      box.children.push(run);
      runs.push(run);
      box.words += run.words;
      box.linkWords += run.linkWords;
    };
    for (const child of box.element.children) {
      if (typeof child === "string") {
        nodes.push(child);
        continue;
      }
      if (isUnseen(child) || isVeiled(child)) continue;
      if (!blockTags.has(child.tag) && !holders.has(child)) {
        nodes.push(child);
        continue;
      }
      flush();
      const inner = makeBox(child, box, runs.length);
      box.children.push(inner);
      fill(inner, inLink || child.tag === "a");
      box.words += inner.words;
      box.linkWords += inner.linkWords;
    }
    flush();
    box.end = runs.length;
  }
}

/** Drops faint text that does not fade in, unless it is more than half of all text. */
function createVeils(tree: Element): (element: Element) => boolean {
  let total: number | undefined;
  return (element) => {
    if (!isFaint(element) || isFadingIn(element)) return false;
    total ??= countLetters(tree);
    return countLetters(element) * 2 < total;
  };
}

function countLetters(element: Element): number {
  let count = 0;
  for (const child of element.children) {
    if (typeof child === "string") count += child.trim().length;
    else if (!isUnseen(child)) count += countLetters(child);
  }
  return count;
}

export const isUnseen = (element: Element): boolean => unreadTags.has(element.tag) || isHidden(element);

const makeBox = (element: Element, parent: Box | undefined, first: number): Box => ({
  kind: "box",
  element,
  tag: element.tag,
  parent,
  depth: parent === undefined ? 0 : parent.depth + 1,
  children: [],
  first,
  end: first,
  words: 0,
  linkWords: 0,
});

/** Inline elements that contain a block are boxes, too. */
function findHolders(tree: Element): ReadonlySet<Element> {
  const holders = new Set<Element>();
  const visit = (element: Element): boolean => {
    let holds = false;
    for (const child of element.children) {
      if (typeof child === "string" || unreadTags.has(child.tag)) continue;
      if (visit(child)) holds = true;
    }
    if (holds) holders.add(element);
    return holds || blockTags.has(element.tag);
  };
  visit(tree);
  return holders;
}

function makeRun(nodes: readonly Child[], parent: Box, inLink: boolean): Run | undefined {
  const parts = { text: "", linkText: "" };
  for (const node of nodes) gather(node, parts, inLink);
  const text = cleanText(parts.text);
  if (text === "") return undefined;
  const words = countWords(text);
  const linkWords = inLink ? words : parts.linkText === "" ? 0 : Math.min(words, countWords(parts.linkText));
  return { kind: "run", parent, nodes, text, words, linkWords };
}

function gather(node: Child, parts: { text: string; linkText: string }, inLink: boolean): void {
  if (typeof node === "string") {
    parts.text += node;
    if (inLink) parts.linkText += node;
    return;
  }
  if (isUnseen(node) || isFaint(node)) return;
  if (node.tag === "br") parts.text += "\n";
  for (const child of node.children) gather(child, parts, inLink || node.tag === "a");
  if (node.tag === "a") parts.linkText += " ";
}

const findImages = (nodes: readonly Child[]): readonly Element[] =>
  nodes.flatMap((node) => {
    if (typeof node === "string" || isUnseen(node)) return [];
    return node.tag === "img" ? [node] : findImages(node.children);
  });
