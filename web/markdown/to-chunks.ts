import { isCloser, readOpener, type Fence } from "./fence.ts";

/** As many characters as are drawn in one piece, at least. */
const LEAST = 3_000;

/** What a link or a note elsewhere may mean: of a text that says any, nothing can be drawn on its own. */
const definition = /^(?:[ \t>]|[*+-][ \t]|\d{1,9}[.)][ \t])*\[[^\]\n]+\]:/;
/** Raw tags are drawn as text, but one that is open takes what follows with it. */
const tag = /^ {0,3}<[a-z!?/]/i;
/** At the line's beginning and after an empty line, these end whatever was before: lists, quotes, tables. */
const beginning = /^(?:#{1,6} |\p{L})/u;

/**
 * A long text in pieces that are each drawn as they would be in the whole, so that a word that comes costs its piece and not the
 * text. The pieces joined are the text; all but the last stay the same when it goes on.
 */
export function toChunks(text: string): readonly string[] {
  if (text.length <= LEAST) return [text];
  const chunks: string[] = [];
  let start = 0;
  let open: Fence | null = null;
  let isTagged = false;
  let isAfterEmpty = false;
  let formulas = noFormulas;
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = text.indexOf("\n", at) + 1 || text.length;
    const line = text.slice(at, end);
    if (open) {
      if (isCloser(line, open)) open = null;
      isAfterEmpty = false;
      continue;
    }
    if (definition.test(line)) return [text];
    isTagged ||= tag.test(line);
    const isCut = isAfterEmpty && at - start >= LEAST && beginning.test(line);
    if (isCut && !isTagged && isEven(formulas)) {
      chunks.push(text.slice(start, at));
      start = at;
      formulas = noFormulas;
    }
    open = readOpener(line);
    if (!open) formulas = count(formulas, line);
    isAfterEmpty = line.trim() === "";
  }
  chunks.push(text.slice(start));
  return chunks;
}

type Formulas = { readonly dollars: number; readonly brackets: number };

const noFormulas: Formulas = { dollars: 0, brackets: 0 };
const formulaMark = /\$\$|\\[[\]]/;

/** Which marks of formulas a piece holds so far, outside of code. */
function count(before: Formulas, line: string): Formulas {
  if (!formulaMark.test(line)) return before;
  const words = line.replaceAll(/(`{1,9})[^`]*\1/g, "");
  const times = (mark: string): number => words.split(mark).length - 1;
  return {
    dollars: before.dollars + times("$$"),
    brackets: before.brackets + times("\\[") - times("\\]"),
  };
}

/** No formula that began in the piece is still open. */
const isEven = ({ dollars, brackets }: Formulas): boolean => dollars % 2 === 0 && brackets === 0;
