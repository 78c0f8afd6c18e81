import { keepNewest } from "../fit.ts";
import { listLeftOut } from "./left-out.ts";
import type { Policy } from "./policy.ts";
import { findFirst, toBlocks } from "./window.ts";

export const MESSAGES_LIMIT = 50;

/** The last 50 messages with tool calls and their results, as many of the newest as fit. */
export const chooseMessages: Policy = (input) => {
  const { units, budget } = input;
  const first = findFirst(units, MESSAGES_LIMIT);
  const blocks = toBlocks(
    keepNewest(
      units.filter(({ depth }) => depth >= first),
      budget,
    ),
  );
  return {
    blocks,
    leftOut: listLeftOut(input, blocks, (depth) => (depth < first ? "beyond-the-window" : "over-budget")),
  };
};
