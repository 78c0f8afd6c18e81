import { isCloser, readOpener, type Fence } from "./fence.ts";

/** Minimum number of characters per chunk. */
const LEAST = 1_000;

/** Link references and footnotes can be used anywhere, so a text with definitions is not split. */
const definition = /^(?:[ \t>]|[*+-][ \t]|\d{1,9}[.)][ \t])*\[[^\]\n]+\]:/;
/** Raw HTML ends at an empty line, except for these forms, which may extend over the following lines. */
const tag = /^ {0,3}<(?:script|pre|style|textarea|!|\?)/i;
/** These contain the blocks that follow, until they are closed. */
const container = /<(\/?)(?:details|div|center|p|ul|ol)\b/gi;
/** At the start of a line and after an empty line, these end any previous block: lists, quotes, tables. */
const beginning = /^(?:#{1,6} |\p{L})/u;

/**
 * Splits a long text into chunks that render the same as the whole, so that a delta costs O(chunk), not O(text). The chunks
 * join to the text; all but the last stay the same while it grows.
 */
export function toChunks(text: string): readonly string[] {
  if (text.length <= LEAST) return [text];
  const chunks: string[] = [];
  let start = 0;
  let open: Fence | null = null;
  let isTagged = false;
  let isAfterEmpty = false;
  let formulas = noFormulas;
  let depth = 0;
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
    if (isCut && !isTagged && depth <= 0 && isEven(formulas)) {
      chunks.push(text.slice(start, at));
      start = at;
      formulas = noFormulas;
      depth = 0;
    }
    open = readOpener(line);
    if (!open) {
      formulas = count(formulas, line);
      if (line.includes("<")) for (const [, end] of withoutCode(line).matchAll(container)) depth += end ? -1 : 1;
    }
    isAfterEmpty = line.trim() === "";
  }
  chunks.push(text.slice(start));
  return chunks;
}

type Formulas = { readonly dollars: number; readonly brackets: number };

const noFormulas: Formulas = { dollars: 0, brackets: 0 };
const formulaMark = /\$\$|\\[[\]]/;

/** Open formula delimiters in the chunk so far, outside of code. */
function count(before: Formulas, line: string): Formulas {
  if (!formulaMark.test(line)) return before;
  const words = withoutCode(line);
  const times = (mark: string): number => words.split(mark).length - 1;
  return {
    dollars: before.dollars + times("$$"),
    brackets: before.brackets + times("\\[") - times("\\]"),
  };
}

const withoutCode = (line: string): string => line.replaceAll(/(`{1,9})[^`]*\1/g, "");

/** No formula is open. */
const isEven = ({ dollars, brackets }: Formulas): boolean => dollars % 2 === 0 && brackets === 0;
