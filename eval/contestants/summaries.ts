import type { Log } from "./log.ts";
import { textOf, toText } from "./log.ts";
import { summarize } from "./stand-in.ts";

/**
 * Summaries of a thread by the stand-in, made in the background when so many messages or 2,000 tokens (words x 1.3)
 * have come since the last. `isRolling`: one summary of everything, made again each time.
 */
const TRIGGER_TOKENS = 2_000;
const LEAST_MESSAGES = 4;

export function createSummaries(options: {
  readonly tokens: number;
  readonly messages: number;
  readonly isRolling: boolean;
}): {
  readonly update: (log: Log) => void;
  readonly latest: (count: number) => readonly string[];
  readonly covered: () => number;
  /** Cost since the last call of this function. */
  readonly takeCost: () => number;
} {
  let made: readonly string[] = [];
  let covered = 0;
  let cost = 0;
  return {
    update: (log) => {
      const fresh = log.messages.slice(covered);
      const text = fresh.map(({ role, parts }) => `${role}: ${tellParts(parts)}`).join("\n");
      const estimate = Math.ceil(text.split(/\s+/).length * 1.3);
      if (fresh.length < LEAST_MESSAGES) return;
      if (fresh.length < options.messages && estimate < TRIGGER_TOKENS) return;
      const summary = summarize(options.isRolling ? [...made, text].join("\n") : text, options.tokens);
      made = options.isRolling ? [summary.text] : [...made, summary.text];
      covered = log.messages.length;
      cost += summary.cost;
    },
    latest: (count) => made.slice(-count),
    covered: () => covered,
    takeCost: () => {
      const taken = cost;
      cost = 0;
      return taken;
    },
  };
}

const tellParts = (parts: Log["messages"][number]["parts"]): string =>
  [
    textOf(parts),
    ...parts.flatMap((part) => (part.kind === "tool" ? [`${part.name}: ${toText(part.output)}`] : [])),
  ].join("\n");
