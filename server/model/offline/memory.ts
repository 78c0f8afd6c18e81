import { isQuestion, toCall, toRequest, type ParsedRequest } from "./intents.ts";
import { asQuote, cut } from "./passages.ts";
import { toFields, toList, toText, type Input } from "./tool-results.ts";

type Memory = ReadonlyMap<string, string>;
type Change = { readonly field: string; readonly op: "append" | "replace"; readonly value: string };

const rememberForm =
  /^(?:remember|memori[sz]e|keep in mind|don['’]t forget|make a note|note)(?<that>\s*[:,]| that| down that)?\s+(?<rest>.+)$/isu;
const forgetForm = /^(?:forget|stop remembering)(?: about| that)?\s+(?<rest>.+?)(?: from (?:your |my )?memory)?$/isu;
const recallForm =
  /what do you (?:know|remember) (?:about|of) me|what (?:have you|did you) (?:noted|remember(?:ed)?) (?:about|of) me|show (?:me )?(?:your |my |the )?(?:working )?memory/iu;
/** "Remember when ..." asks. */
const noFact = /^(?:when|how|who|what|where|why|the time|if)\b/iu;

/** A change of the user's memory, or a look at it. Plain facts ("My name is Bo") are remembered unasked. */
export const findMemory = (text: string, memory: Memory): ParsedRequest | undefined => {
  if (recallForm.test(text)) return toCall("working_memory", {});
  const request = toRequest(text);
  const { rest: fact = "", that } = rememberForm.exec(request)?.groups ?? {};
  const isStated = that !== undefined || (!/^note/i.test(request) && !/^remember.*\?\s*$/is.test(text.trim()));
  if (fact !== "" && isStated && !noFact.test(fact)) return remember(fact);
  const forgotten = forgetForm.exec(request)?.groups?.["rest"] ?? "";
  if (forgotten !== "" && !/^(?:it|that|this|all that|about it)$/i.test(forgotten)) return forget(forgotten, memory);
  if (isQuestion(text) || /[.!?]\s*\S/u.test(text.trim())) return undefined;
  const change = readFact(request);
  if (change === undefined || change.field === "preferences") return undefined;
  return { kind: "call", calls: [toCalls([{ ...change, reason: "the user said so" }])], isExplicit: false };
};

/** Parses the text of the memory command: its words are remembered unless they ask a question or to forget something. */
export const fillMemory = (text: string, memory: Memory): ParsedRequest =>
  findMemory(text, memory) ??
  (text === "" || isQuestion(text) ? toCall("working_memory", {}) : remember(toRequest(text)));

const isForgetting = (text: string): boolean => forgetForm.test(toRequest(text));

const toCalls = (changes: readonly object[]) => ({ name: "working_memory", input: { changes } });

const remember = (statement: string): ParsedRequest => {
  const { field, op, value } = readFact(statement) ?? { field: "notes", op: "append", value: statement };
  const change = { field, op, value: value.slice(0, 1000).toWellFormed(), reason: "the user asked to remember it" };
  return toCall("working_memory", { changes: [change] });
};

/** Removes a field that is named, or all. Otherwise no change: the memory is shown. */
const forget = (words: string, memory: Memory): ParsedRequest => {
  const reason = "the user asked to forget it";
  if (/^(?:everything|all)(?:$|[\s,])/iu.test(words)) {
    return toCall("working_memory", { changes: [...memory.keys()].map((field) => ({ field, op: "remove", reason })) });
  }
  const field = words.replace(/^my\s+/i, "").toLowerCase();
  const isField = /^(?:name|age|preferences|location|interests|tendencies|notes)$/.test(field);
  return toCall("working_memory", { changes: isField ? [{ field, op: "remove", reason }] : [] });
};

const factForms: readonly (readonly [field: string, form: RegExp])[] = [
  ["name", /^(?:that )?(?:my name(?:['’]s| is)|(?:you (?:can|may) )?call me) (?<value>.{1,60})$/iu],
  ["location", /^i(?:['’]m| am)? (?:currently |now )?(?:live|living|based) in (?<value>.{1,80})$/iu],
  ["age", /^(?:i(?:['’]m| am)|my age is) (?<value>\d{1,2})(?: years? old)?$/iu],
  ["preferences", /^(?<value>i (?:like|love|prefer|enjoy|hate|dislike|don['’]t like) .+)$/isu],
];
/** "My name is on the list", "call me tomorrow". */
const noName = /^(?:on|in|at|not|the|a|an|no|wrong|missing|later|back|tomorrow|today|when|if|as|asap|maybe)\b/iu;

const readFact = (statement: string): Change | undefined => {
  for (const [field, form] of factForms) {
    const value = form.exec(statement)?.groups?.["value"]?.trim();
    if (value === undefined || value === "") continue;
    if (field === "preferences") return { field, op: "append", value };
    if (value.split(/\s+/).length <= 5 && !(field === "name" && noName.test(value)))
      return { field, op: "replace", value };
  }
  return undefined;
};

/** Renders a result of `working_memory`; undefined if it is to be quoted as it is. */
export const renderMemoryResult = ({ memory, changes, note }: Input, question: string): string | undefined => {
  const known = toFields(memory);
  if (known !== undefined) return renderMemory(known, question);
  const made = toList(changes).map((change) => renderChange(toFields(change) ?? {}));
  return made.length > 0 ? made.join("\n\n") : toText(note) || undefined;
};

const renderChange = ({ field, before, after }: Input): string => {
  const quote = (value: unknown): string => asQuote(cut(`${toText(field)}: ${toText(value)}`));
  if (toText(after) === "") return `Forgotten:\n\n${quote(before)}`;
  return `Remembered:\n\n${quote(after)}${toText(before) === "" ? "" : `\n\nBefore:\n\n${quote(before)}`}`;
};

const renderMemory = (memory: Input, question: string): string => {
  const lines = Object.entries(memory).map(
    ([field, value]) => `${field}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  if (lines.length === 0) return "Nothing is remembered about you.";
  const missed = "\n\nNothing matches what you want to forget. Name the field, as in *forget my location*.";
  return `This is remembered about you:\n\n${asQuote(cut(lines.join("\n")))}${isForgetting(question) ? missed : ""}`;
};
