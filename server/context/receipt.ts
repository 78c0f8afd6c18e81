import type { Omission, Receipt, ReceiptItem } from "../../protocol/context/receipt.ts";
import type { PolicyName } from "../../protocol/context/policy.ts";
import type { ModelRequest } from "../../protocol/model.ts";
import type { Prices, Snapshot } from "./assemble.ts";
import type { Measured } from "./compaction/decide.ts";
import type { Compaction } from "./compaction/compaction.ts";
import type { Marks } from "./compaction/marks.ts";
import type { ContextUpdate } from "./compaction/context-updates.ts";
import { listShortened, type Counter, type Fitted } from "./fit.ts";
import type { PolicyBlock } from "./policies/policy.ts";
import type { Unit } from "./prompt.ts";
import { coveredBy, listCovers, splitByCover, type Cover } from "./cover.ts";
import { CODEC, hashRequest, hashText, toBytes } from "./render.ts";
import { countSystem, countTools, writeTools } from "./tools.ts";
import { listUnsentPictures } from "./unsent.ts";

type TextBlock = Extract<PolicyBlock, { readonly kind: "text" }>;

/** What was decided, for the account. */
export type Chosen = {
  readonly policy: PolicyName;
  readonly epoch: Compaction | null;
  readonly opened: string | null;
  /** In the order of the request. */
  readonly order: readonly (Fitted | TextBlock)[];
  readonly dropped: readonly Unit[];
  readonly marks: Marks | null;
  readonly room: Measured;
  readonly told: (ContextUpdate & { readonly tokens: number }) | null;
  readonly leftOut: readonly Omission[];
};

/** Of the call before, in the same thread. */
export type Previous = {
  readonly stable: { readonly bytes: number; readonly hash: string };
  /** Tokens of that part. */
  readonly tokens: number;
  readonly items: readonly ReceiptItem[];
  readonly epoch: string | null;
  readonly policy: string;
  readonly model: string;
  /** Some of the conversation did not fit. */
  readonly overBudget: boolean;
  readonly at: number;
};

/** What the next call needs to know of this one. */
export const toPrevious = (receipt: Receipt, at: number): Previous => ({
  stable: receipt.stable,
  tokens: receipt.cache.stable,
  items: receipt.items,
  epoch: receipt.epoch.id,
  policy: receipt.policy,
  model: receipt.model,
  overBudget: receipt.leftOut.some(({ why }) => why === "over-budget"),
  at,
});

type Sent = { readonly request: ModelRequest; readonly loose: number };

export function writeReceipt(snapshot: Snapshot, count: Counter, chosen: Chosen, { request, loose }: Sent): Receipt {
  const { model, system, tools, toolChoice, effort, note } = snapshot;
  const { window, reserve, fixed } = chosen.room;
  const items = listItems(snapshot, count, chosen);
  const promptTokens = items.reduce((sum, item) => (isDetail(item) ? sum : sum + item.tokens), 0);
  const bytes = toBytes(system, tools, request.messages.slice(0, request.messages.length - loose));
  const stable = promptTokens - (note === "" ? 0 : count(note));
  const cache = compareWithPrevious(snapshot, chosen, { items, bytes, stable });
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
      reserve,
      fixed,
      high: chosen.marks?.high ?? null,
      low: chosen.marks?.low ?? null,
      spread: chosen.marks?.spread ?? null,
      growth: chosen.marks?.growth ?? null,
    },
    promptTokens,
    items,
    leftOut: listLeftOut(snapshot, chosen, listCovers(items)),
    epoch: { id: chosen.epoch?.id ?? null, opened: chosen.opened },
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
    stable: { bytes: bytes.length, hash: hashText(bytes) },
    recipe: { system: hashText(system), tools: writeTools(tools).hash, toolChoice, effort },
    requestHash: hashRequest(request),
    ...(snapshot.untrusted.length === 0 ? {} : { untrusted: snapshot.untrusted }),
  };
}

