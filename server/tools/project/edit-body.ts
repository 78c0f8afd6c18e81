/** What becomes of a text: all of it anew, more at its end, or one span of it that is named by itself. */
export type BodyChange = {
  readonly body?: string | undefined;
  readonly append?: string | undefined;
  readonly edit?: { readonly old: string; readonly new: string } | undefined;
};

/** undefined: nothing was asked for. Throws, with the true text around, when the span is not there exactly once. */
export function editBody(before: string, { body, append, edit }: BodyChange, title: string): string | undefined {
  const asked = [body, append, edit].filter((one) => one !== undefined).length;
  if (asked > 1) throw new Error(`"${title}": give one of body, append and edit, not several.`);
  if (body !== undefined) return body;
  if (append !== undefined) return before.trim() === "" ? append : `${before.trimEnd()}\n\n${append}`;
  if (edit === undefined) return undefined;
  const places = findPlaces(before, edit.old);
  const [place] = places;
  if (places.length !== 1 || place === undefined) throw new Error(tellPlaces(before, edit.old, title, places));
  return before.slice(0, place) + edit.new + before.slice(place + edit.old.length);
}

function findPlaces(text: string, span: string): readonly number[] {
  if (span === "") return [];
  const places: number[] = [];
  for (let at = text.indexOf(span); at >= 0; at = text.indexOf(span, at + 1)) places.push(at);
  return places;
}

const MOST_PLACES = 4;
const AROUND = 2;

function tellPlaces(text: string, span: string, title: string, places: readonly number[]): string {
  if (text === "") return `"${title}" has no text to edit yet: use body.`;
  const lines = text.split("\n");
  if (places.length === 0) {
    const near = findNearest(lines, span);
    return `"${title}" does not hold this text, so nothing was changed. It says there:\n${quoteLines(lines, near)}`;
  }
  const shown = places.slice(0, MOST_PLACES).map((at) => text.slice(0, at).split("\n").length - 1);
  const rest = places.length > MOST_PLACES ? `\nand ${places.length - MOST_PLACES} more` : "";
  return (
    `"${title}" holds this text ${places.length} times, so nothing was changed. Name a longer span:\n` +
    shown.map((line) => quoteLines(lines, line)).join("\n...\n") +
    rest
  );
}

/** The line that has most words in common with the first lines of what was looked for. */
function findNearest(lines: readonly string[], span: string): number {
  const wanted = new Set(toWords(span.split("\n").slice(0, 3).join(" ")));
  const score = (line: string): number => {
    const words = toWords(line);
    return words.filter((word) => wanted.has(word)).length / (words.length + 3);
  };
  const scores = lines.map(score);
  return scores.indexOf(Math.max(...scores));
}

const toWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const quoteLines = (lines: readonly string[], line: number): string =>
  lines
    .map((text, at) => ({ text: text.slice(0, 300).toWellFormed(), at }))
    .slice(Math.max(0, line - AROUND), line + AROUND + 1)
    .map(({ text, at }) => `${at + 1}: ${text}`)
    .join("\n");
