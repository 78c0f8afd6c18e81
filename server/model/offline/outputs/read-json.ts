/**
 * What a tool returned, read from the text of its result. The text may have lost its middle to the size of the window; then
 * what still stands in it whole is found piece by piece, and nothing is guessed.
 */
export const readJson = (text: string): unknown => {
  try {
    return JSON.parse(withoutNote(text));
  } catch {
    return undefined;
  }
};

/** `[The same call was made before ...]` and the like come as a first line. */
export const withoutNote = (text: string): string => text.replace(/^\[[^\]\n]{1,400}\]\n(?=\S)/, "");

/** Every object that stands in the text whole; of those inside each other the outermost. */
export const findObjects = (text: string): readonly Readonly<Record<string, unknown>>[] => {
  const found: Readonly<Record<string, unknown>>[] = [];
  for (let at = text.indexOf('{"'); at >= 0; at = text.indexOf('{"', at)) {
    const end = findEnd(text, at);
    const value = end === undefined ? undefined : readJson(text.slice(at, end));
    const isWhole = typeof value === "object" && value !== null;
    if (isWhole) found.push(value as Readonly<Record<string, unknown>>);
    at = isWhole && end !== undefined ? end : at + 1;
  }
  return found;
};

const findEnd = (text: string, start: number): number | undefined => {
  let depth = 0;
  let isText = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isText) {
      if (character === "\\") at += 1;
      else if (character === '"') isText = false;
      else if (character === "\n") return undefined;
    } else if (character === '"') isText = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
};

/** The first text under one of these names. Where its middle was left out, the rest of it with `gap` between. */
export const findText = (text: string, names: readonly string[]): string | undefined => {
  const start = [...text.matchAll(/"(\w{1,40})"\s*:\s*"/g)].find(([, name = ""]) => names.includes(name));
  if (start === undefined) return undefined;
  const [head = "", ...tail] = text.slice(start.index + start[0].length).split(leftOut);
  const isCut = !hasClosingQuote(head);
  return [head, ...(isCut ? tail.slice(0, 1) : [])].map(decode).join(gap);
};

/** A quotation mark that is not escaped. */
const hasClosingQuote = (text: string): boolean => {
  for (let at = 0; at < text.length; at += text[at] === "\\" ? 2 : 1) if (text[at] === '"') return true;
  return false;
};

export const findNumber = (text: string, name: string): number | undefined => {
  const found = [...text.matchAll(/"(\w{1,40})"\s*:\s*(\d{1,9})(?![\d.])/g)].find(([, field]) => field === name);
  return found === undefined ? undefined : Number(found[2]);
};

/** As the context writes it. */
const leftOut = /\n\[… \d+ characters left out …\]\n/;
/** No sentence goes across it. */
export const gap = "\n\u2016\n";

/** Up to its closing mark, or as far as there is something. */
const decode = (raw: string): string => {
  const written = /^(?:[^"\\]|\\.)*/s.exec(raw)?.[0] ?? "";
  try {
    return JSON.parse(`"${written.replace(/\n/g, "\\n").replace(/\\u[\da-f]{0,3}$/i, "")}"`) as string;
  } catch {
    return "";
  }
};
