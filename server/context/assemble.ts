import type { PolicyName } from "../../protocol/context/policy.ts";
import type { Receipt } from "../../protocol/context/receipt.ts";
import type { MessageView } from "../../protocol/fold.ts";
import type { Sources } from "../../protocol/context/untrusted.ts";
import type { Effort, ModelRequest, ToolChoice, ToolSpec } from "../../protocol/model.ts";
import type { Digest } from "../project/digest.ts";
import { compact, type Compacted } from "./compaction/compact.ts";
import { findReason, measure, sizeOfDigests, type Measured } from "./compaction/decide.ts";
import type { Chunk, Compaction, CompactionReason, Pin, MemoryEntry } from "./compaction/compaction.ts";
import {
  knowledgeOf,
  renderUpdate,
  toMoment,
  type Recalled,
  type ContextUpdate,
} from "./compaction/context-updates.ts";
import { chooseTail } from "./compaction/tail.ts";
import { keepNewest, smallestUpdate, shortenToFit, toShares, type Counter, type Fitted } from "./fit.ts";
import { choosers } from "./policies/choosers.ts";
import { TOKENS_PER_MESSAGE, toUnits, type TokenCounts, type Unit } from "./prompt.ts";
import { writeReceipt, type Chosen } from "./receipt.ts";
import type { Previous } from "./receipt-cache.ts";
import type { Unsent } from "./unsent.ts";
import { markBreakpoints, render, type Block } from "./render.ts";

/**
 * WHAT THE MODEL SEES. In: the end of the active path since the last cut, and what stands behind it. Out: the request, the
 * receipt that accounts for it, and what is to be stored with the call: a compaction, and what was update ahead of the person's
 * words. Pure: no I/O, no clock, no randomness, no locale; the same input gives the same bytes.
 */
export type Snapshot = {
  readonly policy: PolicyName;
  /** Constant text: no clock, no person's data, no state. */
  readonly system: string;
  /** Sorted by name; the same throughout an compaction. */
  readonly tools: readonly ToolSpec[];
  /** In order of depth; the newest is last. Under `stone` those since the cut, otherwise the policy's window. */
  readonly messages: readonly MessageView[];
  readonly counts: TokenCounts;
  /** Parts of these messages that were taken out because they do not go to this model. */
  readonly unsent?: Unsent;
  /** The answer that this call is for, and the number of its next part. */
  readonly answer: { readonly id: string; readonly depth: number; readonly part: number };
  readonly compaction: Compaction | null;
  /** The newest compaction was taken back: the next waits for as long as it can. */
  readonly delaysCompaction: boolean;
  readonly memory: readonly MemoryEntry[];
  readonly pins: readonly Pin[];
  /** What the assistant holds of the work in hand, as data. */
  readonly state: string | null;
  /** Summaries on this path, in order; needed for a compaction and by the policies that show them. */
  readonly chunks: readonly Chunk[];
  /** Summaries before those in `chunks`, which were not loaded. */
  readonly olderChunks?: number;
  readonly recalled: readonly Recalled[];
  /** What is known of the work that the thread belongs to. */
  readonly digests: readonly Digest[];
  readonly now: number;
  /** Said to the model after everything else; not part of the conversation. */
  readonly note: string;
  readonly toolChoice: ToolChoice;
  readonly effort: Effort;
  readonly model: {
    readonly id: string;
    readonly windowTokens: number | null;
    /** A smaller one that the server's own token counts have shown. */
    readonly learned?: { readonly tokens: number; readonly at: number } | null;
    readonly prices: Prices;
  };
  readonly previous: Previous | null;
  /** Set when it is known already that this call compacts, and why. */
  readonly compacts?: CompactionReason;
  /** Tokens of a prompt that the provider found too long, in this answer. */
  readonly tooLong: number | null;
  /** Of everything that is loaded: no prompt made of it has other sources. See `list-untrusted.ts`. */
  readonly untrusted: Sources;
  readonly sizes?: Sizes;
};

/** Dollars per million tokens. */
export type Prices = {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
};

/** What quality asks for: the least that stays verbatim, and the room for what stands for the rest. */
export type Sizes = {
  readonly tailTurns: number;
  readonly tailTokens: number;
  readonly summaryTokens: number;
};

export const SIZES: Sizes = { tailTurns: 2, tailTokens: 1_500, summaryTokens: 2_500 };

export type Assembled = {
  readonly request: ModelRequest;
  readonly receipt: Receipt;
  /** To be stored with the call, under the id in the receipt. */
  readonly compaction: (Compacted & { readonly reason: CompactionReason; readonly tokensBefore: number }) | null;
  /** To be stored as a part of the answer; null when it was update before. */
  readonly update: (ContextUpdate & { readonly tokens: number }) | null;
};

