import { joinTexts, type MessageView } from "../../../protocol/fold.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import { lastWordsOf } from "./join-text.ts";

/** The complete text at the end of an interrupted answer. */
export function findInterrupted(messages: readonly MessageView[]): PartOf<"text"> | null {
  const said = joinTexts(messages.at(-1)?.parts ?? []).filter((part) => part.aside === undefined);
  const last = said.findLast((part) => part.kind === "text" || part.kind === "tool");
  return last?.kind === "text" ? last : null;
}

/** Note to the model at the end of the request that continues the text. */
export const toContinuation = ({ text }: PartOf<"text">): string =>
  `[Your answer above was interrupted. Continue it exactly where it stops. Begin with its last words, “${lastWordsOf(text)}”, ` +
  "then continue. Repeat nothing else, and do not mention the interruption.]";
