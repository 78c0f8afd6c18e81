import { findPassage, rank } from "../rank/rank.ts";
import { textOf, type MessageView } from "../../protocol/fold.ts";
import type { Recalled } from "./search.ts";

/** Text of a message in the prompt, either its own or recalled earlier. */
export type Shown = Pick<Recalled, "messageId" | "depth" | "role" | "at" | "text">;

/** The texts of messages in a prompt, and the passages that were recalled before them. */
export const listShown = (messages: readonly MessageView[]): readonly Shown[] =>
  messages.flatMap(({ id: messageId, depth, role, createdAt: at, parts }): readonly Shown[] => [
    ...parts.flatMap((part) => (part.kind === "context" ? ((part.recalled ?? []) as readonly Recalled[]) : [])),
    { messageId, depth, role, at, text: textOf(parts) },
  ]);

/** Minimum score, relative to the best recalled passage. */
const AS_NEAR = 0.75;
const MOST = 3;

/**
 * When an old passage is recalled, newer messages in the prompt that are equally relevant are repeated after it. So an outdated
 * statement is never the last one on its subject.
 */
export function renderNewer(
  question: string,
  recalled: readonly Recalled[],
  shown: readonly Shown[],
): readonly Recalled[] {
  if (recalled.length === 0) return recalled;
  const oldest = Math.min(...recalled.map(({ depth }) => depth));
  const known = new Set(recalled.map(({ messageId }) => messageId));
  const later = shown.filter(({ depth, messageId, text }) => depth > oldest && !known.has(messageId) && text !== "");
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
  // Their sources are already listed with the messages in the prompt.
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
