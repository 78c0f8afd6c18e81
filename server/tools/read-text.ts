import { countTokens } from "../lib/tokens.ts";
import { toIndex } from "../rank/rank.ts";

type Span = { readonly from: number; readonly to: number; readonly text: string };
type ReadResult = { readonly passages: readonly Span[]; readonly more?: string };

/** Limits on a text in a result; tokens are counted on its JSON form. */
type TextBudget = { readonly characters: number; readonly tokens: number };

const BUDGET: TextBudget = { characters: 12_000, tokens: 1700 };
const PASSAGE_CHARACTERS = 1200;
/** Overhead of each passage: its positions and field names. */
const OVERHEAD_TOKENS = 20;

/** The text from one character up to another, or as much of it as fits. */
export function readFrom(body: string, from: number, to = body.length): ReadResult {
  if (from > 0 && from >= body.length)
    throw new Error(`\`from\` is past the end: the text has ${body.length} characters. Use a smaller value.`);
  const start = toBoundary(body, from);
  const requested = toBoundary(body, Math.min(body.length, Math.max(start, to)));
  const end = Math.min(requested, findEnd(body, start, BUDGET));
  const passages = [{ from: start, to: end, text: body.slice(start, end).toWellFormed() }];
  return end === body.length ? { passages } : { passages, more: `${body.length - end} more characters: from ${end}.` };
}

/** The end of a range that fits the budget; at least a few characters long. */
export const findEnd = (body: string, start: number, budget: TextBudget): number =>
  findCut(body, start, findCharacters(body, start, budget));

/** The number of characters that fit the token budget, which depends on the script. */
function findCharacters(body: string, start: number, { characters, tokens }: TextBudget): number {
  let most = characters;
  for (;;) {
    const used = countTokens(JSON.stringify(body.slice(start, start + most)));
    if (used <= tokens || most < 50) return most;
    most = Math.floor(Math.min(most * 0.95, (most * tokens * 0.98) / used));
  }
}

/** The best matching passages that fit, in text order. */
export function findPassages(body: string, words: string, tokens = BUDGET.tokens): ReadResult {
  const spans = toSpans(body);
  const scores = toIndex(spans.map(({ text }) => text)).score(words);
  const matching = spans
    .map((span, at) => ({ span, score: scores[at] ?? 0 }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.span.from - b.span.from);
  if (matching.length === 0)
    return { passages: [], more: `None of its ${spans.length} passages contains these words.` };
  const fitting = takeWhileFit(
    matching.map(({ span }) => span),
    tokens,
  );
  const passages = fitting.toSorted((a, b) => a.from - b.from);
  const rest = matching.length - fitting.length;
  return rest === 0 ? { passages } : { passages, more: `${rest} more passages contain some of these words.` };
}

function takeWhileFit(spans: readonly Span[], most: number): readonly Span[] {
  const taken: Span[] = [];
  let left = most;
  for (const span of spans) {
    if (left < OVERHEAD_TOKENS) break;
    const tokens = countTokens(JSON.stringify(span.text)) + OVERHEAD_TOKENS;
    if (tokens > left && taken.length > 0) continue;
    left -= tokens;
    taken.push(span);
  }
  return taken;
}

/** Splits the text into passages, at paragraph ends where possible. */
function toSpans(body: string): readonly Span[] {
  const spans: Span[] = [];
  for (let from = 0; from < body.length;) {
    const to = findCut(body, from, PASSAGE_CHARACTERS);
    const text = body.slice(from, to);
    if (text.trim() !== "") spans.push({ from, to, text });
    from = to;
  }
  return spans;
}

/** The position after the last paragraph, line, sentence or word that fits; never inside a surrogate pair. */
function findCut(body: string, from: number, most: number): number {
  if (body.length - from <= most) return body.length;
  const window = body.slice(from, from + most);
  for (const border of ["\n\n", "\n", ". ", " "]) {
    const at = window.lastIndexOf(border);
    if (at > most / 2) return from + at + border.length;
  }
  return toBoundary(body, from + most);
}

const toBoundary = (body: string, at: number): number =>
  at > 0 && /^[\udc00-\udfff]/.test(body.slice(at, at + 1)) && /[\ud800-\udbff]$/.test(body.slice(at - 1, at))
    ? at - 1
    : at;
