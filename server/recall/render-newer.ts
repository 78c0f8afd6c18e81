import { findPassage, rank } from "../rank/rank.ts";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import type { Recalled } from "./search.ts";

/** What the prompt shows of one message, said by itself or brought back before. */
export type Shown = Pick<Recalled, "messageId" | "depth" | "role" | "at" | "text">;

/** Of messages that stand in a prompt: their words, and what was told ahead of them. */
export const listShown = (messages: readonly MessageView[]): readonly Shown[] =>
  messages.flatMap(({ id: messageId, depth, role, createdAt: at, parts }): readonly Shown[] => [
    ...parts.flatMap((part) => (part.kind === "context" ? ((part.recalled ?? []) as readonly Recalled[]) : [])),
    { messageId, depth, role, at, text: textOf(parts) },
  ]);

/** As near to the question as what is brought back, or nearly. */
const AS_NEAR = 0.75;
const MOST = 3;

/**
 * What was said later stands later: when something old is brought back, whatever the prompt shows that is as near to the
 * question and was said after it is told once more behind it. So "A" never comes after "not A".
 */
export function renderNewer(
  question: string,
  recalled: readonly Recalled[],
  shown: readonly Shown[],
): readonly Recalled[] {
  if (recalled.length === 0) return recalled;
  const oldest = Math.min(...recalled.map(({ depth }) => depth));
  const told = new Set(recalled.map(({ messageId }) => messageId));
  const later = shown.filter(({ depth, messageId, text }) => depth > oldest && !told.has(messageId) && text !== "");
  const scores = rank(
    question,
    [...recalled, ...later].map(({ text }) => text),
  );
  const best = Math.max(...scores.slice(0, recalled.length));
  const near = later
    .map((one, index) => ({ one, score: scores[recalled.length + index] ?? 0 }))
    .filter(({ score }) => score > 0 && score >= best * AS_NEAR)
    .toSorted((a, b) => b.score - a.score || b.one.depth - a.one.depth);
  const again = [...new Map(near.map((found) => [found.one.messageId, found])).values()].slice(0, MOST);
  // Those stand in the prompt already, with their sources.
  return [
    ...recalled,
    ...again.map(({ one, score }) => ({ ...one, score, text: toPassage(question, one.text), untrusted: [] })),
  ].toSorted((a, b) => a.depth - b.depth);
}

const LONGEST = 400;

function toPassage(question: string, text: string): string {
  if (text.length <= LONGEST) return text;
  const found = findPassage(question, text);
  return found ? text.slice(found.start, found.end) : text.slice(0, LONGEST).toWellFormed();
}
