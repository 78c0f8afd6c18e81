/** Words that carry no content of their own: they may be added, dropped and changed between "I live" and "the user lives". */
const glue = new Set(
  (
    "a an the i im ive me my mine myself you your we our us he she they them his her their it its user users person persons " +
    "am is are was were be been has have had do does did in at on of to for from by with as and or that this there s m ve re " +
    "der die das ein eine ich bin mein meine meinen in am und ist le la les un une je suis mon ma et est"
  ).split(" "),
);
const negations = new Set(
  (
    "not no never none nothing neither nor without except dont doesnt didnt isnt arent wasnt werent cant cannot wont wouldnt " +
    "shouldnt havent hasnt stop nicht kein keine keinen nie pas jamais nunca"
  ).split(" "),
);

/** Asks for something to be remembered, or forgotten. A sentence without such a word is no request, whatever it mentions. */
const requests =
  /\b(?:remember|memori[sz]e|note|keep in mind|bear in mind|save|store|forget|merk\w*|notier\w*|vergiss|souviens|retiens|retenez|rappelle\w*|oublie|recuerda|anota|olvida|ricorda|lembr\w*)(?![\p{L}\p{N}])|覚えて|忘れて|记住|記住|忘记|기억/u;

/** Words of somebody else: between quotation marks, in code, or in a quoted line of a mail. */
const quoted = /^[ \t]{0,3}>[^\n]*|"[^"\n]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|`[^`]*`/gm;

/** Written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Whether the user asked in that message to remember this: the content words of each clause follow each other there, in one
 * sentence that asks to remember or forget and is no question, in the same order, and nothing before them negates them. Word
 * endings may differ. Quoted text does not count. In doubt no, and the user is asked.
 */
export function isOwnWords(text: string, message: string): boolean {
  if (text.length > LONGEST.text || message.length > LONGEST.message) return false;
  const clauses = text.split(/[,;:.!?\n]/).filter((clause) => clause.trim() !== "");
  const sentences = message
    .replace(quoted, " ")
    .split(/(?<=[;!?。\n])|(?<=\.)(?=\s|$)/)
    .filter((sentence) => requests.test(fold(sentence)) && !/[?？]\s*$/.test(sentence))
    .map((sentence) => ({ sentence, said: listContent(sentence) }));
  return (
    clauses.length > 0 &&
    clauses.every((clause) => {
      const wanted = listContent(clause);
      if (unspaced.test(clause)) return sentences.some(({ sentence }) => fold(sentence).includes(fold(clause).trim()));
      return wanted.length > 0 && sentences.some(({ said }) => isWithin(wanted, said));
    })
  );
}

/** Beyond these the comparison is not made: it takes the product of both. */
const LONGEST = { text: 1_000, message: 20_000 };

function isWithin(wanted: readonly string[], said: readonly string[]): boolean {
  const negated = said.findIndex((word) => negations.has(word));
  const last = negated === -1 ? said.length : negated;
  return said.some((_, at) => at <= last && wanted.every((word, n) => said[at + n] === word));
}

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

const listContent = (text: string): readonly string[] =>
  (
    fold(text)
      .replace(/['’]/g, "")
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  )
    .filter((word) => !glue.has(word))
    .map(toStem);

/** Enough for "live" and "lives", "work" and "working". Negations stay as they are. */
function toStem(word: string): string {
  if (word.length < 4 || negations.has(word)) return word;
  const stem = word.replace(/(?:ing|ed|es|s|e)$/, "");
  return stem.length < 3 || negations.has(stem) ? word : stem;
}
