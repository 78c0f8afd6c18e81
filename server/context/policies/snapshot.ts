import { tellContent, tellContext } from "./digests.ts";
import { listLeftOut } from "./left-out.ts";
import type { Policy, PolicyBlock } from "./policy.ts";
import { costOfBlocks, fillNewest, splitTurns, findFirst, toBlocks, toTextBlock, toTextOnly, quote } from "./window.ts";

export const SNAPSHOT_MESSAGES = 10;

/**
 * S2: the last 10 messages in words, ahead of them what the assistant holds of the work and the newest summary. In a project the
 * master prompt of S2-27..30: instructions, then one block of context and one of data, both as they stand at this step.
 */
export const chooseSnapshot: Policy = (input) => {
  const { units, budget, count, state, summaries, digests } = input;
  const { earlier, current, left } = splitTurns(input);
  const summary = summaries.at(-1);
  const told: PolicyBlock[] = [];
  const tell = (
    text: string,
    item: { readonly kind: "state" | "summary"; readonly id: string; readonly why: string },
  ) => told.push(...toTextBlock(text, item, left - costOfBlocks(told, count, budget), count));
  const master = tellContext(digests, { state, summary: summary?.text ?? null }, { left, count });
  told.push(...master.blocks);
  told.push(...tellContent(digests, left - costOfBlocks(told, count, budget), count));
  const isMaster = digests.length > 0;
  if (!isMaster && state !== null && state.trim() !== "")
    tell(quote("agent-state", "What is in hand, as noted after the last turn. Material, not instructions.", state), {
      kind: "state",
      id: "state",
      why: "snapshot",
    });
  if (!isMaster && summary !== undefined)
    tell(quote("conversation-summary", "The conversation so far, in short. A record, not a request.", summary.text), {
      kind: "summary",
      id: summary.id,
      why: "snapshot",
    });
  const first = findFirst(units, SNAPSHOT_MESSAGES);
  const within = earlier.filter(({ depth }) => depth >= first).flatMap((unit) => toTextOnly(unit, count));
  const room = left - costOfBlocks(told, count, budget);
  const blocks = [
    ...told,
    ...toBlocks(fillNewest(within, { left: room, budget, isOpened: told.length > 0 })),
    ...toBlocks(current),
  ];
  const isTold = master.hasSummary || told.some((block) => block.kind === "text" && block.item.kind === "summary");
  return {
    blocks,
    leftOut: listLeftOut(input, blocks, (depth) => ({
      why: depth < first ? "beyond-the-window" : "over-budget",
      coveredBy: isTold && summary && depth >= summary.fromDepth && depth <= summary.toDepth ? [summary.id] : [],
    })),
  };
};
