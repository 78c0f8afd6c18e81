import { countTokens } from "../lib/tokens.ts";
import { toIndex } from "../rank/rank.ts";

export type Span = { readonly from: number; readonly to: number; readonly text: string };
export type ReadResult = { readonly passages: readonly Span[]; readonly more?: string };

/** Characters, and tokens as the text is written in the result. */
export type TextBudget = { readonly characters: number; readonly tokens: number };

const MOST: TextBudget = { characters: 12_000, tokens: 1700 };
const PASSAGE = 1200;
/** Around each passage: its places and names. */
const FRAME_TOKENS = 20;

/** From a character on, up to another or as far as there is room. */
export function readFrom(body: string, from: number, to = body.length): ReadResult {
  if (from > 0 && from >= body.length) throw new Error(`The text ends at character ${body.length}.`);
  const start = toBoundary(body, from);
  const asked = toBoundary(body, Math.min(body.length, Math.max(start, to)));
  const end = Math.min(asked, findEnd(body, start, MOST));
  const passages = [{ from: start, to: end, text: body.slice(start, end).toWellFormed() }];
  return end === body.length ? { passages } : { passages, more: `${body.length - end} more characters: from ${end}.` };
}

/** The end of a stretch that fits the room; at least a few characters. */
export const findEnd = (body: string, start: number, room: TextBudget): number =>
  findCut(body, start, findCharacters(body, start, room));

/** Characters that stay within the tokens: scripts differ. */
function findCharacters(body: string, start: number, { characters, tokens }: TextBudget): number {
  let most = characters;
  for (;;) {
    const used = countTokens(JSON.stringify(body.slice(start, start + most)));
    if (used <= tokens || most < 50) return most;
    most = Math.floor(Math.min(most * 0.95, (most * tokens * 0.98) / used));
  }
}

/** The best ones, as many as fit, in the order of the text. */
export function findPassages(body: string, words: string): ReadResult {
  const spans = toSpans(body);
  const scores = toIndex(spans.map(({ text }) => text)).score(words);
  const matching = spans
    .map((span, at) => ({ span, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.span.from - b.span.from);
  if (matching.length === 0) return { passages: [], more: `None of its ${spans.length} passages has these words.` };
  const fitting = takeWhileFit(matching.map(({ span }) => span));
  const passages = fitting.toSorted((a, b) => a.from - b.from);
  const rest = matching.length - fitting.length;
  return rest === 0 ? { passages } : { passages, more: `${rest} more passages have some of these words.` };
}

function takeWhileFit(spans: readonly Span[]): readonly Span[] {
  const taken: Span[] = [];
  let room = MOST.tokens;
  for (const span of spans) {
    if (room < FRAME_TOKENS) break;
    const tokens = countTokens(JSON.stringify(span.text)) + FRAME_TOKENS;
    if (tokens > room && taken.length > 0) continue;
    room -= tokens;
    taken.push(span);
  }
  return taken;
}

/** Whole paragraphs while they are short. */
function toSpans(body: string): readonly Span[] {
  const spans: Span[] = [];
  for (let from = 0; from < body.length;) {
    const to = findCut(body, from, PASSAGE);
    const text = body.slice(from, to);
    if (text.trim() !== "") spans.push({ from, to, text });
    from = to;
  }
  return spans;
}

/** Behind the last paragraph, line, sentence or word that fits; never within a pair of surrogates. */
function findCut(body: string, from: number, most: number): number {
  if (body.length - from <= most) return body.length;
  const room = body.slice(from, from + most);
  for (const border of ["\n\n", "\n", ". ", " "]) {
    const at = room.lastIndexOf(border);
    if (at > most / 2) return from + at + border.length;
  }
  return toBoundary(body, from + most);
}

const toBoundary = (body: string, at: number): number =>
  at > 0 && /^[\udc00-\udfff]/.test(body.slice(at, at + 1)) && /[\ud800-\udbff]$/.test(body.slice(at - 1, at))
    ? at - 1
    : at;
