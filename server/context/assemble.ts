import { policyWindows, type PolicyName, type PolicyWindow } from "../../protocol/context/policy.ts";
import type { Receipt } from "../../protocol/context/receipt.ts";
import type { MessageView } from "../../protocol/fold.ts";
import { PRE_UPGRADE_SOURCE, joinSources, untrustedIn, type Sources } from "../../protocol/context/untrusted.ts";
import type { CallSettings, Effort, ModelRequest, ToolChoice, ToolSpec } from "../../protocol/model.ts";
import type { Digest } from "../project/digest.ts";
import { compact, type CompactionResult } from "./compaction/compact.ts";
import { findReason, measure, sizeOfDigests, type PromptSizes } from "./compaction/decide.ts";
import type {
  PromptSummary,
  Compaction,
  CompactionReason,
  CompactionState,
  Pin,
  MemoryEntry,
} from "./compaction/compaction.ts";
import { knowledgeOf, renderUpdate, type RecalledMessage, type ContextUpdate } from "./compaction/context-updates.ts";
import { toMoment } from "./moment.ts";
import { chooseTail } from "./compaction/tail.ts";
import { keepNewest, smallestUpdate, shortenToFit, toShares, type Counter, type FittedUnit } from "./fit.ts";
import { choosers, toWindow } from "./policies/choosers.ts";
import { TOKENS_PER_MESSAGE, toUnits, type TokenCounts, type Unit } from "./units.ts";
import { buildReceipt, type PromptChoices } from "./receipt.ts";
import type { Previous } from "./receipt-cache.ts";
import type { UnsentParts } from "./unsent.ts";
import { markBreakpoints, render, type Block } from "./render.ts";

/**
 * The input of `assemble`: the messages since the last compaction, and everything that may be added to them. The output is the
 * request, its receipt, and the rows to store with the call: a compaction and a context update. Pure: no I/O, no clock, no
 * randomness, no locale. The same input gives the same bytes.
 */
