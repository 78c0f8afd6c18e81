import { textOf, type MessageView } from "../protocol/fold.ts";
import { keepNewest } from "../server/context/fit.ts";
import { listLeftOut } from "../server/context/policies/left-out.ts";
import type { Policy, PolicyInput } from "../server/context/policies/policy.ts";
import { listEvents, REPLAY, toEventLine, toReplay } from "../server/context/policies/replay.ts";
import { countRecent, SUMMARY, tellMemory, tellSummary } from "../server/context/policies/summary.ts";
import { toLine, TRANSCRIPT } from "../server/context/policies/transcript.ts";
import { fillNewest, findFirst, splitTurns, toBlocks, toTextOnly } from "../server/context/policies/window.ts";

/**
 * Three of the classic designs with the faults of their code, to be measured beside the designs; never offered to people. S0 keeps
 * the oldest 4,000 characters; S1 replays the head of the runs' parts, older first; S4 shows the summaries by their number and the
 * recent messages, and says nothing of what is in neither.
 */
export const codedTranscript: Policy = (input) => {
  const { current } = splitTurns(input);
  const before = listBefore(input, current[0]?.depth).slice(-TRANSCRIPT.messages);
  const lines = before.map(toLine).join("\n").slice(0, TRANSCRIPT.characters).toWellFormed();
  const item = { kind: "block", id: "history", why: "as-coded" } as const;
  const history = lines === "" ? [] : [{ kind: "text" as const, text: lines, item }];
  const blocks = [...history, ...toBlocks(current)];
  return { blocks, leftOut: listLeftOut(input, blocks, () => ({ why: "over-budget", coveredBy: [] })) };
};

export const codedReplay: Policy = (input) => {
  const { units, budget, count } = input;
  const { earlier, current, left } = splitTurns(input);
  const first = findFirst(units, REPLAY.messages);
  const before = listBefore(input, current[0]?.depth).filter(({ depth }) => depth >= first);
  const lines = listEvents(before).slice(0, REPLAY.events).map(toEventLine);
  const text = toReplay(lines).slice(0, REPLAY.characters).toWellFormed();
  const item = { kind: "block", id: "tool-replay", why: "as-coded" } as const;
  const replay = lines.length === 0 ? [] : [{ kind: "text" as const, text, item }];
  const within = earlier.filter(({ depth }) => depth >= first).flatMap((unit) => toTextOnly(unit, count));
  const blocks = [...toBlocks(fillNewest(within, { left, budget, isOpened: false })), ...replay, ...toBlocks(current)];
  return { blocks, leftOut: listLeftOut(input, blocks, () => ({ why: "over-budget", coveredBy: [] })) };
};

export const codedSummary: Policy = (input) => {
  const { units, summaries, budget } = input;
  const first = findFirst(units, countRecent(input));
  const told = [
    { text: tellMemory(input.memory), kind: "memory", id: "working-memory" } as const,
    ...summaries
      .slice(-SUMMARY.summaries)
      .map((one, at) => ({ text: tellSummary(one, at + 1, 0), kind: "summary", id: one.id }) as const),
  ].map(({ text, kind, id }) => ({ kind: "text" as const, text, item: { kind, id, why: "as-coded" } }));
  const recent = keepNewest(
    units.filter(({ depth }) => depth >= first),
    budget,
  );
  const blocks = [...told, ...toBlocks(recent)];
  return { blocks, leftOut: listLeftOut(input, blocks, () => ({ why: "beyond-the-window", coveredBy: [] })) };
};

const listBefore = ({ messages }: PolicyInput, now: number | undefined): readonly MessageView[] =>
  messages.filter(({ depth, parts }) => depth < (now ?? 0) && textOf(parts) !== "");
