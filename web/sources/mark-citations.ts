import type { Element, ElementContent, Root, RootContent, Text } from "hast";
import { splitCitations } from "./citations.ts";

const beforeCharacters = 48;
/** Punctuation that must not begin a line. */
const leading = /^[.,;:!?)\]…»”’]{1,4}/;
const closed = new Set(["a", "code", "pre"]);

/**
 * Turns `[n]` in an answer's text into `cite` elements, outside of code and links. Whether the source exists is checked when
 * they are rendered.
 */
export function markCitations(tree: Root, markdown: string): void {
  tree.children = tree.children.flatMap((node) => mark(node, markdown)) as RootContent[];
}

function mark(node: RootContent, markdown: string): RootContent[] {
  if (node.type === "text") return markText(node, markdown);
  if (node.type !== "element" || closed.has(node.tagName)) return [node];
  const children = node.children.flatMap((child) => mark(child, markdown)) as ElementContent[];
  return [{ ...node, children }];
}

function markText(node: Text, markdown: string): RootContent[] {
  const pieces = splitCitations(node.value);
  if (!pieces.some((piece) => piece.kind === "refs")) return [node];
  let at = node.position?.start.offset ?? 0;
  return pieces.flatMap((piece, index): readonly (Text | Element)[] => {
    if (piece.kind === "text") {
      const value = pieces[index - 1]?.kind === "refs" ? piece.text.replace(leading, "") : piece.text;
      return value === "" ? [] : [{ type: "text", value }];
    }
    const after = pieces[index + 1];
    const found = markdown.indexOf(piece.text, at);
    const start = found < 0 ? at : found;
    at = start + piece.text.length;
    return [
      {
        type: "element",
        tagName: "cite",
        properties: {
          dataRefs: piece.refs.join(","),
          dataBefore: markdown.slice(Math.max(0, start - beforeCharacters), start),
          dataAfter: (after?.kind === "text" && leading.exec(after.text)?.[0]) || undefined,
        },
        children: [{ type: "text", value: piece.text }],
      },
    ];
  });
}
