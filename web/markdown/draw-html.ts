import type { Element, ElementContent, Root, RootContent, Text } from "hast";

/**
 * Raw HTML of Markdown. Harmless tags of a short list become elements without attributes; everything else stays text. No HTML
 * parser is involved: an element is made only from a name on the list, so a prefix of a text is as harmless as the whole.
 */
const inline = new Set([
  "b",
  "strong",
  "i",
  "em",
  "u",
  "s",
  "del",
  "ins",
  "mark",
  "small",
  "sub",
  "sup",
  "kbd",
  "q",
  "samp",
  "var",
]);
const block = new Set(["details", "summary", "p", "div", "center", "ul", "ol", "li"]);
const single = new Set(["br", "hr"]);
/** Text inside these is one line of words, where a block has no place. */
const phrasing = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "a", "em", "strong", "del", "summary"]);
const deepest = 40;

/** A piece of raw HTML, until `drawHtml` replaces it. */
type Raw = Text & { readonly isHtml: true };

/** Handler for `toHast`: the raw HTML of a node, marked. */
export const markHtml = (_: unknown, { value }: { readonly value: string }): Raw => ({
  type: "text",
  value,
  isHtml: true,
});

/** Replaces the marked HTML in a tree. An element that is never closed stays text, except at the end of a text that grows. */
export function drawHtml(tree: Root, isGrowing: boolean): void {
  if (hasHtml(tree)) tree.children = drawChildren(tree, isGrowing) as RootContent[];
}

type Parent = Root | Element;

const hasHtml = (parent: Parent): boolean =>
  parent.children.some((node) => (node.type === "element" ? hasHtml(node) : isRaw(node)));

const isRaw = (node: object): node is Raw => "isHtml" in node;

function drawChildren(parent: Parent, isGrowing: boolean): ElementContent[] {
  const allowsBlocks = parent.type === "root" || !(phrasing.has(parent.tagName) || inline.has(parent.tagName));
  const open: { readonly tag: string; readonly name: string; readonly children: ElementContent[] }[] = [];
  const top: ElementContent[] = [];
  const add = (...nodes: ElementContent[]) => void (open.at(-1)?.children ?? top).push(...nodes);
  const close = (isKept: boolean) => {
    const last = open.pop();
    if (!last) return;
    if (isKept) add(toElement(last.name, last.children));
    else add({ type: "text", value: last.tag }, ...last.children);
  };
  const drawTag = (tag: string, name: string, isEnd: boolean) => {
    const isKnown = inline.has(name) || (allowsBlocks && block.has(name));
    if (single.has(name) && (name === "br" || allowsBlocks)) return isEnd ? undefined : add(toElement(name, []));
    if (isEnd && isKnown && open.some((one) => one.name === name)) {
      while (open.at(-1)?.name !== name) close(false);
      return close(true);
    }
    if (!isEnd && isKnown && open.length < deepest) return void open.push({ tag, name, children: [] });
    add({ type: "text", value: tag });
  };
  const children = parent.children as readonly ElementContent[];
  for (const node of children) {
    if (node.type === "element") add(hasHtml(node) ? { ...node, children: drawChildren(node, isGrowing) } : node);
    else if (!isRaw(node)) add(node);
    else
      for (const piece of splitTags(node.value)) {
        if (piece.name !== "") drawTag(piece.text, piece.name, piece.isEnd);
        else add({ type: "text", value: piece.text, ...(node.position ? { position: node.position } : {}) });
      }
  }
  while (open.length > 0) close(isGrowing);
  return top;
}

const toElement = (name: string, children: ElementContent[]): Element => ({
  type: "element",
  tagName: name === "center" ? "div" : name,
  properties: {},
  children,
});

type Piece = { readonly text: string; readonly name: string; readonly isEnd: boolean };

const tagPattern = /<(\/?)([a-z]{1,8}[1-6]?)(?:\s[^<>]{0,300})?\/?>/gi;

function splitTags(html: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let from = 0;
  const addText = (to: number) => {
    if (to > from) pieces.push({ text: html.slice(from, to), name: "", isEnd: false });
  };
  for (const match of html.matchAll(tagPattern)) {
    addText(match.index);
    pieces.push({ text: match[0], name: (match[2] ?? "").toLowerCase(), isEnd: match[1] === "/" });
    from = match.index + match[0].length;
  }
  addText(html.length);
  return pieces;
}
