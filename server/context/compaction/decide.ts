import type { PromptInputs, Sizes } from "../assemble.ts";
import type { Counter } from "../fit.ts";
import { toUnits, type Unit } from "../units.ts";
import { countSystem, countTools } from "../count-tools.ts";
import type { CompactionReason, CompactionState } from "./compaction.ts";
import { knowledgeOf, listLeft } from "./context-updates.ts";
import { LEAST_SPREAD, toMarks, type Marks } from "./marks.ts";
import { sizeOf, toTurns, dropSkipped } from "./tail.ts";

/** Used when a model's window is unknown. Every listed model has at least this. */
const ASSUMED_WINDOW = 32_000;
/** Reserved for the answer: an eighth of the window, within these bounds. */
const RESERVE = { least: 1_000, most: 16_000 };
/** In a small window the lower bound is at most a quarter of it. */
const SMALL_WINDOW_SHARE = 4;
/** After a pause this long, provider caches are assumed to be cold. */
export const CACHE_LIVES_MS = 5 * 60_000;
/** Optional compactions happen only if the body exceeds the low mark by this factor. */
const WORTH_IT = 1.25;
/** A rejected prompt does not show the real window, so the next try is well below its size. */
const FAR_BELOW = 0.7;
/** New tokens per call, assumed for a thread without any calls. */
const FIRST_GROWTH = 300;

export type PromptSizes = {
  readonly window: number;
  readonly reserve: number;
  readonly fixed: number;
  /** Tokens available for the compaction summary and the messages. */
  readonly room: number;
  /** Tokens of the current compaction summary and the messages. */
  readonly body: number;
  readonly units: readonly Unit[];
  readonly marks: Marks;
  readonly growth: number;
};

export function measure(inputs: PromptInputs, count: Counter, sizes: Sizes): PromptSizes {
  const { compaction, model, tooLong, note, system, tools } = inputs;
  const window = windowOf(model, tooLong);
  const reserve = reserveOf(window);
  const fixed = countSystem(system, count) + countTools(tools, count) + (note === "" ? 0 : count(note));
  const room = Math.max(0, window - reserve - fixed);
  const since = inputs.messages.filter(({ depth }) => depth > (compaction?.depth ?? 0));
  const muted = compaction?.state.muted ?? 0;
  const units = dropSkipped(toUnits(since, inputs.counts), compaction?.state.skip ?? null).filter(
    ({ kind, depth }) => kind !== "update" || depth > muted,
  );
  const log = sizeOf(units);
  const steps = units.filter(({ kind }) => kind === "step").length;
  const seen = steps === 0 ? (compaction?.state.growth ?? FIRST_GROWTH) : log / (steps + 1);
  const growth = compaction === null ? seen : (seen + compaction.state.growth) / 2;
  const turns = toTurns(units);
  const tail = Math.max(sizes.tailTokens, sizeOf(turns.slice(-1 - sizes.tailTurns).flat()));
  const input = model.prices.input ?? 0;
  const marks = toMarks({
    window,
    room,
    wanted: sizes.summaryTokens + sizeOfDigests(inputs) + tail,
    growth,
    write: toMultiple(model.prices.cacheWrite, input, 1),
    read: toMultiple(model.prices.cacheRead, input, UNKNOWN_READ),
    extra: 0,
  });
  const upper = Math.min(room, Math.floor(window / 2));
  // While a large backlog is being summarized, the compaction summary can exceed its budget. Compacting again would not shrink
  // it, so the body may grow as far as after any other compaction.
  const reached = (compaction?.state.tokens ?? 0) + tail;
  const high = inputs.delaysCompaction ? upper : Math.max(marks.high, Math.min(upper, reached + LEAST_SPREAD));
  return {
    window,
    reserve,
    fixed,
    room,
    body: log + (compaction?.state.tokens ?? 0),
    units,
    marks: { ...marks, high },
    growth,
  };
}

const reserveOf = (window: number): number => {
  const least = Math.min(RESERVE.least, Math.floor(window / SMALL_WINDOW_SHARE));
  return Math.min(RESERVE.most, Math.max(least, Math.floor(window / 8)));
};

