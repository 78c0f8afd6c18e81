import { toTerms } from "./terms.ts";

/** Function words in the form of `toTerms`: English, German, French, Spanish, Italian, Dutch. */
const functionWords: ReadonlySet<string> = new Set(
  (
    "a about after all also am an and any are as at be because been before being but by can could did do does doing for " +
    "from had has have having he her here hers him his how i if in into is it its just let me more most my no nor not of " +
    "on only or other our out over please s she should so some such t tell than that the their them then there these " +
    "they this those to too under until up very was we were what when where which while who whom whose why will with " +
    "would you your " +
    "aber als am an auch auf aus bei bin bis bitte da das dass dem den der des die doch du ein eine einem einen einer " +
    "eines er es fur hat hatte ich ihr im in ist ja kann kein keine man mich mir mit nach nicht noch nur oder sein sich " +
    "sie sind so uber um und uns unter vom von vor war waren warum was welche welcher wenn wer wie wird wo zu zum zur " +
    "au aux avec ce ces cette comme dans de des du elle en est et etre il ils je la le les leur lui mais ne nous on ou " +
    "par pas pour qu que quel quelle qui sa sans ses son sont sur un une vous " +
    "al como con cual de del donde el ella en entre es esta este esto fue ha hay la las lo los mas mi muy no o para pero " +
    "por porque que quien se ser si sin sobre son su sus un una y yo " +
    "che chi con da dei della delle di e gli il la le ma mi nel nella non o per piu se sono su un uno " +
    "dat de deze die dit een en er het hij ik is je maar met naar niet of om op te tot uit van voor waar wat wie wij zij zijn"
  ).split(" "),
);

/** Texts indexed once for many questions. */
export type Index = {
  /** One score per text, in order. */
  readonly score: (question: string) => readonly number[];
  /** Weights the question's words by this set, to score other texts. */
  readonly weigh: (question: string) => WeighedTerms;
};

type WeighedTerms = {
  readonly words: readonly { readonly stem: string; readonly weight: number }[];
  /** Adjacent words of the question. */
  readonly pairs: readonly { readonly pair: string; readonly weight: number }[];
};

/** The indexed form of a text. */
type Bag = {
  readonly counts: ReadonlyMap<string, number>;
  readonly pairs: ReadonlySet<string>;
  readonly length: number;
};

const PAIRS_SHARE = 0.15;
/** Share of a word's score that depends on its frequency and the text's length. */
const FREQUENCY_SHARE = 0.15;
const SATURATION = 1.2;
const LENGTH_SHARE = 0.75;

export function toIndex(texts: readonly string[]): Index {
  const bags = texts.map(toBag);
  const meanLength = bags.reduce((sum, { length }) => sum + length, 0) / Math.max(1, bags.length);
  const having = countHaving(bags);
  const weigh = (question: string): WeighedTerms =>
    toWeighed(question, (stem) => toWeight(having.get(stem) ?? 0, bags.length));
  return {
    weigh,
    score: (question) => {
      const weighed = weigh(question);
      return bags.map((bag) => scoreBag(weighed, bag, meanLength));
    },
  };
}

export function toBag(text: string): Bag {
  const stems = toTerms(text).map(toStem);
  const counts = new Map<string, number>();
  const pairs = new Set<string>();
  let last = "";
  for (const stem of stems) {
    counts.set(stem, (counts.get(stem) ?? 0) + 1);
    if (functionStems.has(stem)) continue;
    if (last !== "") pairs.add(`${last} ${stem}`);
    last = stem;
  }
  return { counts, pairs, length: stems.length };
}

export function scoreBag(
  { words, pairs }: WeighedTerms,
  { counts, pairs: found, length }: Bag,
  meanLength: number,
): number {
  const longer = 1 - LENGTH_SHARE + (LENGTH_SHARE * length) / Math.max(1, meanLength);
  const covered = toShare(words, ({ stem }) => {
    const count = counts.get(stem) ?? 0;
    if (count === 0) return 0;
    return 1 - FREQUENCY_SHARE + (FREQUENCY_SHARE * count) / (count + SATURATION * longer);
  });
  if (pairs.length === 0) return covered;
  return (1 - PAIRS_SHARE) * covered + PAIRS_SHARE * toShare(pairs, ({ pair }) => (found.has(pair) ? 1 : 0));
}

function toShare<T extends { readonly weight: number }>(items: readonly T[], found: (item: T) => number): number {
  let all = 0;
  let sum = 0;
  for (const item of items) {
    all += item.weight;
    sum += item.weight * found(item);
  }
  return all === 0 ? 0 : sum / all;
}

/** The number of texts that contain each word. */
function countHaving(bags: readonly Bag[]): ReadonlyMap<string, number> {
  const having = new Map<string, number>();
  for (const { counts } of bags) for (const stem of counts.keys()) having.set(stem, (having.get(stem) ?? 0) + 1);
  return having;
}

/** A word that no text contains gets the average weight of the question's other words. */
function toWeighed(question: string, findWeight: (stem: string) => number | undefined): WeighedTerms {
  const stems = toSubject(question);
  const words = [...new Set(stems)].map((stem) => ({ stem, found: findWeight(stem) }));
  const known = words.flatMap(({ found }) => found ?? []);
  const mean = known.length === 0 ? 1 : known.reduce((sum, weight) => sum + weight, 0) / known.length;
  const weights = new Map(words.map(({ stem, found }) => [stem, found ?? mean]));
  const weigh = (stem: string): number => weights.get(stem) ?? 0;
  const pairs = stems.slice(1).flatMap((stem, index) => {
    const before = stems[index] ?? "";
    if (before === stem || functionStems.has(stem)) return [];
    return [{ pair: `${before} ${stem}`, weight: Math.min(weigh(before), weigh(stem)) }];
  });
  return { words: [...weights].map(([stem, weight]) => ({ stem, weight })), pairs };
}

const toWeight = (having: number, of: number): number | undefined =>
  having === 0 ? undefined : 0.5 + Math.log(1 + (of - having + 0.5) / (having + 0.5));

/** The content words; all words if there are no content words. */
export function toSubject(question: string): readonly string[] {
  const stems = toTerms(question).map(toStem);
  const [whole, telling] = [stems.filter(isWhole), stems.filter((stem) => isWhole(stem) && !functionStems.has(stem))];
  return telling.length > 0 ? telling : whole.length > 0 ? whole : stems;
}

/** False for the single last character of an unspaced run, which the previous pair already contains. */
const isWhole = (stem: string): boolean => !/^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]$/u.test(stem);

const STEM_LENGTH = 7;

/** Deliberately simple. A stem need not be a word, only equal for its forms. Numbers are unchanged. */
export function toStem(term: string): string {
  if (term.length < 4 || /\p{N}/u.test(term)) return term;
  return toSingular(term).slice(0, STEM_LENGTH);
}

function toSingular(term: string): string {
  if (!term.endsWith("s") || /[^aeo](?:us|is)$|ss$/.test(term)) return term;
  if (term.length > 4 && term.endsWith("ies")) return `${term.slice(0, -3)}y`;
  return /(?:ss|x|z|ch|sh)es$/.test(term) ? term.slice(0, -2) : term.slice(0, -1);
}

const functionStems = new Set([...functionWords].map(toStem));
