/** As many characters as are drawn in one piece, at least. */
const LEAST = 3_000;

/** What one place in Markdown says about another: of a text that has any, nothing can be drawn on its own. */
const speaksOfElsewhere = /^ {0,3}\[[^\]\n]+\]:|\[\^/m;
const fence = /^[\s>*+-]*(?:\d+[.)]\s+)?(`{3,}|~{3,})/;
/** Raw tags are drawn as text, but one that is open takes what follows with it. */
const tag = /^ {0,3}<[a-z!?/]/i;
/** At the line's beginning and after an empty line, these end whatever was before: lists, quotes, tables. */
const beginning = /^(?:#{1,6} |\p{L})/u;

/**
 * A long text in pieces that are each drawn as they would be in the whole, so that a word that comes costs its piece and not the
 * text. The pieces joined are the text; all but the last stay the same when it goes on.
 */
export function toChunks(text: string): readonly string[] {
  if (text.length <= LEAST || speaksOfElsewhere.test(text)) return [text];
  const chunks: string[] = [];
  let start = 0;
  let open = "";
  let isAfterEmpty = false;
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = text.indexOf("\n", at) + 1 || text.length;
    const line = text.slice(at, end);
    if (open === "" && tag.test(line)) break;
    if (open === "" && isAfterEmpty && at - start >= LEAST && beginning.test(line) && isEven(text, start, at)) {
      chunks.push(text.slice(start, at));
      start = at;
    }
    open = follow(open, line);
    isAfterEmpty = line.trim() === "";
  }
  chunks.push(text.slice(start));
  return chunks;
}

/** The fence that is open after a line. */
function follow(open: string, line: string): string {
  const run = fence.exec(line)?.[1];
  if (run === undefined) return open;
  if (open === "") return run;
  const closes = run.startsWith(open) && line.trimEnd().endsWith(run);
  return closes ? "" : open;
}

/** No formula that began in the piece is still open. */
function isEven(text: string, start: number, end: number): boolean {
  const piece = text.slice(start, end);
  const count = (mark: string): number => piece.split(mark).length - 1;
  return count("$$") % 2 === 0 && count("\\[") === count("\\]");
}
