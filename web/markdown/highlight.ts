import type { Root, RootContent } from "hast";
import { createLowlight, common } from "lowlight";

/** Highlights code by grammar. Returns a tree of spans with class names, never markup; null for an unknown language. */
const lowlight = createLowlight(common);
const longestCharacters = 60_000;

export type Tree = readonly RootContent[];

export function highlight(code: string, language: string): Tree | null {
  if (code.length > longestCharacters || !lowlight.registered(language)) return null;
  const tree: Root = lowlight.highlight(language, code);
  return tree.children;
}
