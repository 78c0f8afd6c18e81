import type { Omission, Receipt, ReceiptItem } from "../../protocol/context/receipt.ts";
import type { PolicyName } from "../../protocol/context/policy.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { PartOf } from "../../protocol/parts.ts";
import type { Prices, PromptInputs } from "./assemble.ts";
import type { PromptSizes } from "./compaction/decide.ts";
import type { Compaction } from "./compaction/compaction.ts";
import type { Marks } from "./compaction/marks.ts";
import type { ContextUpdate } from "./compaction/context-updates.ts";
import { listShortened, type Counter, type FittedUnit } from "./fit.ts";
import type { PolicyBlock } from "./policies/policy.ts";
import type { Unit } from "./units.ts";
import { listCovers } from "./cover.ts";
import { compareWithPrevious, isDetail } from "./receipt-cache.ts";
import { listOmissions } from "./receipt-omissions.ts";
import { CODEC } from "./render.ts";
import { hashParts } from "./request-hashes.ts";
import { countSystem, countTools, writeTools } from "./count-tools.ts";
import { listUnsentPictures } from "./unsent.ts";

type TextBlock = Extract<PolicyBlock, { readonly kind: "text" }>;

/** The decisions that the receipt records. */
export type PromptChoices = {
  readonly policy: PolicyName;
  readonly compaction: Compaction | null;
  readonly opened: string | null;
  /** In the order of the request. */
  readonly order: readonly (FittedUnit | TextBlock)[];
  readonly dropped: readonly Unit[];
  readonly marks: Marks | null;
  readonly room: PromptSizes;
  readonly update: (ContextUpdate & { readonly tokens: number }) | null;
  readonly leftOut: readonly Omission[];
};

type SentRequest = { readonly request: ModelRequest; readonly loose: number };

export function buildReceipt(
  inputs: PromptInputs,
  count: Counter,
  chosen: PromptChoices,
  { request, loose }: SentRequest,
): Receipt {
  const { model, tools, toolChoice, effort, settings, note } = inputs;
  const { window, reserve, fixed } = chosen.room;
  const items = listItems(inputs, count, chosen);
  const promptTokens = items.reduce((sum, item) => (isDetail(item) ? sum : sum + item.tokens), 0);
  const hashes = hashParts(request, loose);
  const stable = promptTokens - (note === "" ? 0 : count(note));
  const cache = compareWithPrevious(inputs, chosen, { items, hashes, stable });
  return {
    v: 2,
    policy: chosen.policy,
    codec: CODEC,
    model: model.id,
    tokenizer: "o200k_base",
    budget: {
      window,
      windowAssumed: model.windowTokens === null && !model.learned,
      ...(model.learned ? { learned: model.learned } : {}),
      ...(model.tokenRatio ? { tokenRatio: model.tokenRatio } : {}),
      reserve,
      fixed,
      high: chosen.marks?.high ?? null,
      low: chosen.marks?.low ?? null,
      spread: chosen.marks?.spread ?? null,
      growth: chosen.marks?.growth ?? null,
    },
    promptTokens,
    items,
    leftOut: listOmissions(inputs, chosen, listCovers(items)),
    epoch: { id: chosen.compaction?.id ?? null, opened: chosen.opened },
    cache: {
      stable,
      ...cache,
      expectedWrite: promptTokens - cache.expectedRead,
      expectedUsd: priceOf(model.prices, cache.expectedRead, promptTokens - cache.expectedRead),
    },
    checks: [
      { name: "within-window", ok: promptTokens + reserve <= window },
      { name: "pairs", ok: hasPairs(request) },
      { name: "prefix", ok: cache.broke === null || cache.broke !== "unexplained" },
    ],
    stable: hashes.stable,
    recipe: {
      ...{ system: hashes.system, tools: writeTools(tools).hash, toolChoice, effort },
      ...(settings ? { settings } : {}),
    },
    requestHash: hashes.request,
    ...toSampling(model.sampling),
    ...(inputs.untrusted.length === 0 ? {} : { untrusted: inputs.untrusted }),
  };
}

const toSampling = (sampling: PromptInputs["model"]["sampling"]): Pick<Receipt, "sampling"> => {
  const { temperature = null, topP = null } = sampling ?? {};
  if (temperature === null && topP === null) return {};
  return { sampling: { ...(temperature === null ? {} : { temperature }), ...(topP === null ? {} : { topP }) } };
};