/** Tokens left for tools after the system prompt, the message and the reserve. Null: the message does not fit even without tools. */
export function leftForTools(inputs: PromptInputs, count: Counter): number | null {
  const { model, tooLong, system, note, messages, counts } = inputs;
  const window = windowOf(model, tooLong);
  const asked = messages.findLast(({ role }) => role === "user");
  const tokens = asked ? sizeOf(toUnits([asked], counts)) : 0;
  const left = window - reserveOf(window) - countSystem(system, count) - count(note) - tokens;
  return left < 0 ? null : left;
}

/**
 * A model that counts fewer tokens than we do gets little more than its window by our count: other texts may count more. A window
 * that is only assumed is not enlarged.
 */
const LEAST_RATIO = 0.9;

/** The window that prompts are made for, in our tokens. `tooLong`: tokens of a prompt that the provider rejected. */
export const windowOf = (
  { windowTokens, learned, tokenRatio }: Pick<PromptInputs["model"], "windowTokens" | "learned" | "tokenRatio">,
  tooLong: number | null,
): number =>
  Math.min(
    Math.floor(
      (windowTokens ?? ASSUMED_WINDOW) / Math.max(windowTokens === null ? 1 : LEAST_RATIO, tokenRatio?.ratio ?? 1),
    ),
    learned?.tokens ?? Number.POSITIVE_INFINITY,
    tooLong === null ? Number.POSITIVE_INFINITY : Math.floor(tooLong * FAR_BELOW),
  );

/** Digests are part of a compaction summary but not of its budget. */
export const sizeOfDigests = ({ digests }: PromptInputs): number =>
  digests.reduce((sum, { tokens }) => sum + tokens, 0);

/** The usual price of a cached token, as a multiple of the input price. */
const UNKNOWN_READ = 0.1;

const toMultiple = (price: number | null, input: number, otherwise: number): number =>
  price === null || input <= 0 ? otherwise : price / input;

/** Checked before every call. Within a turn only reasons that cannot wait. Null: no compaction. */
export function findReason(inputs: PromptInputs, { body, marks, room, window }: PromptSizes): CompactionReason | null {
  const { compaction, messages, answer, previous, model, tooLong, delaysCompaction } = inputs;
  const isBegun = messages.some(({ id, parts }) => id === answer.id && parts.length > 0);
  if (tooLong !== null && body > marks.high) return "too-long";
  if (inputs.isPlain) return body > room ? "full" : null;
  if (body > Math.min(room, Math.max(marks.high, Math.floor(window / 2)))) return "full";
  if (isBegun) return null;
  if (isForgotten(inputs)) return "deleted";
  if (compaction !== null && hasChanged(inputs, compaction.state)) return "edited";
  if (body > marks.high) return "full";
  if (delaysCompaction || previous === null || body <= marks.low * WORTH_IT + 1_000) return null;
  if (previous.model !== model.id) return "model";
  return inputs.now - previous.at > CACHE_LIVES_MS ? "cold" : null;
}

/** The prompt contains a memory that was forgotten since. It must be removed from the prompt, not only withdrawn. */
function isForgotten({ compaction, messages, memory }: PromptInputs): boolean {
  const since = messages.filter(({ depth }) => depth > (compaction?.depth ?? 0));
  const current = new Map(memory.map(({ field, value }) => [field, value]));
  return Object.entries(knowledgeOf(compaction, since).memory).some(
    ([field, known]) => known !== "" && (current.get(field) ?? "") === "",
  );
}

/** A summary was edited or undone, a pin was removed, or the thread has left a project that the compaction summary describes. */
function hasChanged(
  { summaries, pins, digests }: PromptInputs,
  state: Pick<CompactionState, "chunks" | "pins" | "digests">,
): boolean {
  const pinned = new Set(pins.map(({ id }) => id));
  const now = new Map(summaries.map(({ id, changedAt }) => [id, changedAt]));
  const isOther = state.chunks.some(({ id, changedAt }) => (now.get(id) ?? changedAt) !== changedAt);
  const sent = (state.digests ?? []).map(({ name }) => name);
  return isOther || listLeft(digests, sent).length > 0 || state.pins.some((id) => !pinned.has(id));
}
