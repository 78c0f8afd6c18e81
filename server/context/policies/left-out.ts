import type { Omission } from "../../../protocol/context/receipt.ts";
import { isTerminal, type Part } from "../../../protocol/parts.ts";
import { coveredBy, listCovers } from "../cover.ts";
import type { Unit } from "../units.ts";
import type { PolicyBlock, PolicyInput } from "./policy.ts";

/**
 * Lists messages that are in none of the blocks, as ranges with one reason, and missing parts of messages that are. `judge` gives
 * the reason for a message with content. Coverage is derived from the blocks.
 */
export function listLeftOut(
  { messages, units, count }: Pick<PolicyInput, "messages" | "units" | "count">,
  blocks: readonly PolicyBlock[],
  judge: (depth: number) => Omission["why"],
): readonly Omission[] {
  const sent = Map.groupBy(
    blocks.flatMap((block) => (block.kind === "unit" ? [block.unit] : [])),
    ({ messageId }) => messageId,
  );
  const items = blocks.flatMap((block) => (block.kind === "text" ? [block.item, ...(block.item.inside ?? [])] : []));
  const covers = listCovers(items);
  const all = Map.groupBy(units, ({ messageId }) => messageId);
  const ranges: Omission[] = [];
  const missing: Missing = { "text-only": [], "over-budget": [] };
  for (const { id, depth } of messages) {
    const own = all.get(id) ?? [];
    const there = sent.get(id);
    if (there !== undefined) {
      findMissing(id, own, there, missing);
      continue;
    }
    const tokens = own.reduce((sum, unit) => sum + unit.tokens, 0);
    const why = own.length === 0 ? "empty" : judge(depth);
    const by = own.length === 0 ? [] : coveredBy(depth, covers);
    addToRanges(ranges, { fromDepth: depth, toDepth: depth, messages: 1, tokens, why, coveredBy: by });
  }
  return [...ranges, ...toMissing(missing, messages, count)];
}

function addToRanges(ranges: Omission[], one: Omission): void {
  const last = ranges.at(-1);
  if (last === undefined || !continues(last, one)) return void ranges.push(one);
  ranges[ranges.length - 1] = {
    ...last,
    toDepth: one.toDepth,
    messages: last.messages + 1,
    tokens: (last.tokens ?? 0) + (one.tokens ?? 0),
  };
}

const continues = (last: Omission, one: Omission): boolean =>
  last.toDepth + 1 === one.fromDepth && last.why === one.why && last.coveredBy.join() === one.coveredBy.join();

type Missing = Record<"text-only" | "over-budget", { readonly id: string; readonly part: Part }[]>;

/** A step that was sent without its tools is "text-only"; a step that was not sent is "over-budget". */
function findMissing(id: string, own: readonly Unit[], there: readonly Unit[], missing: Missing): void {
  const [steps, parts] = [new Set<number>(), new Set<number>()];
  for (const unit of there) {
    for (const part of unit.parts) {
      steps.add(part.step);
      parts.add(part.n);
    }
  }
  for (const unit of own) {
    for (const part of unit.parts) {
      if (parts.has(part.n) || !isSaid(part)) continue;
      const isText = part.kind === "text" || !(steps.has(part.step) || part.kind === "tool");
      missing[isText ? "over-budget" : "text-only"].push({ id, part });
    }
  }
}

const isSaid = (part: Part): boolean =>
  part.kind === "text" || part.kind === "reasoning" || (part.kind === "tool" && isTerminal(part.state));

const toMissing = (
  missing: Missing,
  messages: PolicyInput["messages"],
  count: PolicyInput["count"],
): readonly Omission[] =>
  (["text-only", "over-budget"] as const).flatMap((why) => {
    const depths = missing[why].map(({ id }) => messages.find((message) => message.id === id)?.depth ?? 0);
    if (depths.length === 0) return [];
    return [
      {
        fromDepth: Math.min(...depths),
        toDepth: Math.max(...depths),
        messages: 0,
        tokens: missing[why].reduce((sum, { part }) => sum + count(JSON.stringify(part)), 0),
        why,
        coveredBy: [],
        parts: missing[why].map(({ id, part }) => `${id}/${part.n}`),
      },
    ];
  });
