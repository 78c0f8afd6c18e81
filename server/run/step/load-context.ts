import type { PolicyName } from "../../../protocol/context/policy.ts";
import type { Receipt } from "../../../protocol/context/receipt.ts";
import { textOf, type MessageView } from "../../../protocol/fold.ts";
import { joinSources, readSources } from "../../../protocol/context/untrusted.ts";
import {
  knowledgeOf,
  listUntrusted,
  summariesShown,
  toPrevious,
  windowOf,
  windows,
  type Chunk,
  type Compaction,
  type CompactionState,
  type Recalled,
  type Snapshot,
} from "../../context/assemble.ts";
import { countTokens } from "../../lib/tokens.ts";
import { chooseMode, type Digest } from "../../project/digest.ts";
import type { Reads } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { listShown, renderNewer } from "../../recall/recall.ts";
import { loadWindow } from "../../thread/path.ts";
import type { LearnedWindow } from "../learned-windows.ts";
import type { Preparing } from "../running.ts";
import type { RunState, TurnContext } from "../state.ts";

type Loaded = Pick<
  Snapshot,
  | "policy"
  | "messages"
  | "counts"
  | "answer"
  | "epoch"
  | "held"
  | "memory"
  | "pins"
  | "state"
  | "chunks"
  | "olderChunks"
  | "recalled"
  | "digests"
  | "now"
  | "previous"
  | "tooLong"
  | "untrusted"
> & { readonly turnContext: TurnContext | null; readonly learned: LearnedWindow | null };

/** The model that is called; the window that it claims. */
type Asked = { readonly id: string; readonly windowTokens: number | null };

/** Messages of a thread that has no cut yet, or whose cut is far behind. */
const MOST_MESSAGES = 600;
/** What is brought back for one question. */
const RECALL = { budgetTokens: 1_200, leastShare: 0.5 };

/** What stands behind a prompt, from the store: costs the window, whatever the thread's length. */
export async function loadContext(
  run: Preparing,
  state: RunState,
  { id: model, windowTokens: known }: Asked,
): Promise<Loaded> {
  const { read } = run.store;
  const { threadId, messageId } = state.view;
  const policy = (state.policy || run.profile.policy) as PolicyName;
  const [rows, memory, pins, [receipt], learned] = await Promise.all([
    policy === "stone" ? read.epochMarks(threadId, MOST_EPOCHS) : [],
    read.memory(state.ownerId),
    read.pins(threadId),
    read.receipts(threadId, 1, null),
    run.learnedWindows.find(model),
  ]);
  const previous = toReceipt(receipt);
  const windowTokens = learned === null ? known : windowOf({ windowTokens: known, learned }, null);
  const { epoch, held } = await findEpoch(run, state, rows);
  const count = policy === "stone" ? Math.min(MOST_MESSAGES, state.depth - (epoch?.depth ?? 0)) : windows[policy];
  const place = { thread: threadId, branch: state.branchId };
  const { messages, tokens } = await loadWindow(read, { ...place, count });
  const isBegun = messages.some(({ id, parts }) => id === messageId && parts.length > 0);
  const hasMore = (messages[0]?.depth ?? 1) > 1;
  const now = run.clock.now();
  const [chunks, turnContext, recalled, digests] = await Promise.all([
    // Tells whether a summary in the current compaction was edited; what a new compaction includes is loaded in `prepare`.
    epoch !== null && !isBegun ? run.chunksOf(read, { ...place, upTo: state.depth }) : [],
    findTurnContext(run, state, { policy, messages, now }),
    hasMore && !isBegun && policy === "stone" ? recall(run, state, messages, now) : [],
    chooseMode(state.place, run.profile.name) === null
      ? []
      : readDigests(run, state, { messages, epoch, windowTokens, policy }),
  ]);
  const loaded = {
    policy,
    messages,
    counts: tokens,
    answer: { id: messageId, depth: state.depth, part: state.nextPart },
    epoch,
    held,
    memory: memory.map(({ field, value, untrusted }) => ({ field, value, untrusted: readSources(untrusted) })),
    pins: pins.map(({ id, text, untrusted }) => ({ id, text, untrusted: readSources(untrusted) })),
    state: turnContext?.state?.text ?? null,
    chunks: turnContext?.chunks ?? chunks,
    olderChunks: turnContext?.olderChunks ?? 0,
    turnContext,
    recalled,
    digests,
    now,
    previous: previous && receipt ? toPrevious(previous, receipt.created_at) : null,
    learned,
    tooLong: state.tooLong ?? null,
  };
  return { ...loaded, untrusted: joinSources(listUntrusted(loaded), turnContext?.state?.untrusted) };
}

const MOST_EPOCHS = 40;

type Turn = { readonly policy: PolicyName; readonly messages: readonly MessageView[]; readonly now: number };

/**
 * What `summary` and `snapshot` show beside the messages. Chosen once per turn and stored with the run, so that it is in every
 * request of the turn, retries and restarts included, with the same bytes.
 */
