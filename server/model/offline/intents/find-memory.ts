import { toTerms } from "../terms.ts";
import { findField, readFact, type Fact } from "./facts.ts";
import { isQuestion, toRequest } from "./polite.ts";
import { wishFor, type Wish } from "./wish.ts";

const remember = [
  /^(?:remember|memori[sz]e|keep in mind|don['’]t forget|make a note|note)(?<that>\s*[:,]| that| down that)?\s+(?<rest>.+)$/iu,
  /^(?:merke? (?:dir|es dir)|erinnere? dich(?: daran)?|vergiss nicht|notiere?(?: dir)?)(?<that>\s*[:,])?\s*(?:dass |daß )?\s*(?<rest>.+)$/iu,
  /^(?:souviens[- ]toi|rappelle[- ]toi|retiens|n['’]oublie pas|note)(?<that>\s*:| que| qu['’])?\s*(?<rest>.+)$/iu,
  /^(?:recuerda|acuérdate(?: de)?|no olvides|anota|ten en cuenta)(?<that>\s*:| que)?\s+(?<rest>.+)$/iu,
  /^(?:ricorda(?:ti)?|non dimenticare|annota|tieni a mente)(?<that>\s*:| che)?\s+(?<rest>.+)$/iu,
  /^(?:запомни(?:те)?|не забудь(?:те)?|учти|помни)(?<that>\s*:|,? что)?\s+(?<rest>.+)$/iu,
  /^(?:记住|記住|记得|记下|别忘了|不要忘记)(?<that>[，,：:])?\s*(?<rest>.+)$/u,
  /^(?<rest>.+?)(?:ということ)?(?:を|と|って)?(?:覚えて(?:おいて)?|記憶して|メモして)ね?$/u,
];
/** "Remember when ..." asks, and "note the difference" teaches. */
const noFact =
  /^(?:when|how|who|what|where|why|the time|if|als|wie|wer|was|quand|comment|cuando|cómo|quando|come|когда|как)(?![\p{L}])/iu;

const forget = [
  /^(?:forget|stop remembering|delete)(?: about| that)?\s+(?<rest>.+?)(?: from (?:your |my )?memory)?$/iu,
  /^vergiss (?!nicht)(?:,?\s*(?:dass|daß) )?(?<rest>.+)$/iu,
  /^oublie[z]?(?: que| qu['’])?\s*(?<rest>.+)$/iu,
  /^olvida(?: que)?\s+(?<rest>.+)$/iu,
  /^dimentica(?: che)?\s+(?<rest>.+)$/iu,
  /^забудь(?:те)?(?:,? что| про| о| об)?\s+(?<rest>.+)$/iu,
  /^(?:忘记|忘記|忘掉|忘了)(?<rest>.+)$/u,
  /^(?<rest>.+?)(?:のこと)?(?:を|は)?忘れて$/u,
];
const isDelete = /^delete/i;
const nothing = /^(?:it|that|this|all that|about it|es|das|ça|cela|eso|lo|это|吧)$/iu;

const recall =
  /what do you (?:know|remember) (?:about|of) me|what (?:have you|did you) (?:noted|remember(?:ed)?) (?:about|of) me|show (?:me )?(?:your |my |the )?(?:working )?memory|was wei(?:ß|ss)t du über mich|was hast du dir (?:über mich )?gemerkt|que sais[- ]tu (?:de|sur) moi|qu['’]as[- ]tu retenu|qué (?:sabes|recuerdas) (?:de|sobre) mí|cosa (?:sai|ricordi) di me|что ты (?:знаешь|помнишь) обо мне|你(?:记得|知道|了解)(?:关于)?我(?:的)?(?:什么|哪些)|私(?:について|のこと).{0,8}(?:覚えて|知って)/iu;

const everything =
  /^(?:everything|all|alles|tout|todo|tutto|всё|все|一切|全部|所有|すべて|全て|全部)(?:$|[\s,]| about me)/iu;

/** `system`: where what is remembered stands. */
export const findMemory = (text: string, system: string): Wish | undefined => {
  if (recall.test(text)) return wishFor("working_memory", {});
  const request = toRequest(text);
  const told = findRest(remember, request);
  const isSure = told?.that !== undefined || !/^note/i.test(request);
  const isAsking = /[?？]\s*$/.test(text) && request === text.trim().replace(/[?？\s]+$/, "");
  if (told !== undefined && isSure && !isAsking && !noFact.test(told.rest))
    return toRemember(told.rest, "the person asked to remember it");
  const gone = findRest(forget, request);
  if (gone !== undefined && !nothing.test(gone.rest)) return findForgetting(gone.rest, system, isDelete.test(request));
  if (isQuestion(text) || /[.!?。！？]\s*\S/u.test(text.trim())) return undefined;
  const fact = readFact(request);
  return fact?.isPlain ? { ...toChange(fact, "the person said so"), isExplicit: false } : undefined;
};

/** All that comes with the command is to be remembered, unless it asks or wants something forgotten. */
export const toMemoryWish = (text: string, system: string): Wish => {
  if (text === "" || (isQuestion(text) && findMemory(text, system) === undefined)) return wishFor("working_memory", {});
  return findMemory(text, system) ?? toRemember(toRequest(text), "the person asked to remember it");
};

export const isForgetting = (text: string): boolean => findRest(forget, toRequest(text)) !== undefined;

const findRest = (forms: readonly RegExp[], request: string) => {
  const groups = forms.map((form) => form.exec(request)?.groups).find((found) => found !== undefined);
  const rest = groups?.["rest"]?.trim() ?? "";
  return rest === "" ? undefined : { rest, that: groups?.["that"] };
};

const toRemember = (statement: string, reason: string): Wish =>
  toChange(readFact(statement) ?? { field: "notes", op: "append", value: statement, isPlain: false }, reason);

const mostCharacters = 1000;

const toChange = ({ field, op, value }: Fact, reason: string) => ({
  ...callWith([{ field, op, value: value.slice(0, mostCharacters).toWellFormed(), reason }]),
});

const callWith = (changes: readonly object[]) =>
  ({ kind: "call", tool: "working_memory", input: { changes }, isExplicit: true }) as const;

const reason = "the person asked to forget it";

/** A whole field, or the entry that holds these words. When there is none, what is there is looked up and told. */
const findForgetting = (words: string, system: string, isVague: boolean): Wish | undefined => {
  const remembered = readRemembered(system);
  if (everything.test(words)) {
    return callWith(remembered.map(({ field }) => ({ field, op: "remove", reason })));
  }
  const field = findField(words);
  if (field !== undefined) return callWith([{ field, op: "remove", reason }]);
  const entry = findEntry(words, remembered);
  if (entry !== undefined) return callWith([{ ...entry, op: "remove", reason }]);
  return isVague ? undefined : callWith([]);
};

type Entry = { readonly field: string; readonly value: string };

const findEntry = (words: string, remembered: readonly Entry[]): Entry | undefined => {
  const wanted = [...toTerms(words)];
  const share = ({ value }: Entry): number => {
    const terms = toTerms(value);
    return wanted.filter((term) => terms.has(term)).length / Math.max(1, wanted.length);
  };
  const entries = remembered
    .flatMap(({ field, value }) => value.split("\n").map((line) => ({ field, value: line })))
    .filter((entry) => share(entry) >= 0.5);
  return entries.toSorted((a, b) => share(b) - share(a))[0];
};

/** As the run writes it into the prompt. */
const readRemembered = (system: string): readonly Entry[] => {
  const block = /What is remembered about the person:\n([^]*?)(?:\n\n|$)/.exec(system)?.[1] ?? "";
  return [...block.matchAll(/^([a-z]+): ("(?:[^"\\]|\\.)*")$/gm)].map(([, field = "", value = '""']) => ({
    field,
    value: JSON.parse(value) as string,
  }));
};
