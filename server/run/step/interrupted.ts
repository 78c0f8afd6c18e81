import { joinTexts, type MessageView } from "../../../protocol/fold.ts";
import type { PartOf } from "../../../protocol/parts.ts";
import { lastWordsOf } from "./join-text.ts";

/** The text that was interrupted at the end of an answer, whole. */
export function findInterrupted(messages: readonly MessageView[]): PartOf<"text"> | null {
  const said = joinTexts(messages.at(-1)?.parts ?? []).filter((part) => part.aside === undefined);
  const last = said.findLast((part) => part.kind === "text" || part.kind === "tool");
  return last?.kind === "text" ? last : null;
}

/** Said to the model at the end of the request that continues it. */
export const toContinuation = ({ text }: PartOf<"text">): string =>
  `[Your answer above was interrupted. Continue it exactly where it stops. Begin with its last words, “${lastWordsOf(text)}”, ` +
  "and go on from there. Repeat nothing else, and do not mention the interruption.]";
