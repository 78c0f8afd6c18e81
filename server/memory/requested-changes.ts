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
/** May precede the verb of a request. Any other word may report or deny what follows: "she told me to remember". */
const openers = new Set(
  "please bitte ok okay hi hello hey thanks thank you well great yes and also so now then oh danke gut und auch merci".split(
    " ",
  ),
);
/** May be left out of the stored text: "I live in Bern" is stored as "Bern". Other words can change the meaning. */
const neutral = new Set(
  (
    "live lives living name names called call age old years year work works working speak speaks like likes love loves prefer " +
    "prefers enjoy enjoys wohne lebe heiße heisse arbeite spreche mag habite appelle travaille parle aime vivo llamo trabajo hablo"
  )
    .split(" ")
    .map(toStem),
);
/** In scripts without spaces a denial is found by its characters. */
const unspacedDenial = /ない|嘘|誤|違|拒|不|没|非|假|아니|거짓/u;

/** Quoted text: between quotation marks, in code, or in a quoted line of a mail. */
const quoted = /^[ \t]{0,3}>[^\n]*|"[^"\n]*"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|`[^`]*`/gm;

/** Scripts without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

type Change = ValueChange & { readonly field: MemoryField };

/**
 * Describes, for each change, what it does that the message does not ask for: it adds other words, or it removes something that the user
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
 * Whether the user asked in that message to remember this. A request is a sentence that begins with a verb of remembering, or ends
 * with one after a comma; it is no question, and no line precedes it that could introduce pasted text. Each clause of
 * the text is a whole clause of a request, up to neutral words such as "live" and word endings. Quoted text does not count. In
 * doubt no, and the user is asked.
 */
export function isOwnWords(text: string, message: string): boolean {
  if (text.length > LONGEST.text || message.length > LONGEST.message) return false;
  const clauses = toClauses(text);
  const requests = listRequests(message);
  const said = requests
    .flatMap((request) => request.clauses)
    .map((clause) => trimNeutral(listContent(clause)).join(" "));
  const known = new Set(said.filter((words) => words !== ""));
  return (
    clauses.length > 0 &&
    clauses.every((clause) => {
      if (unspaced.test(clause)) return requests.some(({ sentence }) => isInUnspaced(clause, sentence));
      const wanted = listContent(clause);
      return wanted.length > 0 && known.has(trimNeutral(wanted).join(" "));
    })
  );
}

type MemoryRequest = { readonly sentence: string; readonly clauses: readonly string[] };

const separators = /[,;:.!?\n]/;
const conjunctions = /(?<![\p{L}\p{N}])(?:and|und|et|y)(?![\p{L}\p{N}])/u;

/**
 * The requests of a message up to the first line that is no whole sentence, such as "Here is a mail:" or a header, or the first
 * blank line: what follows may be pasted.
 */
function listRequests(message: string): readonly MemoryRequest[] {
  const found: MemoryRequest[] = [];
  let before = "";
  for (const sentence of listSentences(message)) {
    const clauses = toRequest(fold(sentence));
    if (clauses !== null) found.push({ sentence, clauses });
    const line = sentence.trim();
    const isOpen = sentence.endsWith("\n") && (line === "" ? before.endsWith("\n") : !/[.!?。]$/.test(line));
    if (isOpen) break;
    before = sentence;
  }
  return found;
}

/** The clauses of a request, without its verb; null: it is none. */
function toRequest(sentence: string): readonly string[] | null {
  const verb = remembers.exec(sentence);
  if (verb === null || forgets.test(sentence)) return null;
  if (unspaced.test(verb[0])) return unspacedDenial.test(sentence) ? null : [];
  const [before, after] = [sentence.slice(0, verb.index), sentence.slice(verb.index + verb[0].length)];
  const isFirst = listWords(before).every((word) => openers.has(word));
  const isLast = /,[^,]*$/.test(before) && listContent(after).length === 0;
  if (!isFirst && !isLast) return null;
  const said = isFirst ? after : before.slice(0, before.lastIndexOf(","));
  // "... and keep in mind: ..."
  const parts = said.split(separators).map((part) => part.replace(remembers, ""));
  return [...parts, ...parts.flatMap((part) => part.split(conjunctions))];
}

/** The entries of a JSON object are separate clauses: `{"like":"tea"}` is "like tea". */
const toClauses = (text: string): readonly string[] =>
  text
    .replace(/"\s*:/g, '" ')
    .split(separators)
    .filter((clause) => listWords(clause).length > 0);

const isInUnspaced = (clause: string, sentence: string): boolean => fold(sentence).includes(fold(clause).trim());

function trimNeutral(words: readonly string[]): readonly string[] {
  const isKept = (word: string): boolean => !neutral.has(word);
  const [first, last] = [words.findIndex(isKept), words.findLastIndex(isKept)];
  return first === -1 ? words : words.slice(first, last + 1);
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
