import type { MessageView } from "../../../protocol/fold.ts";
import { textOf } from "../../../protocol/fold.ts";
import { toPhrasePattern } from "../../lib/marks.ts";
import { toPlainMarkdown } from "../../lib/plain-markdown.ts";

/** The text of a message as it is shown. */
export type FoundText = { readonly id: string; readonly depth: number; readonly text: string };
/** One occurrence; `nth` within its message, from 0. */
export type Hit = { readonly id: string; readonly depth: number; readonly nth: number };

export function toFoundText({ id, depth, role, parts }: MessageView): FoundText {
  const text = textOf(parts);
  return { id, depth, text: role === "assistant" ? toPlainMarkdown(text) : text };
}

/** In the order of the thread. */
export function findHits(texts: readonly FoundText[], query: string): readonly Hit[] {
  const pattern = toPhrasePattern(query);
  if (!pattern) return [];
  return texts.flatMap(({ id, depth, text }) => [...text.matchAll(pattern)].map((_, nth): Hit => ({ id, depth, nth })));
}

/** The ranges of an element's text that match, also across inline elements such as bold words. */
export function findRanges(element: Element, pattern: RegExp): readonly Range[] {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const nodes: { readonly node: Node; readonly from: number }[] = [];
  let text = "";
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node, from: text.length });
    text += node.textContent ?? "";
  }
  const place = (at: number): readonly [Node, number] | null => {
    const found = nodes.findLast(({ from }) => from <= at);
    return found ? [found.node, at - found.from] : null;
  };
  return [...text.matchAll(pattern)].flatMap(({ index, 0: words }) => {
    const [start, end] = [place(index), place(index + words.length - 1)];
    if (!start || !end) return [];
    const range = new Range();
    range.setStart(start[0], start[1]);
    range.setEnd(end[0], end[1] + 1);
    return [range];
  });
}
