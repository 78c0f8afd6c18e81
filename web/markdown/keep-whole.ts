import type { ElementContent, Root, RootContent, Text } from "hast";

const mostCharacters = 30;

/** Dates, ranges and numbers with hyphens in table cells are not broken at their hyphens. */
export function keepWhole(tree: Root): void {
  tree.children = tree.children.flatMap((node) => visit(node, false)) as RootContent[];
}

function visit(node: RootContent, isCell: boolean): RootContent[] {
  if (node.type === "text") return isCell ? split(node) : [node];
  if (node.type !== "element" || node.tagName === "code") return [node];
  const isInCell = isCell || node.tagName === "td" || node.tagName === "th";
  const children = node.children.flatMap((child) => visit(child, isInCell)) as ElementContent[];
  return [{ ...node, children }];
}

function split(node: Text): RootContent[] {
  if (!node.value.split(/\s/).some(isWhole)) return [node];
  return node.value.split(/(\s+)/).flatMap((value): RootContent[] => {
    if (value === "") return [];
    const text: Text = { type: "text", value };
    if (!isWhole(value)) return [text];
    return [{ type: "element", tagName: "span", properties: { className: ["whitespace-nowrap"] }, children: [text] }];
  });
}

const isWhole = (word: string): boolean =>
  word.length <= mostCharacters && /\d/.test(word) && /[-\u2010\u2013/]/.test(word);