export { summariesShown, windows } from "./policies/choosers.ts";
export { countTools } from "./tools.ts";
export { leftForTools, windowOf } from "./compaction/decide.ts";
export { listUntrusted } from "./list-untrusted.ts";
export { rebuild, type Rebuilt } from "./rebuild.ts";
export { leaveOutUnsent } from "./unsent.ts";
export type { Counter } from "./fit.ts";
export type { Compaction, CompactionState, Chunk, Pin, MemoryEntry } from "./compaction/compaction.ts";
export { knowledgeOf, type Recalled } from "./compaction/context-updates.ts";
export { toPrevious, type Previous } from "./receipt-cache.ts";

/** `newCompactionId`: taken if this call opens an compaction. */
export function assemble(snapshot: Snapshot, count: Counter, newCompactionId: string): Assembled {
  return snapshot.policy === "stone"
    ? assembleStone(snapshot, count, newCompactionId)
    : assembleClassic(snapshot, count, snapshot.policy);
}

/** Whether the next call opens an compaction: then its tools are chosen anew. */
export const willCompact = (snapshot: Snapshot, count: Counter): boolean =>
  snapshot.policy === "stone" && findReason(snapshot, measure(snapshot, count, snapshot.sizes ?? SIZES)) !== null;

/** A thread that cannot have reached any mark: so few messages, and no cut before them. */
export const isYoung = ({ messages, compaction, memory, tooLong }: Snapshot): boolean =>
  compaction === null && tooLong === null && messages.length <= 2 && memory.length === 0;

function assembleStone(snapshot: Snapshot, count: Counter, newCompactionId: string): Assembled {
  const sizes = snapshot.sizes ?? SIZES;
  const before = measure(snapshot, count, sizes);
  const reason = snapshot.compacts ?? findReason(snapshot, before);
  const next = reason === null ? null : openCompaction(snapshot, before, count, { id: newCompactionId, sizes, reason });
  const isSummarySent = fitsWithMessage(next?.compaction ?? snapshot.compaction, before);
  const opened = isSummarySent ? next : null;
  const compaction = isSummarySent ? (opened?.compaction ?? snapshot.compaction) : null;
  const room = before.room - (compaction?.state.tokens ?? 0);
  const left = room - askedTokens(before);
  const update = renderUpdateIfNew(snapshot, compaction, { count, most: left < 0 ? smallestUpdate(room) : left });
  const log = insertUpdate(opened?.units ?? before.units, update, snapshot.answer);
  const shareOf = toShares(log, room);
  const kept = keepNewest(log, room).map((unit) => shortenToFit(unit, shareOf(unit), count));
  const blocks: readonly Block[] = [
    ...(compaction === null ? [] : [{ head: compaction.summaryHead }]),
    ...kept.map(({ unit }) => ({ unit })),
    ...toNote(snapshot.note),
  ];
  const chosen: Chosen = {
    policy: "stone",
    compaction,
    opened: opened === null ? null : reason,
    order: kept,
    dropped: withoutKept(log, kept),
    marks: before.marks,
    room: before,
    update,
    leftOut: [],
  };
  const stored =
    opened === null || reason === null
      ? null
      : {
          depth: opened.compaction.depth,
          summaryHead: opened.compaction.summaryHead,
          state: opened.compaction.state,
          reason,
          tokensBefore: before.body,
        };
  return finish(snapshot, count, { blocks, chosen, head: compaction === null ? 0 : 1, stored, update });
}

/**
 * True when the compaction summary is sent. The message being answered has priority: the summary is left out if the message fits
 * only without it. If the message has to be shortened anyway, the summary may take up to half of the room.
 */
function fitsWithMessage(compaction: Compaction | null, measured: Measured): boolean {
  const { room } = measured;
  const asked = askedTokens(measured);
  return (compaction?.state.tokens ?? 0) + (asked <= room ? asked : Math.floor(room / 2)) <= room;
}

const askedTokens = ({ units }: Measured): number => units.findLast(({ kind }) => kind === "message")?.tokens ?? 0;

type OpenedCompaction = { readonly compaction: Compaction; readonly units: readonly Unit[] };

/** Nothing is opened where nothing would leave: a head that tells nothing is no use. */
function openCompaction(
  snapshot: Snapshot,
  { units, marks, growth }: Measured,
  count: Counter,
  { id, sizes, reason }: { readonly id: string; readonly sizes: Sizes; readonly reason: CompactionReason },
): OpenedCompaction | null {
  const low = Math.max(0, marks.low - sizeOfDigests(snapshot));
  const summaryTokens = Math.min(sizes.summaryTokens, Math.floor(low * SUMMARY_SHARE));
  const wanted = { turns: sizes.tailTurns, tokens: sizes.tailTokens, most: Math.max(low - summaryTokens, 0) };
  const tail = chooseTail(units, wanted);
  const isDeleted = reason === "deleted";
  if (tail.gone.length === 0 && snapshot.compaction === null && !isDeleted) return null;
  if (tail.kept.length === 0) return null;
  const muted = isDeleted ? snapshot.answer.depth - 1 : (snapshot.compaction?.state.muted ?? 0);
  const next = compact({ ...snapshot, tail, summaryTokens, growth, muted }, count);
  const kept = isDeleted ? tail.kept.filter(({ kind }) => kind !== "update") : tail.kept;
  return { compaction: { id, model: snapshot.model.id, ...next }, units: kept };
}

