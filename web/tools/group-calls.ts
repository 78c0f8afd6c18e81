import type { Part, PartOf, ToolState } from "../../protocol/parts.ts";
import { isCitations } from "../sources/citations.ts";
import { cardKindOf } from "../labels/card-kind.ts";
import type { ToolPart } from "../labels/tools.ts";

/** Reasoning between two calls belongs to them. */
export type Member = ToolPart | PartOf<"reasoning">;

export type Block =
  | { readonly kind: "part"; readonly key: string; readonly part: Part }
  | {
      readonly kind: "calls";
      readonly key: string;
      readonly members: readonly Member[];
      /** Text follows, so these calls are finished. */
      readonly isOver: boolean;
    };

/**
 * Splits a message into blocks: consecutive tool calls and the reasoning between them form one block. Sources and citation
 * results are rendered elsewhere.
 */
export function toBlocks(parts: readonly Part[], isRunning: boolean): readonly Block[] {
  const blocks: Block[] = [];
  let calls: Member[] = [];
  let thoughts: PartOf<"reasoning">[] = [];
  const close = (isOver: boolean) => {
    const first = calls[0];
    if (first) blocks.push({ kind: "calls", key: first.id, members: calls, isOver });
    for (const part of thoughts) blocks.push({ kind: "part", key: part.id, part });
    calls = [];
    thoughts = [];
  };
  for (const part of parts) {
    if (part.kind === "source" || isCitations(part) || isSilent(part)) continue;
    if (part.kind === "tool") {
      if (calls.length === 0) close(false);
      calls.push(...thoughts, part);
      thoughts = [];
    } else if (part.kind === "reasoning") thoughts.push(part);
    else {
      close(true);
      blocks.push({ kind: "part", key: part.id, part });
    }
  }
  close(!isRunning);
  return blocks;
}

const isSilent = (part: Part): boolean =>
  (part.kind === "step" && part.attempt === 1) ||
  ((part.kind === "text" || part.kind === "reasoning") && part.text.trim() === "" && part.state !== "streaming");

export type Chain = {
  /** Folded into one line. */
  readonly folded: readonly Member[];
  readonly shown: readonly Member[];
};

const fewest = 3;

/**
 * Which calls are folded: finished, with nothing left to do for the user, and of an earlier step than the newest while the
 * chain continues. Fewer than three are not folded.
 */
export function foldChain(members: readonly Member[], isOver: boolean): Chain {
  const newest = Math.max(...members.map(({ step }) => step));
  const isPast = (member: Member) => isOver || member.step < newest;
  const isFolded = (member: Member) => isPast(member) && (member.kind === "reasoning" || isHistory(member, isOver));
  const folded = members.filter(isFolded);
  const count = folded.filter((member) => member.kind === "tool").length;
  if (count < fewest) return { folded: [], shown: members };
  return { folded, shown: members.filter((member) => !isFolded(member)) };
}

/** Never folded: plans, memory changes (for their undo), the user's answers and unknown outcomes. */
const isHistory = ({ name, state }: ToolPart, isOver: boolean): boolean => {
  const kind = cardKindOf(name);
  const isKept = kind === "memory" || kind === "question" || (kind === "plan" && !isOver);
  return isFinished(state) && state !== "unknown" && !isKept;
};

const unfinished: readonly ToolState[] = ["input-streaming", "ready", "asking", "running"];

export const isFinished = (state: ToolState): boolean => !unfinished.includes(state);
