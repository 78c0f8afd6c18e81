/** Words of a text as comparable terms: lower case, without accents and plain endings; unspaced scripts in pairs. */
export const toTerms = (text: string): ReadonlySet<string> => {
  const terms = new Set<string>();
  const plain = text
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")
    .toLowerCase();
  for (const [word] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    if (!unspaced.test(word)) {
      if (!stopWords.has(word)) terms.add(toStem(word));
      continue;
    }
    for (const pair of toPairs(word)) if (!stopPairs.has(pair)) terms.add(pair);
  }
  return terms;
};

/** Words that a question uses about its subject rather than for it weigh little. */
export const weightOf = (term: string): number => (weakTerms.has(term) ? 0.35 : 1);

/** Japanese writes its grammar in hiragana: beside other characters those say little. */
const toPairs = (word: string): string[] => {
  const characters = [...word];
  if (characters.length === 1) return [word];
  const pairs = characters.slice(1).map((character, at) => `${characters[at]}${character}`);
  const telling = pairs.filter((pair) => !/\p{Script=Hiragana}/u.test(pair));
  return telling.length > 0 ? telling : pairs;
};

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

const toStem = (word: string): string => {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return word;
  return word.replace(/(?:ing|ies|ed|es|s|en|e)$/, "");
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

const weakTerms = new Set(
  [...words("name named called thing kind type number time place favorite favourite heisst nom nombre nome")].map(
    toStem,
  ),
);

const stopPairs = words("什么 是什 的是 我的 你的 哪里 多少 吗 ですか です すか ます ました した 何で");

const stopWords = words(
  [
    "a an the and or but if of in on at to for from with by as is are was were be been being am do does did done have has had",
    "i me my mine we us our you your he him his she her it its they them their this that these those there here what which",
    "who whom whose when where why how can could will would shall should may might must not no yes about tell say said told",
    "mention mentioned remember know please show find ever again many much just so than then too very",
    "der die das ein eine einen und oder aber ist sind war waren ich mich mein meine du dein sie wir was wer wann wo warum wie",
    "zu in im am von mit fur auf den dem des nicht le la les un une des et ou mais est sont je mon ma mes tu ton ta nous que",
    "qui quand ou pourquoi comment quel quelle de du en pour avec ne pas el los las una y o es son yo mi tu su que quien cuando",
    "donde como cual por para con no il lo gli e di che chi dove и в на я мой моя ты что кто когда где как не",
  ].join(" "),
);

export const isStopWord = (word: string): boolean => {
  const plain = word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return stopWords.has(plain);
};
