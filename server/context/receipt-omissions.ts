import type { Omission } from "../../protocol/context/receipt.ts";
import type { PromptInputs } from "./assemble.ts";
import type { Compaction } from "./compaction/compaction.ts";
import { coveredBy, splitByCover, type Cover } from "./cover.ts";
import type { Unit } from "./units.ts";
import type { PromptChoices } from "./receipt.ts";

/**
 * Every message of the path is either in the request or in one of these omissions. Coverage is derived from the items of the
 * request.
 */
export function listOmissions(
  inputs: PromptInputs,
  { compaction, order, dropped, leftOut, policy }: PromptChoices,
  covers: readonly Cover[],
): readonly Omission[] {
  const { messages, answer } = inputs;
  const firstLoaded = messages[0]?.depth ?? 1;
  const cut = compaction?.depth ?? 0;
  const inside = new Set(order.flatMap((one) => ("unit" in one ? [one.unit.messageId] : [])));
  const out = new Set(dropped.map(({ messageId }) => messageId));
  const silent = messages.filter(({ id, depth }) => depth > cut && !inside.has(id) && !out.has(id) && id !== answer.id);
  const superseded = messages.flatMap(({ id, parts }) =>
    parts.filter((part) => part.aside !== undefined).map(({ n }) => `${id}/${n}`),
  );
  const gone = messages.filter(({ id }) => out.has(id) && !inside.has(id));
  const partly = dropped.filter(({ messageId }) => inside.has(messageId));
  return [
    ...listBeforeCompaction(compaction, covers),
    ...listSkips(inputs, compaction ?? inputs.compaction, covers),
    ...splitByCover([cut + 1, firstLoaded - 1], "beyond-the-window", covers),
    ...(policy === "stone" ? [] : leftOut),
    ...(gone.length ? [{ ...range(extentOf(gone), gone.length, "over-budget"), tokens: sum(dropped) }] : []),
    ...(partly.length
      ? [
          {
            ...range(extentOf(partly), 0, "over-budget"),
            tokens: sum(partly),
            parts: partly.flatMap(({ messageId, parts }) => parts.map(({ n }) => `${messageId}/${n}`)),
          },
        ]
      : []),
    ...(policy === "stone" && silent.length ? [range(extentOf(silent), silent.length, "empty")] : []),
    ...(superseded.length ? [{ ...range(extentOf(messages), 0, "set-aside"), parts: superseded }] : []),
    ...listUnsent(
      inputs,
      messages.filter(({ id }) => inside.has(id)),
    ),
  ];
}

/** Parts that this model is not sent, of messages in the request. */
const listUnsent = ({ unsent }: PromptInputs, inside: PromptInputs["messages"]): readonly Omission[] => {
  const depths = new Map(inside.map(({ id, depth }) => [id, depth]));
  const found = [...(unsent ?? [])].flatMap(([part, why]) => {
    const depth = depths.get(part.slice(0, part.lastIndexOf("/")));
    return depth === undefined ? [] : [{ part, why, depth }];
  });
  return [...Map.groupBy(found, ({ why }) => why)].map(([why, list]) => {
    const all = list.map(({ depth }) => depth);
    const parts = list.map(({ part }) => part);
    return { ...range([Math.min(...all), Math.max(...all)], 0, why), parts };
  });
};

/** Compactions stored by 0.1.0 do not record which messages each text covers. They are listed as 0.1.0 listed them. */
function listBeforeCompaction(compaction: Compaction | null, covers: readonly Cover[]): readonly Omission[] {
  if (compaction === null || compaction.depth === 0) return [];
  const isOld = compaction.state.items.some(
    ({ kind, covers: own }) => (kind === "summary" || kind === "extract") && own === undefined,
  );
  if (!isOld) return splitByCover([1, compaction.depth], "before-the-cut", covers);
  const by = compaction.state.items.map(({ kind, id }) => (kind === "summary" ? id : kind));
  return [range([1, compaction.depth], compaction.depth, "before-the-cut", [...new Set(by)])];
}

/** Steps of a message that the compaction covers although the rest of the message is in the request. */
function listSkips(
  { messages }: PromptInputs,
  compaction: Compaction | null,
  covers: readonly Cover[],
): readonly Omission[] {
  const skip = compaction?.state.skip;
  const message = skip && messages.find(({ id }) => id === skip.messageId);
  if (!message || message.depth <= compaction.depth) return [];
  const parts = message.parts.filter(
    ({ step, kind, aside }) =>
      step < skip.beforeStep && aside === undefined && (kind === "text" || kind === "tool" || kind === "reasoning"),
  );
  if (parts.length === 0) return [];
  const place = range([message.depth, message.depth], 0, "before-the-cut", coveredBy(message.depth, covers));
  return [{ ...place, parts: parts.map(({ n }) => `${message.id}/${n}`) }];
}

type Range = readonly [from: number, to: number];

const range = (
  [fromDepth, toDepth]: Range,
  messages: number,
  why: Omission["why"],
  coveredBy: readonly string[] = [],
) => ({ fromDepth, toDepth, messages, tokens: null, why, coveredBy }) satisfies Omission;

const extentOf = (list: readonly { readonly depth: number }[]): Range => [list[0]?.depth ?? 0, list.at(-1)?.depth ?? 0];

const sum = (units: readonly Unit[]): number => units.reduce((all, { tokens }) => all + tokens, 0);
