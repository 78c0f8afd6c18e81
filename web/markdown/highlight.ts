import type { Root, RootContent } from "hast";
import { createLowlight, common } from "lowlight";

/** Colours by grammar. Out: a tree of spans with class names, never markup as text; null for a language nobody knows. */
const lowlight = createLowlight(common);
const longestCharacters = 60_000;

export type Tree = readonly RootContent[];

export function highlight(code: string, language: string): Tree | null {
  if (code.length > longestCharacters || !lowlight.registered(language)) return null;
  const tree: Root = lowlight.highlight(language, code);
  return tree.children;
}
