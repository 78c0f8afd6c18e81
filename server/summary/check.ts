import type { SummaryFields } from "../../protocol/context/summary.ts";
import { splitSentences } from "../lib/split-sentences.ts";
import { listDates, listFacts, months, numberWords, toValues, type Fact } from "./facts.ts";
import { isInjected, repeatsPrompt, toOneLine } from "./injected.ts";

/**
 * Removes sentences and entries with a number, id, date, address, quotation or name that does not occur in the source, lines that
 * repeat the prompt, and injected instructions. It checks occurrence, not meaning: two swapped numbers of the source pass.
 */
export function checkFields(fields: SummaryFields, source: SummarySource): SummaryFields {
  const isSound = (text: string): boolean =>
    text !== "" && !repeatsPrompt(text) && !isInjected(text) && source.missing(text).length === 0;
  const only = (texts: readonly string[]): readonly string[] => [...new Set(texts.map(toOneLine))].filter(isSound);
  return {
    overview: splitSentences(toOneLine(fields.overview))
      .map(({ text }) => text)
      .filter(isSound)
      .join(" "),
    keyPoints: only(fields.keyPoints),
    decisions: only(fields.decisions),
    actionItems: fields.actionItems.flatMap(({ text, context }) => {
      const [item, about] = [toOneLine(text), toOneLine(context)];
      return isSound(item) ? [{ text: item, context: isSound(about) ? about : "" }] : [];
    }),
    openQuestions: only(fields.openQuestions),
    toolResults: fields.toolResults.flatMap(({ toolName, summary, importance }) => {
      const said = toOneLine(summary);
      return source.tools.has(toolName) && isSound(said) ? [{ toolName, summary: said, importance }] : [];
    }),
  };
}

/** Facts in a summary or text that do not occur in its source. Empty if the text is faithful. */
export function findUnfaithful(summary: SummaryFields | string, source: string): readonly string[] {
  const { missing } = readSource(source);
  // Message numbers and speakers at the start of a line are added by Stonechat, not by the model.
  const texts =
    typeof summary === "string"
      ? [
          summary.replace(
            /^[ \t]*\[?(?:messages\s+|m)\d+(?:-m?\d+)?\]?:?(?:\s+(?:user|person|assistant):)?(?=\s|$)/gmu,
            "",
          ),
        ]
      : listTexts(summary);
  return texts.flatMap((text) => missing(text).map((fact) => fact.text));
}

const listTexts = (fields: SummaryFields): readonly string[] => [
  fields.overview,
  ...fields.keyPoints,
  ...fields.decisions,
  ...fields.actionItems.flatMap(({ text, context }) => [text, context]),
  ...fields.openQuestions,
  ...fields.toolResults.map(({ summary }) => summary),
];

/** An indexed source that sentences are checked against. */
export type SummarySource = {
  readonly missing: (text: string) => readonly Fact[];
  readonly tools: ReadonlySet<string>;
};

export function readSource(text: string, tools: readonly string[] = []): SummarySource {
  const whole = toFolded(text);
  const words = new Set(whole.match(/[\p{L}\p{N}_]+/gu) ?? []);
  const days = new Set(listDates(text.normalize("NFKC")).flatMap((date) => date.days));
  const numbers = new Set(
    [...whole.matchAll(/\p{Nd}+(?:[.,'’\u00a0\u202f]\p{Nd}+)*/gu)].flatMap(([number]) => [
      ...toValues(number),
      ...number.split(/[^\p{Nd}]+/u).flatMap(toValues),
    ]),
  );
  const holdsNumber = (value: string): boolean => toValues(value).some((one) => numbers.has(one));
  const holdsDay = (day: string): boolean =>
    days.has(day) ||
    (days.has(`-${day.slice(4)}`) && words.has(day.slice(0, 4))) ||
    (day.startsWith("--") && [...days].some((known) => known.endsWith(day.slice(1))));
  const holds = ({ kind, text: fact }: Fact): boolean => {
    const folded = toFolded(fact);
    switch (kind) {
      case "number":
        return holdsNumber(fact);
      case "date": {
        const [date] = listDates(fact);
        return whole.includes(folded) || (date?.days.some(holdsDay) ?? true);
      }
      case "address":
        return holdsWhole(whole, folded, inAddress);
      case "id":
      case "quote":
        return holdsWhole(whole, folded, inWord);
      case "name":
        return (folded.match(/[\p{L}\p{N}]+/gu) ?? []).every((word) => words.has(word));
      case "word":
        return words.has(folded) || holdsNumber(String(numberWords[folded] ?? "x")) || holdsMonth(days, folded);
    }
  };
  /** Verbatim sentences need no check of their facts. */
  const isThere = (sentence: string): boolean =>
    holdsWhole(whole, toFolded(sentence.replace(/…$/, "")).trim(), inAddress);
  const missingIn = (sentence: string): readonly Fact[] =>
    isThere(sentence) ? [] : listFacts(sentence).filter((fact) => !holds(fact));
  return {
    missing: (checked) => splitSentences(checked).flatMap(({ text: sentence }) => missingIn(sentence)),
    tools: new Set(tools),
  };
}

const inWord = /[\p{L}\p{N}]/u;
const inAddress = /[\p{L}\p{N}/?#=&_-]/u;

/** Whether `part` occurs as whole words: `A-1` does not occur in `A-12`. */
function holdsWhole(whole: string, part: string, inside: RegExp): boolean {
  if (part === "") return true;
  for (let at = whole.indexOf(part); at >= 0; at = whole.indexOf(part, at + 1)) {
    const startsInside = isJoined(whole[at - 1] ?? "", part[0] ?? "", inWord);
    const endsInside = isJoined(part.at(-1) ?? "", whole[at + part.length] ?? "", inside);
    if (!startsInside && !endsInside) return true;
  }
  return false;
}

/** Whether two characters belong to one word. Unknown, so false, in scripts without spaces. */
const isJoined = (one: string, next: string, inside: RegExp): boolean =>
  inside.test(one) && inside.test(next) && !unspaced.test(one) && !unspaced.test(next);

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const holdsMonth = (days: ReadonlySet<string>, word: string): boolean => {
  const month = months.findIndex((name) => name === word) + 1;
  return month > 0 && [...days].some((day) => day.slice(-5, -3) === String(month).padStart(2, "0"));
};

const toFolded = (text: string): string => text.normalize("NFKC").toLowerCase().replace(/\s+/g, " ");
