/** A text split into lines with their endings; joining gives the same text. A byte order mark is kept separately. */
export type Line = { readonly text: string; readonly end: "" | "\n" | "\r\n" };
export type Lines = { readonly mark: "" | "\uFEFF"; readonly lines: readonly Line[] };

export function splitLines(whole: string): Lines {
  const mark = whole.startsWith("\uFEFF") ? "\uFEFF" : "";
  const text = whole.slice(mark.length);
  const lines: Line[] = [];
  for (let start = 0; start < text.length;) {
    const at = text.indexOf("\n", start);
    if (at < 0) {
      lines.push({ text: text.slice(start), end: "" });
      break;
    }
    const isPair = at > start && text[at - 1] === "\r";
    lines.push({ text: text.slice(start, isPair ? at - 1 : at), end: isPair ? "\r\n" : "\n" });
    start = at + 1;
  }
  return { mark, lines };
}

export const joinLines = ({ mark, lines }: Lines): string =>
  mark + lines.map(({ text, end }) => `${text}${end}`).join("");

/** Lines of a text from a model, with any line endings and with or without a final one. */
export const toTexts = (text: string): readonly string[] => {
  if (text === "") return [];
  const texts = text.split(/\r?\n/);
  return texts.at(-1) === "" ? texts.slice(0, -1) : texts;
};

export const countLines = (text: string): number => {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return text === "" || text.endsWith("\n") ? count : count + 1;
};

/** The most frequent line ending of a file. */
export const endOf = (lines: readonly Line[]): "\n" | "\r\n" => {
  const pairs = lines.filter(({ end }) => end === "\r\n").length;
  return pairs * 2 > lines.filter(({ end }) => end !== "").length ? "\r\n" : "\n";
};

/** Gives new lines the endings of the `old` lines they replace. */
export function withEnds(texts: readonly string[], old: readonly Line[], usual: "\n" | "\r\n"): readonly Line[] {
  const end = old.find((line) => line.end !== "")?.end ?? usual;
  const last = old.at(-1)?.end ?? end;
  return texts.map((text, index) => ({ text, end: index === texts.length - 1 && last === "" ? "" : end || usual }));
}