/** Its tokens are counted with the item that it is a part of. */
const isDetail = ({ slot, kind }: ReceiptItem): boolean =>
  slot === "now" && (kind === "recall" || kind === "update" || kind === "digest");

function listItems(snapshot: Snapshot, count: Counter, { epoch, order, told }: Chosen): readonly ReceiptItem[] {
  const { system, tools, note, answer } = snapshot;
  const current = currentFrom(snapshot);
  return [
    { slot: "tools", kind: "tools", id: `${tools.length}`, tokens: countTools(tools, count), why: "offered" },
    { slot: "system", kind: "system", id: "instructions", tokens: countSystem(system, count), why: "always" },
    ...(epoch?.state.items ?? []),
    ...frame(epoch),
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
      const isNew = unit.kind === "told" && unit.messageId === answer.id && told !== null;
      const base: ReceiptItem = {
        slot: unit.depth >= current ? "now" : "log",
        kind: unit.kind === "told" ? "clock" : "message",
        id: unit.messageId,
        depth: unit.depth,
        parts: unit.parts.map(({ n }) => n),
        tokens: unit.tokens,
        why: unit.kind === "told" ? (isNew ? "told" : "frozen") : unit.depth >= current ? "at-hand" : "since-the-cut",
        ...(room === undefined ? {} : { room, shortenedFrom: from }),
        ...(shortened.length === 0 ? {} : { shortened }),
        ...countRedacted(unit),
        ...nameFiles(unit),
        ...listUnsentPictures(unit, snapshot.unsent),
      };
      return isNew ? [base, ...listTold(told, snapshot, count)] : [base];
    }),
    ...(note === ""
      ? []
      : [{ slot: "now", kind: "note", id: "note", tokens: count(note), why: "note", text: note } as const]),
  ];
}

/** The head's own words around its parts. */
function frame(epoch: Compaction | null): readonly ReceiptItem[] {
  if (epoch === null) return [];
  const told = epoch.state.items.reduce((sum, { tokens }) => sum + tokens, 0);
  const tokens = Math.max(0, epoch.state.tokens - told);
  return [{ slot: "head", kind: "block", id: epoch.id, tokens, why: "frame" }];
}

/** The depth at which the turn begins that is answered now. */
function currentFrom({ messages }: Snapshot): number {
  const last = messages.findLastIndex(({ role }) => role === "user");
  let first = last;
  while (first > 0 && messages[first - 1]?.role === "user") first -= 1;
  return messages[first]?.depth ?? 0;
}

