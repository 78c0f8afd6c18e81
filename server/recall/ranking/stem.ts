/**
 * English stems by the Snowball algorithm "English (Porter2)": inflected forms of a word get the same stem. Words with other
 * characters than a-z are returned unchanged.
 */
export function stemEnglish(word: string): string {
  if (word.length < 3 || !/^[a-z']+$/.test(word)) return word;
  const known = irregular.get(word);
  if (known !== undefined) return known;
  const marked = word
    .replace(/^'/, "")
    .replace(/^y/, "Y")
    .replace(/([aeiouy])y/g, "$1Y");
  const regions = findRegions(marked);
  let stem = dropPossessive(marked);
  stem = dropPlural(stem);
  if (settled.has(stem)) return stem;
  stem = dropPast(stem, regions.first);
  stem = stem.replace(/(?<=.)([^aeiouy])[yY]$/, "$1i");
  stem = replaceSuffix(stem, derived, regions.first);
  stem = replaceSuffix(stem, adjectival, regions.first, regions.second);
  stem = dropNominal(stem, regions.second);
  return dropFinal(stem, regions).toLowerCase();
}

type Regions = { readonly first: number; readonly second: number };
type Suffix = readonly [suffix: string, becomes: string, after?: RegExp | undefined, within?: "second"];

const irregular: ReadonlyMap<string, string> = new Map(
  (
    "skis:ski skies:sky dying:die lying:lie tying:tie idly:idl gently:gentl ugly:ugli early:earli only:onli singly:singl " +
    "sky:sky news:news howe:howe atlas:atlas cosmos:cosmos bias:bias andes:andes"
  )
    .split(" ")
    .map((pair) => pair.split(":") as [string, string]),
);
const settled = new Set("inning outing canning herring earring proceed exceed succeed".split(" "));

const VOWEL = "[aeiouy]";
const CONSONANT = "[^aeiouy]";
const region = new RegExp(`${VOWEL}${CONSONANT}`);
const shortEnd = new RegExp(`(?:${CONSONANT}${VOWEL}[^aeiouywxY]|^${VOWEL}${CONSONANT})$`);
const hasVowel = new RegExp(VOWEL);

function findRegions(word: string): Regions {
  const special = /^(?:gener|commun|arsen)/.exec(word);
  const first = special ? special[0].length : findRegion(word, 0);
  return { first, second: findRegion(word, first) };
}

function findRegion(word: string, from: number): number {
  const found = region.exec(word.slice(from));
  return found ? from + found.index + 2 : word.length;
}

const dropPossessive = (word: string): string => word.replace(/'s?'?$/, "");

function dropPlural(word: string): string {
  if (word.endsWith("sses")) return word.slice(0, -2);
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word) || !word.endsWith("s")) return word;
  return hasVowel.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function dropPast(word: string, first: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed) return eed.index >= first ? `${word.slice(0, eed.index)}ee` : word;
  const found = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (!found || !hasVowel.test(word.slice(0, found.index))) return word;
  const rest = word.slice(0, found.index);
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest.slice(0, -1);
  return first >= rest.length && shortEnd.test(rest) ? `${rest}e` : rest;
}

/** Longest first. Only the first matching suffix is considered. */
const derived: readonly Suffix[] = [
  ["ization", "ize"],
  ["ational", "ate"],
  ["fulness", "ful"],
  ["ousness", "ous"],
  ["iveness", "ive"],
  ["tional", "tion"],
  ["biliti", "ble"],
  ["lessli", "less"],
  ["entli", "ent"],
  ["ation", "ate"],
  ["alism", "al"],
  ["aliti", "al"],
  ["ousli", "ous"],
  ["iviti", "ive"],
  ["fulli", "ful"],
  ["enci", "ence"],
  ["anci", "ance"],
  ["abli", "able"],
  ["izer", "ize"],
  ["ator", "ate"],
  ["alli", "al"],
  ["bli", "ble"],
  ["ogi", "og", /l$/],
  ["li", "", /[cdeghkmnrt]$/],
];

const adjectival: readonly Suffix[] = [
  ["ational", "ate"],
  ["tional", "tion"],
  ["alize", "al"],
  ["icate", "ic"],
  ["iciti", "ic"],
  ["ative", "", undefined, "second"],
  ["ical", "ic"],
  ["ness", ""],
  ["ful", ""],
];

function replaceSuffix(word: string, suffixes: readonly Suffix[], first: number, second = first): string {
  const found = suffixes.find(([suffix]) => word.endsWith(suffix));
  if (!found) return word;
  const [suffix, becomes, after, within] = found;
  const rest = word.slice(0, -suffix.length);
  if (rest.length < (within === "second" ? second : first)) return word;
  return after && !after.test(rest) ? word : rest + becomes;
}

const nominal = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|ion|al|er|ic)$/;

function dropNominal(word: string, second: number): string {
  const found = nominal.exec(word);
  if (!found || found.index < second) return word;
  const rest = word.slice(0, found.index);
  return found[0] === "ion" && !/[st]$/.test(rest) ? word : rest;
}

function dropFinal(word: string, { first, second }: Regions): string {
  const rest = word.slice(0, -1);
  if (word.endsWith("e")) {
    const drops = rest.length >= second || (rest.length >= first && !shortEnd.test(rest));
    return drops ? rest : word;
  }
  return word.endsWith("ll") && rest.length >= second ? rest : word;
}
