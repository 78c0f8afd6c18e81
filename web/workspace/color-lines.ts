import { highlightCode } from "@lezer/highlight";
import { codeColors } from "./editor/editor-theme.ts";
import { loadLanguage } from "./editor/languages.ts";

/** A piece of a line with its color class. */
export type Piece = { readonly text: string; readonly look: string };

const longestCharacters = 200_000;

/** Highlighted lines of a text; null: too long, or an unknown language. */
export async function colorLines(text: string, path: string): Promise<readonly (readonly Piece[])[] | null> {
  if (text.length > longestCharacters) return null;
  const support = await loadLanguage(path);
  if (!support) return null;
  const lines: Piece[][] = [[]];
  highlightCode(
    text.replaceAll(/\r\n?/g, "\n"),
    support.language.parser.parse(text.replaceAll(/\r\n?/g, "\n")),
    codeColors,
    (piece, look) => lines.at(-1)?.push({ text: piece, look }),
    () => lines.push([]),
  );
  return lines;
}
