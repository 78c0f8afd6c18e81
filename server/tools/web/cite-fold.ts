/** A text reduced to lower-case letters and digits with single spaces, with a mapping back to the original. */
export type FoldedText = {
  readonly text: string;
  /** Maps a range `[start, end)` of this text to the original. */
  readonly toOriginal: (start: number, end: number) => [start: number, end: number];
};

/** Ignores whitespace, case, accents, quotation marks, dashes, ligatures and Markdown. */
export function fold(text: string): FoldedText {
  const from = new Uint32Array(text.length * 2 + 2);
  const pieces: string[] = [];
  let length = 0;
  let isGap = true;
  const add = (piece: string, at: number): void => {
    if (from.length < length + piece.length) return;
    for (let index = 0; index < piece.length; index++) from[length + index] = at;
    length += piece.length;
    pieces.push(piece);
  };
  for (let at = 0; at < text.length;) {
    const code = text.codePointAt(at) ?? 0;
    const width = code > 0xffff ? 2 : 1;
    const skipped = toSkipped(text, at, code);
    if (skipped > 0) {
      at += skipped;
      continue;
    }
    const piece = foldCharacter(code);
    if (piece !== "") {
      if (isGap && length > 0) add(" ", at);
      isGap = false;
      add(piece, at);
    } else if (!isJoiner(code)) isGap = true;
    at += width;
  }
  const folded = pieces.join("");
  return {
    text: folded,
    toOriginal: (start, end) => {
      const last = from[end - 1] ?? 0;
      return [from[start] ?? 0, last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1)];
    },
  };
}

const MAX_LINK_LENGTH = 2000;

/** The length of text to skip: a link's URL, or the hyphen of a word broken at the end of a line. */
function toSkipped(text: string, at: number, code: number): number {
  if (code === 0x5d && text[at + 1] === "(") {
    const end = text.indexOf(")", at);
    return end > 0 && end - at < MAX_LINK_LENGTH && !text.slice(at, end).includes("\n") ? end - at + 1 : 0;
  }
  if (code !== 0x2d && code !== 0x2010) return 0;
  return /^[-‐]\r?\n[ \t]*(?=\p{Ll})/u.exec(text.slice(at, at + 20))?.[0].length ?? 0;
}

/** Invisible or combining characters, which do not separate words. */
const isJoiner = (code: number): boolean =>
  code === 0xad || (code >= 0x200b && code <= 0x200d) || code === 0x2060 || code === 0xfeff || isMark(code);

const isMark = (code: number): boolean => code >= 0x300 && /^\p{M}$/u.test(String.fromCodePoint(code));

const known = new Map<number, string>();

function foldCharacter(code: number): string {
  if (code < 128) return foldAscii(code);
  const cached = known.get(code);
  if (cached !== undefined) return cached;
  const folded = String.fromCodePoint(code)
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  if (known.size < 20_000) known.set(code, folded);
  return folded;
}

function foldAscii(code: number): string {
  if ((code >= 97 && code <= 122) || (code >= 48 && code <= 57)) return String.fromCharCode(code);
  return code >= 65 && code <= 90 ? String.fromCharCode(code + 32) : "";
}
