import { INSTRUCTIONS } from "./make/instructions.ts";

/** Words of the prompt that stand in a row nowhere else. */
const RUN = 6;

const toWords = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
const toRuns = (words: readonly string[]): readonly string[] =>
  words.slice(RUN - 1).map((_, at) => words.slice(at, at + RUN).join(" "));

const own = new Set(toRuns(toWords(INSTRUCTIONS)));

/** A model that says its instructions back has not summarised anything. */
export const repeatsPrompt = (text: string): boolean => toRuns(toWords(text)).some((run) => own.has(run));

const orders =
  /\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|your)\b[^.\n]{0,30}\b(?:instruction|prompt|rule|message|direction)s?\b|\b(?:system|developer)\s+(?:prompt|message|instruction)s?\b|\byou are now\b|\bnew instructions?\b|\bfrom now on,? (?:you|the assistant)\b|\b(?:the )?assistant must\b|\bdo not (?:tell|inform) the (?:user|person)\b/iu;

/** An order to whoever reads the summary later. It is in the thread, where it can be found; it is no summary of anything. */
export const isInjected = (text: string): boolean => orders.test(text);

/** Marks that chat templates are made of, and what no eye sees. */
const marks =
  /<\|[^|>\n]{0,60}\|>|<\/?s>|\[\/?INST\]|<<\/?SYS>>|<\/?(?:system|assistant|user|human|tool|instructions?|function_calls|antml:\w+|thinking)\b[^>\n]{0,80}>/giu;
const unseen =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Without what could be read as anything but words. */
export const stripControl = (text: string): string => text.replace(unseen, "").replace(marks, " ").toWellFormed();

/** One line of words. */
export const toPlain = (text: string): string => stripControl(text).replace(/\s+/g, " ").trim();
