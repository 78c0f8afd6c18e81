import type { MessageView } from "../../../protocol/fold.ts";
import { isTerminal, type PartOf } from "../../../protocol/parts.ts";
import type { Sources } from "../../../protocol/context/untrusted.ts";
import { extractLines, type WeighedTurn } from "../extract.ts";
import type { Digest } from "../../project/digest.ts";
import type { Counter } from "../fit.ts";
import { foldLedger, toLedgerTurns } from "../ledger/ledger.ts";
import {
  COMPACTION_VERSION,
  type PromptSummary,
  type Compaction,
  type CompactionState,
  type Line,
  type Pin,
  type MemoryEntry,
} from "./compaction.ts";
import { isCovered, writeSummaryHead } from "./summary-head.ts";
import type { Tail } from "./tail.ts";
import { toTextRow } from "../../thread/rows.ts";

type CompactionInput = {
  readonly compaction: Compaction | null;
  readonly messages: readonly MessageView[];
  readonly tail: Tail;
  readonly summaries: readonly PromptSummary[];
  readonly memory: readonly MemoryEntry[];
  readonly pins: readonly Pin[];
  readonly digests: readonly Digest[];
  readonly summaryTokens: number;
  readonly growth: number;
  readonly muted: number;
  /** Untrusted sources of everything that is loaded, and so of the summary. */
  readonly untrusted: Sources;
};

export type CompactionResult = {
  readonly depth: number;
  readonly summaryHead: string;
  readonly state: CompactionState;
};

/** Folds the removed messages into the compaction summary. Cost is O(removed messages); the rest comes from the previous state. */
export function compact(input: CompactionInput, count: Counter): CompactionResult {
  const { compaction, messages, tail, summaries, memory, pins, digests } = input;
  const depth = Math.min(...tail.kept.map((unit) => unit.depth)) - 1;
  const goneParts = new Set(tail.gone.flatMap(({ parts }) => parts.map((part) => part.id)));
  const gone = messages
    .map((message) => ({ ...message, parts: message.parts.filter(({ id }) => goneParts.has(id)) }))
    .filter(({ parts }) => parts.length > 0);
  const ledger = foldLedger(compaction?.state.ledger ?? [], toLedgerTurns(gone));
  const covered = summaries.filter(({ toDepth }) => toDepth <= depth);
  const since = messages.filter((message) => message.depth > (compaction?.depth ?? 0));
  const lines = [...(compaction?.state.lines ?? []), ...toLines(withEmpty(since, gone, depth), count)]
    .filter(({ from, to }) => !isCovered([from, to], covered))
    .toSorted((a, b) => a.from - b.from || a.to - b.to);
  const head = writeSummaryHead(
    { depth, pins, memory, ledger, summaries: covered, lines, digests },
    input.summaryTokens,
    count,
  );
  return {
    depth,
    summaryHead: head.text,
    state: {
      v: COMPACTION_VERSION,
      ledger,
      lines: head.lines,
      untrusted: input.untrusted,
      chunks: covered.map(({ id, changedAt }) => ({ id, changedAt })),
      memory: Object.fromEntries(memory.map(({ field, value }) => [field, value])),
      pins: pins.map(({ id }) => id),
      ...listSentDigests(digests),
      muted: input.muted,
      skip: tail.skip ?? keepSkip(compaction, tail),
      growth: input.growth,
      items: head.items,
      tokens: head.tokens,
    },
  };
}

/** Steps covered by the previous compaction stay covered while the rest of their message is in the request. */
const keepSkip = (compaction: Compaction | null, { kept }: Tail): CompactionState["skip"] => {
  const skip = compaction?.state.skip ?? null;
  return kept.some(({ messageId }) => messageId === skip?.messageId) ? skip : null;
};

/** A digest that failed to load is not recorded, so the next call sends it. */
const listSentDigests = (digests: readonly Digest[]): Pick<CompactionState, "digests"> => {
  const sent = digests.flatMap(({ name, at }) => (at === null ? [] : [{ name, at }]));
  return sent.length === 0 ? {} : { digests: sent };
};

/** Includes messages without content for a model, such as a failed answer, so that no depth is left out. */
function withEmpty(
  messages: readonly MessageView[],
  gone: readonly MessageView[],
  depth: number,
): readonly MessageView[] {
  const parts = new Map(gone.map((message) => [message.id, message.parts]));
  return messages
    .filter((message) => message.depth <= depth || parts.has(message.id))
    .map((message) => ({ ...message, parts: parts.get(message.id) ?? [] }));
}

/** One line of quotes per question and answer. */
function toLines(messages: readonly MessageView[], count: Counter): readonly Line[] {
  const lines: Line[] = [];
  for (let index = 0; index < messages.length;) {
    const pair = messages.slice(index, index + (messages[index]?.role === "user" ? 2 : 1));
    index += pair.length;
    const [first, last] = [pair[0], pair.at(-1)];
    const text = extractLines(pair.map(toTurn), TOKENS_PER_LINE, count)
      .map((line) => line.replace(/^m\d+ /, ""))
      .join(" ");
    if (first && last) lines.push({ from: first.depth, to: last.depth, text: text === "" ? NO_TEXT : text });
  }
  return lines;
}

const TOKENS_PER_LINE = 60;
const NO_TEXT = "(no text)";

const toTurn = ({ depth, role, createdAt, parts }: MessageView): WeighedTurn => ({
  depth,
  role,
  at: createdAt,
  text: toTextRow(parts),
  tools: listCalls(parts).map(({ name, gist, digest, output }) => ({ name, digest: gist ?? digest ?? toText(output) })),
});

const listCalls = (parts: MessageView["parts"]): readonly PartOf<"tool">[] =>
  parts.filter((part): part is PartOf<"tool"> => part.kind === "tool" && isTerminal(part.state));

const toText = (output: unknown): string => (typeof output === "string" ? output : JSON.stringify(output ?? null));