function listTold(told: ContextUpdate, { digests }: Snapshot, count: Counter): readonly ReceiptItem[] {
  return [
    ...Object.entries(told.memory ?? {}).map(([field, value]): ReceiptItem => ({
      slot: "now",
      kind: "update",
      id: field,
      tokens: count(value),
      why: "changed",
    })),
    ...(told.pins ?? []).map((id): ReceiptItem => ({ slot: "now", kind: "update", id, tokens: 0, why: "pinned" })),
    ...(told.recalled ?? []).map(({ messageId, depth, score, text }): ReceiptItem => ({
      slot: "now",
      kind: "recall",
      id: messageId,
      depth,
      tokens: count(text),
      why: "recalled",
      score,
    })),
    ...digests
      .filter(({ name, why }) => why !== "digest" || told.digests?.some((one) => one.name === name) === true)
      .map(({ name, full, since, tokens, why, note }): ReceiptItem => {
        const isWhole = told.text.includes(full);
        return {
          slot: "now",
          kind: "digest",
          id: name,
          tokens: isWhole ? tokens : count(since ?? ""),
          why: isWhole || why !== "digest" ? why : "digest-changed",
          note: isWhole || why !== "digest" ? note : "what changed since it was told",
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
    part.kind === "file" && part.digest !== undefined
      ? [
          `${part.name ?? "a file"} (${part.width === undefined ? "text" : part.hash === undefined ? "picture, not sent" : "picture"})`,
        ]
      : [],
  );
  return names.length === 0 ? {} : { note: `with ${names.join(", ")}` };
}

/** Every message of the path is in, or in one of these. What covers a range is what the request's items cover. */
function listLeftOut(
  snapshot: Snapshot,
  { epoch, order, dropped, leftOut, policy }: Chosen,
  covers: readonly Cover[],
): readonly Omission[] {
  const { messages, answer } = snapshot;
  const firstLoaded = messages[0]?.depth ?? 1;
  const cut = epoch?.depth ?? 0;
  const inside = new Set(order.flatMap((one) => ("unit" in one ? [one.unit.messageId] : [])));
  const out = new Set(dropped.map(({ messageId }) => messageId));
  const silent = messages.filter(({ id, depth }) => depth > cut && !inside.has(id) && !out.has(id) && id !== answer.id);
  const aside = messages.flatMap(({ id, parts }) =>
    parts.filter((part) => part.aside !== undefined).map(({ n }) => `${id}/${n}`),
  );
  const gone = messages.filter(({ id }) => out.has(id) && !inside.has(id));
  const partly = dropped.filter(({ messageId }) => inside.has(messageId));
  return [
    ...listBeforeCut(epoch, covers),
    ...listSkips(snapshot, epoch ?? snapshot.epoch, covers),
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
    ...(aside.length ? [{ ...range(extentOf(messages), 0, "set-aside"), parts: aside }] : []),
    ...listUnsent(
      snapshot,
      messages.filter(({ id }) => inside.has(id)),
    ),
  ];
}

/** Parts of messages in the request that do not go to this model. */
const listUnsent = ({ unsent }: Snapshot, inside: Snapshot["messages"]): readonly Omission[] => {
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

/** A compaction stored by 0.1.0 does not say which messages each of its texts covers: it is listed as it was then. */
function listBeforeCut(epoch: Compaction | null, covers: readonly Cover[]): readonly Omission[] {
  if (epoch === null || epoch.depth === 0) return [];
  const isOld = epoch.state.items.some(
    ({ kind, covers: own }) => (kind === "summary" || kind === "extract") && own === undefined,
  );
  if (!isOld) return splitByCover([1, epoch.depth], "before-the-cut", covers);
  const by = epoch.state.items.map(({ kind, id }) => (kind === "summary" ? id : kind));
  return [range([1, epoch.depth], epoch.depth, "before-the-cut", [...new Set(by)])];
}

/** Steps of a message that the compaction covers although the rest of the message is in the request. */
function listSkips({ messages }: Snapshot, epoch: Compaction | null, covers: readonly Cover[]): readonly Omission[] {
  const skip = epoch?.state.skip;
  const message = skip && messages.find(({ id }) => id === skip.messageId);
  if (!message || message.depth <= epoch.depth) return [];
  const parts = message.parts.filter(
    ({ step, kind, aside }) =>
      step < skip.beforeStep && aside === undefined && (kind === "text" || kind === "tool" || kind === "reasoning"),
  );
  if (parts.length === 0) return [];
  const place = range([message.depth, message.depth], 0, "before-the-cut", coveredBy(message.depth, covers));
  return [{ ...place, parts: parts.map(({ n }) => `${message.id}/${n}`) }];
}

type Range = readonly [from: number, to: number];

const range = ([fromDepth, toDepth]: Range, messages: number, why: Omission["why"], covers: readonly string[] = []) =>
  ({ fromDepth, toDepth, messages, tokens: null, why, coveredBy: covers }) satisfies Omission;

const extentOf = (list: readonly { readonly depth: number }[]): Range => [list[0]?.depth ?? 0, list.at(-1)?.depth ?? 0];

const sum = (units: readonly Unit[]): number => units.reduce((all, { tokens }) => all + tokens, 0);

type Compared = { readonly items: readonly ReceiptItem[]; readonly bytes: string; readonly stable: number };

/** The bytes decide; where they differ, the items tell from where on. */
function compareWithPrevious(
  { previous, now, model }: Snapshot,
  { epoch, opened, policy, dropped }: Chosen,
  next: Compared,
) {
  if (previous === null) return { shared: 0, broke: null, expectedRead: 0 };
  const isPrefix =
    next.bytes.length >= previous.stable.bytes &&
    hashText(next.bytes.slice(0, previous.stable.bytes)) === previous.stable.hash;
  const shared = isPrefix ? Math.min(previous.tokens, next.stable) : countShared(previous.items, next.items);
  const isCold = now - previous.at > CACHE_LIVES_MS || previous.model !== model.id;
  const broke = isPrefix ? null : explain();
  return { shared, broke, expectedRead: isCold ? 0 : shared };

  function explain(): string {
    if (opened !== null) return `epoch:${opened}`;
    if (previous?.policy !== policy) return "policy";
    if (previous.epoch !== (epoch?.id ?? null)) return "epoch-changed";
    if (policy !== "stone") return "window";
    const differs = next.items.findIndex((item, index) => !isSame(item, previous.items[index]));
    const item = next.items[differs];
    if (item?.slot === "tools" || item?.slot === "system") return item.slot;
    const before = previous.items[differs];
    if (before?.id === item?.id && nameUnsent(before) !== nameUnsent(item)) return "pictures";
    if (isGrown(before, item)) return "continued";
    if (isOtherReasoning(before, item)) return "reasoning";
    if (item?.room !== undefined || before?.room !== undefined) return "shortened";
    if (previous.overBudget || dropped.length > 0) return "budget";
    // The same question for another answer, with a context update ahead of it that the answer before did not have.
    if (item?.why === "told" && !next.items.some(({ kind, id }) => kind === "message" && id === item.id))
      return "branch";
    const lasting = previous.items.filter((one) => !isDetail(one) && one.kind !== "note");
    return lasting.some(({ id }) => !next.items.some((other) => other.id === id)) ? "branch" : "unexplained";
  }
}

/** After as long a pause no provider's cache is warm. */
const CACHE_LIVES_MS = 5 * 60_000;

const isSame = (a: ReceiptItem, b: ReceiptItem | undefined): boolean =>
  b !== undefined &&
  a.kind === b.kind &&
  a.id === b.id &&
  a.tokens === b.tokens &&
  a.parts?.join() === b.parts?.join() &&
  nameUnsent(a) === nameUnsent(b);

const nameUnsent = (item: ReceiptItem | undefined): string => item?.notSent?.map(({ part }) => part).join() ?? "";

/** An interrupted answer that was continued: the same step, with further parts at its end. */
const isGrown = (before: ReceiptItem | undefined, after: ReceiptItem | undefined): boolean =>
  before?.kind === "message" &&
  after?.kind === "message" &&
  before.id === after.id &&
  (before.parts ?? []).every((n, index) => after.parts?.[index] === n);

/** The same step with other parts: each model is sent only its own reasoning. */
const isOtherReasoning = (before: ReceiptItem | undefined, after: ReceiptItem | undefined): boolean =>
  before?.kind === "message" &&
  after?.kind === "message" &&
  before.id === after.id &&
  before.parts?.join() !== after.parts?.join() &&
  after.parts?.some((n) => before.parts?.includes(n)) === true;

function countShared(before: readonly ReceiptItem[], after: readonly ReceiptItem[]): number {
  const [old, next] = [before, after].map((items) => items.filter((item) => !isDetail(item) && item.kind !== "note"));
  let tokens = 0;
  for (const [index, item] of (next ?? []).entries()) {
    if (!isSame(item, old?.[index])) break;
    tokens += item.tokens;
  }
  return tokens;
}

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
