import { INSTRUCTIONS } from "./make/instructions.ts";

/** This many consecutive words of the instructions do not occur by chance. */
const RUN = 6;

const toWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const toRuns = (words: readonly string[]): readonly string[] =>
  words.slice(RUN - 1).map((_, at) => words.slice(at, at + RUN).join(" "));

const own = new Set(toRuns(toWords(INSTRUCTIONS)));

/** Whether a model repeated its instructions instead of summarizing. */
export const repeatsPrompt = (text: string): boolean => toRuns(toWords(text)).some((run) => own.has(run));

const orders =
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|your)\b[^.\n]{0,30}\b(?:instruction|prompt|rule|message|direction)s?\b|\b(?:system|developer)\s+(?:prompt|message|instruction)s?\b|\byou are now\b|\bnew instructions?\b|\bfrom now on,? (?:you|the assistant)\b|\b(?:the )?assistant must\b|\bdo not (?:tell|inform) the (?:user|person)\b/iu;

/** Whether the text gives instructions to a later reader of the summary. It stays in the thread, but not in the summary. */
export const isInjected = (text: string): boolean => orders.test(text);

/** Tokens of chat templates, and invisible characters. */
const marks =
  /<\|[^|>\n]{0,60}\|>|<\/?s>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|user|human|tool|instructions?|function_calls|antml:\w+|thinking)\b[^>\n]{0,80}>/giu;
const unseen =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Removes invisible characters and template tokens. */
export const stripControl = (text: string): string => text.replace(unseen, "").replace(marks, " ").toWellFormed();

/** Plain text on one line. */
export const toOneLine = (text: string): string => stripControl(text).replace(/\s+/g, " ").trim();