const SUMMARY_SHARE = 0.45;

/** At most `most` tokens: first passages recalled give way, then the work that the thread belongs to, then the rest. */
function renderUpdateIfNew(
  snapshot: Snapshot,
  compaction: Compaction | null,
  { count, most }: { readonly count: Counter; readonly most: number },
): (ContextUpdate & { readonly tokens: number }) | null {
  if (isBegun(snapshot)) return null;
  const { messages, now, memory, pins, recalled, digests } = snapshot;
  const since = messages.filter(({ depth }) => depth > (compaction?.depth ?? 0));
  const known = knowledgeOf(compaction, since);
  const news = { now, memory, pins, recalled: [], digests };
  const attempts = [
    () => renderUpdate({ ...news, recalled }, known),
    () => renderUpdate(news, known),
    () => renderUpdate({ ...news, digests: [] }, { ...known, digests: new Map() }),
  ];
  for (const attempt of attempts) {
    const update = attempt();
    if (update === null) return null;
    const tokens = count(update.text);
    if (tokens + TOKENS_PER_MESSAGE <= most) return { ...update, tokens };
  }
  return null;
}

/** What was update ahead of the words that it answers, if anything, is stored. */
const isBegun = ({ messages, answer }: Snapshot): boolean =>
  messages.some(({ id, parts }) => id === answer.id && parts.length > 0);

/** Ahead of the words that are answered now. */
function insertUpdate(
  units: readonly Unit[],
  update: (ContextUpdate & { readonly tokens: number }) | null,
  { id, depth, part: n }: Snapshot["answer"],
): readonly Unit[] {
  const at = units.findLastIndex(({ kind }) => kind === "message");
  if (update === null || at < 0) return units;
  const { tokens, ...rest } = update;
  const unit: Unit = {
    kind: "update",
    messageId: id,
    depth,
    parts: [{ id: `${id}.${n}`, v: 1, n, step: 1, kind: "context", ...rest }],
    tokens: tokens + TOKENS_PER_MESSAGE,
    messages: [{ role: "user", text: update.text }],
  };
  return units.toSpliced(at, 0, unit);
}

function assembleClassic(snapshot: Snapshot, count: Counter, policy: Exclude<PolicyName, "stone">): Assembled {
  const before = measure({ ...snapshot, compaction: null }, count, snapshot.sizes ?? SIZES);
  const chosenBlocks = choosers[policy]({
    messages: snapshot.messages,
    units: toUnits(snapshot.messages, snapshot.counts).filter(({ kind }) => kind !== "update"),
    budget: before.room,
    count,
    memory: snapshot.memory,
    summaries: snapshot.chunks,
    olderSummaries: snapshot.olderChunks ?? 0,
    state: snapshot.state,
    digests: snapshot.digests,
    now: toMoment(snapshot.now),
  });
  const units = chosenBlocks.blocks.flatMap((block) => (block.kind === "unit" ? [block.unit] : []));
  const shareOf = toShares(units, before.room);
  const fitted = chosenBlocks.blocks.map((block) =>
    block.kind === "unit" ? shortenToFit(block.unit, shareOf(block.unit), count) : block,
  );
  const blocks: readonly Block[] = [
    ...fitted.map((block) => ("unit" in block ? { unit: block.unit } : { text: block.text })),
    ...toNote(snapshot.note),
  ];
  const chosen: Chosen = {
    policy,
    compaction: null,
    opened: null,
    order: fitted,
    dropped: [],
    marks: null,
    room: before,
    update: null,
    leftOut: chosenBlocks.leftOut,
  };
  return finish(snapshot, count, { blocks, chosen, head: 0, stored: null, update: null });
}

type Finished = {
  readonly blocks: readonly Block[];
  readonly chosen: Chosen;
  /** Messages of the head. */
  readonly head: number;
  readonly stored: Assembled["compaction"];
  readonly update: Assembled["update"];
};

function finish(snapshot: Snapshot, count: Counter, { blocks, chosen, head, stored, update }: Finished): Assembled {
  const { system, tools, toolChoice, effort, note } = snapshot;
  const plain = render({ system, tools, blocks, toolChoice, effort });
  const loose = note === "" ? 0 : 1;
  const previous = plain.messages.findLastIndex(
    (message, index) => message.role === "user" && plain.messages[index - 1]?.role !== "user",
  );
  const request = { ...plain, messages: markBreakpoints(plain.messages, { head, previous, loose }) };
  return { request, receipt: writeReceipt(snapshot, count, chosen, { request, loose }), compaction: stored, update };
}

const toNote = (note: string): readonly Block[] => (note === "" ? [] : [{ text: note }]);

const withoutKept = (units: readonly Unit[], kept: readonly Fitted[]): readonly Unit[] => {
  const names = new Set(kept.map(({ unit }) => nameOf(unit)));
  return units.filter((unit) => !names.has(nameOf(unit)));
};

const nameOf = ({ messageId, parts }: Unit): string => `${messageId}/${parts[0]?.n ?? ""}`;
