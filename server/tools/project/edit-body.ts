/** Replaces a text, appends to it, or replaces one span of it. */
type BodyChange = {
  readonly body?: string | undefined;
  readonly append?: string | undefined;
  readonly edit?: { readonly old: string; readonly new: string } | undefined;
};

/** undefined: no change requested. Throws with the surrounding text if the span does not occur exactly once. */
export function editBody(before: string, { body, append, edit }: BodyChange, title: string): string | undefined {
  const given = [body, append, edit].filter((one) => one !== undefined).length;
  if (given > 1) throw new Error(`"${title}": use only one of body, append and edit.`);
  if (body !== undefined) return body;
  if (append !== undefined) return before.trim() === "" ? append : `${before.trimEnd()}\n\n${append}`;
  if (edit === undefined) return undefined;
  const places = findPlaces(before, edit.old);
  const [place] = places;
  if (places.length !== 1 || place === undefined) throw new Error(describePlaces(before, edit.old, title, places));
  return before.slice(0, place) + edit.new + before.slice(place + edit.old.length);
}

function findPlaces(text: string, span: string): readonly number[] {
  if (span === "") return [];
  const places: number[] = [];
  for (let at = text.indexOf(span); at >= 0; at = text.indexOf(span, at + 1)) places.push(at);
  return places;
}

const MAX_PLACES = 4;
const AROUND = 2;

function describePlaces(text: string, span: string, title: string, places: readonly number[]): string {
  if (text === "") return `"${title}" has no text to edit yet. Use body.`;
  const lines = text.split("\n");
  if (places.length === 0) {
    const near = findNearest(lines, span);
    return `"${title}" does not contain this text, so nothing was changed. The nearest lines are:\n${quoteLines(lines, near)}`;
  }
  const shown = places.slice(0, MAX_PLACES).map((at) => text.slice(0, at).split("\n").length - 1);
  const rest = places.length > MAX_PLACES ? `\nand ${places.length - MAX_PLACES} more` : "";
  return (
    `"${title}" contains this text ${places.length} times, so nothing was changed. Use a longer span:\n` +
    shown.map((line) => quoteLines(lines, line)).join("\n...\n") +
    rest
  );
}

/** The line with the most words in common with the first lines of the span. */
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
