import type { MemoryField } from "../../protocol/memory.ts";
import { changeValue, normalizeValue, type ValueChange } from "./change-value.ts";
import { listEntries } from "./entries.ts";

/** Function words. They may differ between "I live" and "the user lives". */
const glue = new Set(
  (
    "a an the i im ive me my mine myself you your we our us he she they them his her their it its user users person persons " +
    "am is are was were be been has have had do does did in at on of to for from by with as and or that this there s m ve re " +
    "der die das dass ein eine ich bin mein meine meinen in am und ist le la les un une je suis mon ma et est que"
  ).split(" "),
);
const negations = new Set(
  (
    "not no never none nothing neither nor without except dont doesnt didnt isnt arent wasnt werent cant cannot wont wouldnt " +
    "shouldnt havent hasnt stop nicht kein keine keinen nie pas jamais nunca"
  ).split(" "),
);

/** Verbs that ask to remember. A sentence without one is not a request. */
const remembers =
  /\b(?:remember|memori[sz]e|note|keep in mind|bear in mind|save|store|merk\w*|notier\w*|souviens|retiens|retenez|rappelle\w*|recuerda|anota|ricorda|lembr\w*)(?![\p{L}\p{N}])|覚えて|记住|記住|기억/u;
const forgets = /\b(?:forget|vergiss|oublie|olvida)(?![\p{L}\p{N}])|忘れて|忘记/u;
const courtesy = new Set(["please", "bitte"]);

/** Quoted text: between quotation marks, in code, or in a quoted line of a mail. */
const quoted = /^[ \t]{0,3}>[^\n]*|"[^"\n]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|`[^`]*`/gm;

/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

type Change = ValueChange & { readonly field: MemoryField };

/**
 * For each change, what it does that the message does not ask for: it adds other words, or it removes something that the user
 * did not ask to forget. Undefined: the user asked for exactly this.
 */
export function listUnrequested(
  memory: ReadonlyMap<string, string>,
  changes: readonly Change[],
  message: string,
): readonly ("adds" | "removes" | undefined)[] {
  const values = new Map(memory);
  return changes.map((change) => {
    const { field, op, value } = change;
    const before = values.get(field) ?? "";
    const after = tryChange(before, change);
    values.set(field, after);
    if (op !== "remove" && normalizeValue(value) !== "" && !isOwnWords(value, message)) return "adds";
    const isAsked = listRemoved(before, after, change).every((text) => isForgotten(text, field, message));
    return isAsked ? undefined : "removes";
  });
}

/** An invalid change leaves the value as it is. */
function tryChange(before: string, { field, ...change }: Change): string {
  try {
    return changeValue(field, before, change);
  } catch {
    return before;
  }
}

/** The removed texts. Removing a whole field counts as its name. */
function listRemoved(before: string, after: string, { field, op, value }: Change): readonly string[] {
  const given = normalizeValue(value);
  if (given === "") return before === "" ? [] : [field];
  if (op === "remove") return [given];
  const list = (text: string): readonly string[] =>
    field === "extra" ? listEntries(field, text) : text.split("\n").map((line) => fold(line).trim());
  const left = new Set(list(after));
  return list(before).filter((entry) => entry !== "" && !left.has(entry));
}

/**
 * Whether the user asked in that message to remember this: the content words of each clause follow each other there, in one
 * sentence that asks to remember and is no question, in the same order, and nothing before them negates them. Word endings may
 * differ. Quoted text does not count. In doubt no, and the user is asked.
 */
export function isOwnWords(text: string, message: string): boolean {
  if (text.length > LONGEST.text || message.length > LONGEST.message) return false;
  const clauses = text.split(/[,;:.!?\n]/).filter((clause) => clause.trim() !== "");
  const sentences = listSentences(message)
    .filter((sentence) => remembers.test(fold(sentence)) && !forgets.test(fold(sentence)))
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

/** Whether a sentence of the message is "forget" and this, or this with the field's name, and nothing else. In doubt no. */
export function isForgotten(text: string, field: MemoryField, message: string): boolean {
  if (text.length > LONGEST.text || message.length > LONGEST.message) return false;
  const wanted = listContent(text).join(" ");
  const [name] = listContent(field);
  return listSentences(message).some((sentence) => {
    const folded = fold(sentence);
    const verb = forgets.exec(folded);
    if (!verb || !listWords(folded.slice(0, verb.index)).every((word) => courtesy.has(word))) return false;
    const said = listContent(folded.slice(verb.index + verb[0].length));
    return wanted !== "" && [said, said.filter((word) => word !== name)].some((words) => words.join(" ") === wanted);
  });
}

/** Without questions and quoted text. */
const listSentences = (message: string): readonly string[] =>
  message
    .replace(quoted, " ")
    .split(/(?<=[;!?。\n])|(?<=\.)(?=\s|$)/)
    .filter((sentence) => !/[?？]\s*$/.test(sentence));

/** Longer texts are not compared, because the cost is the product of both lengths. */
const LONGEST = { text: 1_000, message: 20_000 };

function isWithin(wanted: readonly string[], said: readonly string[]): boolean {
  const negated = said.findIndex((word) => negations.has(word));
  const last = negated === -1 ? said.length : negated;
  return said.some((_, at) => at <= last && wanted.every((word, n) => said[at + n] === word));
}

const fold = (text: string): string => text.normalize("NFKC").toLowerCase();

const listWords = (text: string): readonly string[] =>
  fold(text)
    .replace(/['’]/g, "")
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];

const listContent = (text: string): readonly string[] =>
  listWords(text)
    .filter((word) => !glue.has(word) && !courtesy.has(word))
    .map(toStem);

/** Matches "live" and "lives", "work" and "working". Negations are not stemmed. */
function toStem(word: string): string {
  if (word.length < 4 || negations.has(word)) return word;
  const stem = word.replace(/(?:ing|ed|es|s|e)$/, "");
  return stem.length < 3 || negations.has(stem) ? word : stem;
}