function listItems(
  inputs: PromptInputs,
  count: Counter,
  { compaction, order, update }: PromptChoices,
): readonly ReceiptItem[] {
  const { system, tools, note, answer } = inputs;
  const current = currentFrom(inputs);
  return [
    { slot: "tools", kind: "tools", id: `${tools.length}`, tokens: countTools(tools, count), why: "offered" },
    { slot: "system", kind: "system", id: "instructions", tokens: countSystem(system, count), why: "always" },
    ...(compaction?.state.items ?? []),
    ...frame(compaction),
    ...order.flatMap((one): ReceiptItem[] => {
      if ("text" in one) {
        const { inside = [], ...item } = one.item;
        return [
          { slot: "log", ...item, tokens: count(one.text), text: one.text },
          ...inside.map((part): ReceiptItem => ({ slot: "log", ...part, tokens: 0 })),
        ];
      }
      const { unit, room, from } = one;
      const shortened = listShortened(unit);
      const isNew = unit.kind === "update" && unit.messageId === answer.id && update !== null;
      const base: ReceiptItem = {
        slot: unit.depth >= current ? "now" : "log",
        kind: unit.kind === "update" ? "clock" : "message",
        id: unit.messageId,
        depth: unit.depth,
        parts: unit.parts.map(({ n }) => n),
        tokens: unit.tokens,
        why: unit.kind === "update" ? (isNew ? "told" : "frozen") : unit.depth >= current ? "at-hand" : "since-the-cut",
        ...(room === undefined ? {} : { room, shortenedFrom: from }),
        ...(shortened.length === 0 ? {} : { shortened }),
        ...countRedacted(unit),
        ...nameFiles(unit),
        ...listUnsentPictures(unit, inputs.unsent),
      };
      return isNew ? [base, ...listUpdateItems(update, inputs, count)] : [base];
    }),
    ...(note === ""
      ? []
      : [{ slot: "now", kind: "note", id: "note", tokens: count(note), why: "note", text: note } as const]),
  ];
}

/** The compaction summary's text outside of its items: headings and framing. */
function frame(compaction: Compaction | null): readonly ReceiptItem[] {
  if (compaction === null) return [];
  const itemTokens = compaction.state.items.reduce((sum, { tokens }) => sum + tokens, 0);
  const tokens = Math.max(0, compaction.state.tokens - itemTokens);
  return [{ slot: "head", kind: "block", id: compaction.id, tokens, why: "frame" }];
}

/** The depth where the turn that is answered now begins. */
function currentFrom({ messages }: PromptInputs): number {
  const last = messages.findLastIndex(({ role }) => role === "user");
  let first = last;
  while (first > 0 && messages[first - 1]?.role === "user") first -= 1;
  return messages[first]?.depth ?? 0;
}

function listUpdateItems(update: ContextUpdate, { digests }: PromptInputs, count: Counter): readonly ReceiptItem[] {
  return [
    ...Object.entries(update.memory ?? {}).map(([field, value]): ReceiptItem => ({
      slot: "now",
      kind: "update",
      id: field,
      tokens: count(value),
      why: "changed",
    })),
    ...(update.pins ?? []).map((id): ReceiptItem => ({ slot: "now", kind: "update", id, tokens: 0, why: "pinned" })),
    ...(update.recalled ?? []).map(({ messageId, depth, score, text }): ReceiptItem => ({
      slot: "now",
      kind: "recall",
      id: messageId,
      depth,
      tokens: count(text),
      why: "recalled",
      score,
    })),
    ...digests
      .filter(({ name, why }) => why !== "digest" || update.digests?.some((one) => one.name === name) === true)
      .map(({ name, full, since, tokens, why, note }): ReceiptItem => {
        const isWhole = update.text.includes(full);
        return {
          slot: "now",
          kind: "digest",
          id: name,
          tokens: isWhole ? tokens : count(since ?? ""),
          why: isWhole || why !== "digest" ? why : "digest-changed",
          note: isWhole || why !== "digest" ? note : "changes since the last update",
        };
      }),
  ];
}

function countRedacted({ parts }: Unit): { redacted?: number } {
  const redacted = parts.reduce((sum, part) => sum + (part.kind === "tool" ? (part.redacted ?? 0) : 0), 0);
  return redacted === 0 ? {} : { redacted };
}

function nameFiles({ parts }: Unit): { note?: string } {
  const names = parts.flatMap((part) =>
    part.kind === "file" && part.digest !== undefined ? [`${part.name ?? "a file"} (${nameContent(part)})`] : [],
  );
  return names.length === 0 ? {} : { note: `with ${names.join(", ")}` };
}

const nameContent = ({ ref, hash, width, pictures }: PartOf<"file">): string => {
  if (width === undefined && pictures === undefined) return "text";
  if (ref !== undefined) return hash === undefined ? "text" : "text and pages";
  return hash === undefined ? "picture, not sent" : "picture";
};

function priceOf({ input, cacheRead, cacheWrite }: Prices, read: number, write: number): number | null {
  if (input === null) return null;
  return (read * (cacheRead ?? input) + write * (cacheWrite ?? input)) / 1e6;
}

function hasPairs({ messages }: ModelRequest): boolean {
  return messages.every((message, index) => {
    const next = messages[index + 1];
    const calls = message.role === "assistant" ? message.parts.filter(({ kind }) => kind === "tool-call").length : 0;
    if (message.role === "tool") return messages[index - 1]?.role === "assistant";
    return calls === 0 || (next?.role === "tool" && next.results.length === calls);
  });
}