async function findTurnContext(
  run: Preparing,
  { turnContext, view, branchId, depth }: RunState,
  { policy, messages, now }: Turn,
): Promise<TurnContext | null> {
  if (policy !== "summary" && policy !== "snapshot") return null;
  if (turnContext?.policy === policy) return turnContext;
  const { read } = run.store;
  const place = { thread: view.threadId, branch: branchId };
  const asked = messages.find(({ id }) => id === view.messageId)?.depth ?? depth;
  const [chunks, state] = await Promise.all([
    run.chunksOf(read, { ...place, upTo: depth }),
    policy === "snapshot" ? run.stateOf(read, { ...place, upTo: endOfLastTurn(messages, asked) }, now) : null,
  ]);
  const shown = chunks.slice(-summariesShown).map(toPlain);
  return { policy, chunks: shown, olderChunks: chunks.length - shown.length, state };
}

/** What a prompt needs of a summary: the run's row holds no more. */
const toPlain = ({ id, fromDepth, toDepth, text, tokens, changedAt, untrusted }: Chunk): Chunk => ({
  id,
  fromDepth,
  toDepth,
  text,
  tokens,
  changedAt,
  ...(untrusted ? { untrusted } : {}),
});

/** The depth of the last answer before the turn that ends at `depth`. */
function endOfLastTurn(messages: readonly MessageView[], depth: number): number {
  const before = messages.findLast((message) => message.depth < depth && message.role === "assistant");
  return before?.depth ?? 0;
}

/** The newest on this path that stands. One that was taken back holds the next off. */
async function findEpoch(
  run: Preparing,
  { view: { threadId }, branchId, depth }: RunState,
  rows: Awaited<ReturnType<Reads["epochMarks"]>>,
): Promise<{ readonly epoch: Compaction | null; readonly held: boolean }> {
  if (rows.length === 0) return { epoch: null, held: false };
  const isElsewhere = rows.some(({ branch }) => branch !== branchId);
  const upTo = new Map([[branchId, depth]]);
  if (isElsewhere) {
    const segments = await run.store.read.segments({ thread: threadId, branch: branchId, upTo: WHOLE }, WHOLE);
    for (const { branch, to } of segments) upTo.set(branch, to);
  }
  const here = rows.filter((row) => row.depth <= (upTo.get(row.branch) ?? -1));
  const found = here.find(({ undone }) => undone === 0);
  const row = found && (await run.store.read.epoch(found.id));
  return { epoch: row ? toCompaction(row) : null, held: here[0]?.undone === 1 };
}

const WHOLE = Number.MAX_SAFE_INTEGER;

export const toCompaction = ({ id, depth, head, model, body }: RowOf<"epochs">): Compaction => ({
  id,
  depth,
  head,
  model,
  state: JSON.parse(body) as CompactionState,
});

/** Passages from before the window that fit what is asked; those that were brought back since the cut stand already. */
async function recall(
  run: Preparing,
  { view: { threadId }, branchId, depth }: RunState,
  messages: readonly MessageView[],
  now: number,
): Promise<readonly Recalled[]> {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const said = messages.slice(Math.max(0, asked - 2), asked).map(({ parts }) => textOf(parts));
  const shown = listShown(messages.slice(0, asked));
  const query = textOf(messages[asked]?.parts ?? []);
  const found = await run.recall.search({
    threadId,
    branchId,
    upTo: depth,
    query,
    previous: said.join("\n"),
    now,
    ...RECALL,
    visible: { cut: (messages[0]?.depth ?? 1) - 1, messageIds: new Set(shown.map(({ messageId }) => messageId)) },
  });
  return renderNewer(query, found, shown);
}

type Telling = {
  readonly messages: readonly MessageView[];
  readonly epoch: Compaction | null;
  readonly windowTokens: number | null;
  readonly policy: PolicyName;
};

/** Of the work that the thread belongs to: at every step, so that what was written in the one before is in it. */
async function readDigests(
  run: Preparing,
  state: RunState,
  { messages, epoch, windowTokens, policy }: Telling,
): Promise<readonly Digest[]> {
  const since = messages.filter(({ depth }) => depth > (epoch?.depth ?? 0));
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const exchange = messages.slice(Math.max(0, asked - 2), asked + 1).map(({ parts }) => textOf(parts));
  const digests = await run.digests.load({
    ownerId: state.ownerId,
    threadId: state.view.threadId,
    place: state.place,
    profile: run.profile.name,
    exchange: exchange.map((text) => text.slice(0, LONGEST_SAID)).join("\n"),
    told: policy === "stone" ? knowledgeOf(epoch, since).digests : new Map(),
    windowTokens,
    wantsData: policy === "snapshot",
  });
  // As in what a tool returns of the same things: the same secret has the same stand-in, so prompts begin the same.
  const redactor = run.secrets.redactorOf(state.view.threadId);
  const redact = async (digest: Digest): Promise<Digest> => {
    const { value: full } = await redactor.apart.text(digest.full);
    return {
      ...digest,
      full,
      tokens: full === digest.full ? digest.tokens : countTokens(full),
      since: digest.since === null ? null : (await redactor.apart.text(digest.since)).value,
      data: (await redactor.apart.value(digest.data)).value as Digest["data"],
    };
  };
  return Promise.all(digests.map(redact));
}

/** Of a message, as far as it tells what is talked about. */
const LONGEST_SAID = 2_000;

const toReceipt = (row: RowOf<"receipts"> | undefined): Receipt | null =>
  row?.v === 2 ? (JSON.parse(row.body) as Receipt) : null;
