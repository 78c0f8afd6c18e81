import { describeEnd } from "../../protocol/fold.ts";
import type { PartOf } from "../../protocol/parts.ts";
import type { EarlyEnd } from "../../protocol/run.ts";
import { joinEnglish, renderSentence, type Text } from "../../protocol/sentences.ts";
import { groupDigits } from "../lib/format.ts";
import { own } from "../lib/own.ts";
import { getLanguage, getLocale } from "../strings/language.ts";
import { message } from "../strings/message.ts";
import { parts } from "../strings/parts.ts";
import { sentences as fixed } from "../strings/sentences.ts";

const texts: Readonly<Record<string, string | ((...values: string[]) => string)>> = parts.notices;

/** A text of the server in the page's language if it consists of fixed sentences; otherwise as the server wrote it. */
export function toPageText({ text, sentences = [] }: Text): string {
  const rendered = sentences.map((one) => renderSentence(one, fixed, groupDigits, joinItems) ?? "");
  if (rendered.length === 0 || rendered.includes("")) return text;
  return rendered.join(getLanguage() === "ja" ? "" : " ");
}

const joinItems = (items: readonly string[]): string =>
  getLanguage() === "en" ? joinEnglish(items) : new Intl.ListFormat(getLocale()).format(items);

/** The text of a notice in the page's language; otherwise the server's. */
export function toNoticeText({
  code,
  text,
  values,
  sentences,
}: Pick<PartOf<"notice">, "code" | "text" | "values" | "sentences">): string {
  if (values === undefined) return toPageText({ text, sentences });
  const found = own(texts, code);
  if (typeof found !== "function") return found ?? text;
  return found(...values.map((value) => (typeof value === "number" ? groupDigits(value) : value)));
}

/** Why an answer ended, in one line without the advice to choose *Continue*. */
export function describeEarlyEnd({ outcome, reason }: EarlyEnd): string {
  const { outcomes, failedBecause } = message.run;
  if (!reason || outcome === "stopped") return outcomes[outcome];
  if (outcome === "failed") return failedBecause(toPageText(reason));
  const sentences = reason.sentences?.filter(({ name }) => !name.startsWith("continue-"));
  return toPageText({ text: describeEnd({ outcome, reason }), sentences });
}