export type PromptInputs = {
  readonly policy: PolicyName;
  /** The profile's numbers in place of a classic policy's own. */
  readonly window?: PolicyWindow;
  /** Constant text without time, user data or state. */
  readonly system: string;
  /** Sorted by name. Constant between two compactions. */
  readonly tools: readonly ToolSpec[];
  /** In order of depth, newest last: under `stone` those since the compaction, otherwise the policy's window. */
  readonly messages: readonly MessageView[];
  readonly counts: TokenCounts;
  /** Parts that were removed from these messages because this model is not sent them. */
  readonly unsent?: UnsentParts;
  /** The answer that this call is for, and the number of its next part. */
  readonly answer: { readonly id: string; readonly depth: number; readonly part: number };
  readonly compaction: Compaction | null;
  /** The user undid the newest compaction, so the next one is delayed until the prompt no longer fits. */
  readonly delaysCompaction: boolean;
  readonly memory: readonly MemoryEntry[];
  readonly pins: readonly Pin[];
  /** The rendered work state: goal, facts, pending work and results. */
  readonly state: string | null;
  /** Summaries on this path, in order. Needed for a compaction and by the policies that include them. */
  readonly summaries: readonly PromptSummary[];
  /** Number of older summaries that were not loaded. */
  readonly olderSummaries?: number;
  readonly recalled: readonly RecalledMessage[];
  /** Digests of the project that the thread belongs to. */
  readonly digests: readonly Digest[];
  readonly now: number;
  /** The user's time zone. Default: UTC. */
  readonly timeZone?: string | null;
  /** Sent after everything else. Not part of the conversation. */
  readonly note: string;
  readonly toolChoice: ToolChoice;
  readonly effort: Effort;
  readonly settings?: CallSettings | undefined;
  /** Only the conversation: no context update, and a compaction only if the conversation does not fit. */
  readonly isPlain?: boolean;
  readonly model: {
    readonly id: string;
    readonly windowTokens: number | null;
    /** A smaller window, learned from the token counts that the provider reported. */
    readonly learned?: { readonly tokens: number; readonly at: number } | null;
    /** How the model counts tokens relative to us, averaged over `calls` calls. */
    readonly tokenRatio?: { readonly ratio: number; readonly calls: number } | null;
    /** Temperature and top-p that the user set, if the model takes them. */
    readonly sampling?: { readonly temperature: number | null; readonly topP: number | null } | undefined;
    readonly prices: Prices;
  };
  readonly previous: Previous | null;
  /** Set when the caller already knows that this call compacts, and why. */
  readonly compacts?: CompactionReason;
  /** Tokens of a prompt that the provider rejected as too long during this answer. */
  readonly tooLong: number | null;
  /** Untrusted sources of everything that is loaded. A prompt made from it has no others. See `listUntrusted`. */
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

/** The smallest tail that is kept verbatim, and the budget of the compaction summary. */
export type Sizes = {
  readonly tailTurns: number;
  readonly tailTokens: number;
  readonly summaryTokens: number;
};

const SIZES: Sizes = { tailTurns: 2, tailTokens: 1_500, summaryTokens: 2_500 };

export type AssembledPrompt = {
  readonly request: ModelRequest;
  readonly receipt: Receipt;
  /** To be stored with the call, under the id in the receipt. */
  readonly compaction: (CompactionResult & { readonly reason: CompactionReason; readonly tokensBefore: number }) | null;
  /** To be stored as a part of the answer. Null when there is nothing new. */
  readonly update: (ContextUpdate & { readonly tokens: number }) | null;
};

export { countLoaded, summariesShown } from "./policies/choosers.ts";
export { countTools } from "./count-tools.ts";
export { leftForTools, windowOf } from "./compaction/decide.ts";
export { rebuild, type RebuiltRequest } from "./rebuild.ts";
export { leaveOutUnsent } from "./unsent.ts";
export type { Counter } from "./fit.ts";
export type { Compaction, CompactionState, PromptSummary, Pin, MemoryEntry } from "./compaction/compaction.ts";
export { knowledgeOf, type RecalledMessage } from "./compaction/context-updates.ts";
export { toPrevious, type Previous } from "./receipt-cache.ts";

/** `newCompactionId` is used if this call compacts. */
export function assemble(inputs: PromptInputs, count: Counter, newCompactionId: string): AssembledPrompt {
  return inputs.policy === "stone"
    ? assembleStone(inputs, count, newCompactionId)
    : assembleClassic(inputs, count, inputs.policy);
}

/** Whether the next call compacts. If so, its tools are chosen again. */
export const willCompact = (inputs: PromptInputs, count: Counter): boolean =>
  inputs.policy === "stone" && findReason(inputs, measure(inputs, count, inputs.sizes ?? SIZES)) !== null;

/** A thread too short to need a compaction. Saves measuring it. */
export const isYoung = ({ messages, compaction, memory, tooLong }: PromptInputs): boolean =>
  compaction === null && tooLong === null && messages.length <= 2 && memory.length === 0;

function assembleStone(inputs: PromptInputs, count: Counter, newCompactionId: string): AssembledPrompt {
  const sizes = inputs.sizes ?? SIZES;
  const before = measure(inputs, count, sizes);
  const reason = inputs.compacts ?? findReason(inputs, before);
  const next = reason === null ? null : openCompaction(inputs, before, count, { id: newCompactionId, sizes, reason });
  const isSummarySent = fitsWithMessage(next?.compaction ?? inputs.compaction, before);
  const opened = isSummarySent ? next : null;
  const compaction = isSummarySent ? (opened?.compaction ?? inputs.compaction) : null;
  const room = before.room - (compaction?.state.tokens ?? 0);
  const left = room - askedTokens(before);
  const update = renderUpdateIfNew(inputs, compaction, { count, most: left < 0 ? smallestUpdate(room) : left });
  const units = insertUpdate(opened?.units ?? before.units, update, inputs.answer);
  const shareOf = toShares(units, room);
  const kept = keepNewest(units, room).map((unit) => shortenToFit(unit, shareOf(unit), count));
  const blocks: readonly Block[] = [
    ...(compaction === null ? [] : [{ head: compaction.summaryHead }]),
    ...kept.map(({ unit }) => ({ unit })),
    ...toNote(inputs.note),
  ];
  const chosen: PromptChoices = {
    policy: "stone",
    compaction,
    opened: opened === null ? null : reason,
    order: kept,
    dropped: withoutKept(units, kept),
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
  return finish(inputs, count, { blocks, chosen, head: compaction === null ? 0 : 1, stored, update });
}

/**
 * True when the compaction summary is sent. The message being answered has priority: the summary is left out if the message fits
 * only without it. If the message has to be shortened anyway, the summary may use at most half of the available tokens.
 */
function fitsWithMessage(compaction: Compaction | null, measured: PromptSizes): boolean {
  const { room } = measured;
  const asked = askedTokens(measured);
  return (compaction?.state.tokens ?? 0) + (asked <= room ? asked : Math.floor(room / 2)) <= room;
}

const askedTokens = ({ units }: PromptSizes): number => units.findLast(({ kind }) => kind === "message")?.tokens ?? 0;

type OpenedCompaction = { readonly compaction: Compaction; readonly units: readonly Unit[] };

/** Null when nothing would be removed: an empty compaction summary has no use. */
function openCompaction(
  inputs: PromptInputs,
  { units, marks, growth }: PromptSizes,
  count: Counter,
  { id, sizes, reason }: { readonly id: string; readonly sizes: Sizes; readonly reason: CompactionReason },
): OpenedCompaction | null {
  const low = Math.max(0, marks.low - sizeOfDigests(inputs));
  const summaryTokens = Math.min(sizes.summaryTokens, Math.floor(low * SUMMARY_SHARE));
  const wanted = { turns: sizes.tailTurns, tokens: sizes.tailTokens, most: Math.max(low - summaryTokens, 0) };
  const tail = chooseTail(units, wanted);
  const isDeleted = reason === "deleted";
  if (tail.gone.length === 0 && inputs.compaction === null && !isDeleted) return null;
  if (tail.kept.length === 0) return null;
  const muted = isDeleted ? inputs.answer.depth - 1 : (inputs.compaction?.state.muted ?? 0);
  const next = compact({ ...inputs, tail, summaryTokens, growth, muted }, count);
  const kept = isDeleted ? tail.kept.filter(({ kind }) => kind !== "update") : tail.kept;
  return { compaction: { id, model: inputs.model.id, ...next }, units: kept };
}

const SUMMARY_SHARE = 0.45;

/** At most `most` tokens. Recalled passages are dropped first, then project digests, then the whole update. */
function renderUpdateIfNew(
  inputs: PromptInputs,
  compaction: Compaction | null,
  { count, most }: { readonly count: Counter; readonly most: number },
): (ContextUpdate & { readonly tokens: number }) | null {
  if (inputs.isPlain || isBegun(inputs)) return null;
  const { messages, now, timeZone = null, memory, pins, recalled, digests } = inputs;
  const since = messages.filter(({ depth }) => depth > (compaction?.depth ?? 0));
  const known = knowledgeOf(compaction, since);
  const news = { now, timeZone, memory, pins, recalled: [], digests };
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

/** Once an answer has parts, its context update, if any, is already stored. */
const isBegun = ({ messages, answer }: PromptInputs): boolean =>
  messages.some(({ id, parts }) => id === answer.id && parts.length > 0);

/** Inserts the update before the user message that is being answered. */
function insertUpdate(
  units: readonly Unit[],
  update: (ContextUpdate & { readonly tokens: number }) | null,
  { id, depth, part: n }: PromptInputs["answer"],
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

function assembleClassic(inputs: PromptInputs, count: Counter, policy: Exclude<PolicyName, "stone">): AssembledPrompt {
  const before = measure({ ...inputs, compaction: null }, count, inputs.sizes ?? SIZES);
  const chosenBlocks = choosers[policy]({
    messages: inputs.messages,
    units: toUnits(inputs.messages, inputs.counts).filter(({ kind }) => kind !== "update"),
    window: toWindow(policy, inputs.window ?? policyWindows[policy]),
    budget: before.room,
    count,
    memory: inputs.memory,
    summaries: inputs.summaries,
    olderSummaries: inputs.olderSummaries ?? 0,
    state: inputs.state,
    digests: inputs.digests,
    now: toMoment(inputs.now, inputs.timeZone ?? null),
  });
  const units = chosenBlocks.blocks.flatMap((block) => (block.kind === "unit" ? [block.unit] : []));
  const shareOf = toShares(units, before.room);
  const fitted = chosenBlocks.blocks.map((block) =>
    block.kind === "unit" ? shortenToFit(block.unit, shareOf(block.unit), count) : block,
  );
  const blocks: readonly Block[] = [
    ...fitted.map((block) => ("unit" in block ? { unit: block.unit } : { text: block.text })),
    ...toNote(inputs.note),
  ];
  const chosen: PromptChoices = {
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
  return finish(inputs, count, { blocks, chosen, head: 0, stored: null, update: null });
}

type PromptContents = {
  readonly blocks: readonly Block[];
  readonly chosen: PromptChoices;
  /** Number of messages that the compaction summary takes: 0 or 1. */
  readonly head: number;
  readonly stored: AssembledPrompt["compaction"];
  readonly update: AssembledPrompt["update"];
};

function finish(
  inputs: PromptInputs,
  count: Counter,
  { blocks, chosen, head, stored, update }: PromptContents,
): AssembledPrompt {
  const { system, tools, toolChoice, effort, settings, note } = inputs;
  const plain = render({ system, tools, blocks, toolChoice, effort, settings });
  const loose = note === "" ? 0 : 1;
  const previous = plain.messages.findLastIndex(
    (message, index) => message.role === "user" && plain.messages[index - 1]?.role !== "user",
  );
  const request = { ...plain, messages: markBreakpoints(plain.messages, { head, previous, loose }) };
  return { request, receipt: buildReceipt(inputs, count, chosen, { request, loose }), compaction: stored, update };
}

const toNote = (note: string): readonly Block[] => (note === "" ? [] : [{ text: note }]);

const withoutKept = (units: readonly Unit[], kept: readonly FittedUnit[]): readonly Unit[] => {
  const names = new Set(kept.map(({ unit }) => nameOf(unit)));
  return units.filter((unit) => !names.has(nameOf(unit)));
};

const nameOf = ({ messageId, parts }: Unit): string => `${messageId}/${parts[0]?.n ?? ""}`;

type LoadedInputs = Pick<
  PromptInputs,
  "messages" | "compaction" | "memory" | "pins" | "summaries" | "recalled" | "digests"
>;

/**
 * The untrusted sources of everything that a prompt is assembled from, including parts that the policy leaves out. So a policy
 * that shortens, replays or summarizes cannot lose one.
 */
export const listUntrusted = ({
  messages,
  compaction,
  memory,
  pins,
  summaries,
  recalled,
  digests,
}: LoadedInputs): Sources =>
  joinSources(
    compaction === null ? [] : sourcesOf(compaction.state),
    ...messages.map(({ parts }) => untrustedIn(parts)),
    ...[...memory, ...pins, ...summaries, ...recalled, ...digests].map(({ untrusted }) => untrusted),
  );

const sourcesOf = ({ untrusted, tainted }: CompactionState): Sources =>
  untrusted ?? (tainted === true ? [PRE_UPGRADE_SOURCE] : []);
