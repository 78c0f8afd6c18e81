import type { PolicyName } from "../../../protocol/context/policy.ts";
import { textOf, type MessageView } from "../../../protocol/fold.ts";
import { joinSources, readSources } from "../../../protocol/context/untrusted.ts";
import {
  knowledgeOf,
  listUntrusted,
  summariesShown,
  toPrevious,
  windowOf,
  countLoaded,
  type PromptSummary,
  type Compaction,
  type CompactionState,
  type RecalledMessage,
  type PromptInputs,
} from "../../context/assemble.ts";
import { countTokens } from "../../lib/tokens.ts";
import { chooseMode, type Digest } from "../../project/digest.ts";
import type { Reads } from "../../store/contract.ts";
import { toReceipt } from "../../store/parse-rows.ts";
import type { RowOf } from "../../store/schema.ts";
import { listVisible, renderNewer } from "../../recall/recall.ts";
import { loadWindow } from "../../thread/path.ts";
import type { LearnedWindow, TokenRatio } from "../learned-windows.ts";
import type { PrepareContext } from "../run-context.ts";
import type { RunState, TurnContext } from "../state.ts";

type LoadedContext = Pick<
  PromptInputs,
  | "policy"
  | "window"
  | "messages"
  | "counts"
  | "answer"
  | "compaction"
  | "delaysCompaction"
  | "memory"
  | "pins"
  | "state"
  | "summaries"
  | "olderSummaries"
  | "recalled"
  | "digests"
  | "now"
  | "previous"
  | "tooLong"
  | "untrusted"
> & {
  readonly turnContext: TurnContext | null;
  readonly learned: LearnedWindow | null;
  readonly tokenRatio: TokenRatio | null;
};

/** The model to call and its configured context window. */
type TargetModel = { readonly id: string; readonly windowTokens: number | null };

/** Maximum messages to load if there is no compaction, or only an old one. */
const MAX_MESSAGES = 600;
/** Limits for recalled passages. */
const RECALL = { budgetTokens: 1_200, leastShare: 0.5 };

/** Loads the prompt inputs. Cost is O(window), not O(thread). */
export async function loadContext(
  run: PrepareContext,
  state: RunState,
  { id: model, windowTokens: known }: TargetModel,
): Promise<LoadedContext> {
  const { read } = run.store;
  const { threadId, messageId } = state.view;
  const policy = state.policy || run.profile.policy;
  const [rows, memory, pins, [receipt], learned, tokenRatio] = await Promise.all([
    policy === "stone" ? read.compactionMarks(threadId, MAX_COMPACTIONS) : [],
    run.preferences.memory && !state.caller?.isPlain ? read.memory(state.ownerId) : [],
    read.pins(threadId),
    read.receipts(threadId, 1, null),
    run.learnedWindows.find(model),
    run.learnedWindows.findRatio(model),
  ]);
  const previous = receipt ? toReceipt(receipt) : null;
  const windowTokens = learned === null ? known : windowOf({ windowTokens: known, learned }, null);
  const { compaction, delaysCompaction } = await findCompaction(run, state, rows);
  const count =
    policy === "stone"
      ? Math.min(MAX_MESSAGES, state.depth - (compaction?.depth ?? 0))
      : countLoaded(policy, run.profile.window);
  const path = { thread: threadId, branch: state.branchId };
  const { messages, tokens } = await loadWindow(read, { ...path, count });
  const isBegun = messages.some(({ id, parts }) => id === messageId && parts.length > 0);
  const hasMore = (messages[0]?.depth ?? 1) > 1;
  const now = run.clock.now();
  const [summaries, turnContext, recalled, digests] = await Promise.all([
    // Used to detect edited summaries in the current compaction. `prepare` loads the summaries for a new compaction.
    compaction !== null && !isBegun ? run.summariesOf(read, { ...path, upTo: state.depth }) : [],
    findTurnContext(run, state, { policy, messages, now }),
    hasMore && !isBegun && policy === "stone" && !state.caller?.isPlain ? recall(run, state, messages, now) : [],
    chooseMode(state.scope, run.profile.name) === null
      ? []
      : readDigests(run, state, { messages, compaction, windowTokens, policy }),
  ]);
  const loaded = {
    policy,
    window: run.profile.window,
    messages,
    counts: tokens,
    answer: { id: messageId, depth: state.depth, part: state.nextPart },
    compaction,
    delaysCompaction,
    memory: memory.map(({ field, value, untrusted }) => ({ field, value, untrusted: readSources(untrusted) })),
    pins: pins.map(({ id, text, untrusted }) => ({ id, text, untrusted: readSources(untrusted) })),
    state: turnContext?.state?.text ?? null,
    summaries: turnContext?.summaries ?? summaries,
    olderSummaries: turnContext?.olderSummaries ?? 0,
    turnContext,
    recalled,
    digests,
    now,
    timeZone: run.preferences.timeZone,
    previous: previous && receipt ? toPrevious(previous, receipt.created_at) : null,
    learned,
    tokenRatio,
    tooLong: state.tooLong ?? null,
  };
  return { ...loaded, untrusted: joinSources(listUntrusted(loaded), turnContext?.state?.untrusted) };
}

const MAX_COMPACTIONS = 40;

type TurnInputs = { readonly policy: PolicyName; readonly messages: readonly MessageView[]; readonly now: number };

/**
 * Summaries and work state for the policies `summary` and `snapshot`. Chosen once per turn and stored with the run, so that
 * every request of the turn contains the same bytes, also after retries and restarts.
 */
async function findTurnContext(
  run: PrepareContext,
  { turnContext, view, branchId, depth }: RunState,
  { policy, messages, now }: TurnInputs,
): Promise<TurnContext | null> {
  if (policy !== "summary" && policy !== "snapshot") return null;
  if (turnContext?.policy === policy) return turnContext;
  const { read } = run.store;
  const path = { thread: view.threadId, branch: branchId };
  const answerDepth = messages.find(({ id }) => id === view.messageId)?.depth ?? depth;
  const [summaries, state] = await Promise.all([
    run.summariesOf(read, { ...path, upTo: depth }),
    policy === "snapshot" ? run.stateOf(read, { ...path, upTo: endOfLastTurn(messages, answerDepth) }, now) : null,
  ]);
  const shown = summaries.slice(-summariesShown).map(toStoredSummary);
  return { policy, summaries: shown, olderSummaries: summaries.length - shown.length, state };
}

/** The fields of a summary that a prompt needs. Only these are stored in the run's row. */
const toStoredSummary = ({
  id,
  fromDepth,
  toDepth,
  text,
  tokens,
  changedAt,
  untrusted,
}: PromptSummary): PromptSummary => ({
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

/** The newest compaction on this path that was not undone. If the newest was undone, the next compaction is delayed. */
async function findCompaction(
  run: PrepareContext,
  { view: { threadId }, branchId, depth }: RunState,
  rows: Awaited<ReturnType<Reads["compactionMarks"]>>,
): Promise<{ readonly compaction: Compaction | null; readonly delaysCompaction: boolean }> {
  if (rows.length === 0) return { compaction: null, delaysCompaction: false };
  const isElsewhere = rows.some(({ branch }) => branch !== branchId);
  const upTo = new Map([[branchId, depth]]);
  if (isElsewhere) {
    const segments = await run.store.read.segments({ thread: threadId, branch: branchId, upTo: WHOLE }, WHOLE);
    for (const { branch, to } of segments) upTo.set(branch, to);
  }
  const here = rows.filter((row) => row.depth <= (upTo.get(row.branch) ?? -1));
  const found = here.find(({ undone }) => undone === 0);
  const row = found && (await run.store.read.compaction(found.id));
  return { compaction: row ? toCompaction(row) : null, delaysCompaction: here[0]?.undone === 1 };
}

const WHOLE = Number.MAX_SAFE_INTEGER;

export const toCompaction = ({ id, depth, head, model, body }: RowOf<"epochs">): Compaction => ({
  id,
  depth,
  summaryHead: head,
  model,
  state: JSON.parse(body) as CompactionState,
});

/** Passages from before the window that match the question, without those that the prompt already contains. */
async function recall(
  run: PrepareContext,
  { view: { threadId }, branchId, depth }: RunState,
  messages: readonly MessageView[],
  now: number,
): Promise<readonly RecalledMessage[]> {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const earlierTexts = messages.slice(Math.max(0, asked - 2), asked).map(({ parts }) => textOf(parts));
  const shown = listVisible(messages.slice(0, asked));
  const query = textOf(messages[asked]?.parts ?? []);
  const found = await run.recall.search({
    threadId,
    branchId,
    upTo: depth,
    query,
    previous: earlierTexts.join("\n"),
    now,
    ...RECALL,
    visible: { cut: (messages[0]?.depth ?? 1) - 1, messageIds: new Set(shown.map(({ messageId }) => messageId)) },
  });
  return renderNewer(query, found, shown);
}

type DigestOptions = {
  readonly messages: readonly MessageView[];
  readonly compaction: Compaction | null;
  readonly windowTokens: number | null;
  readonly policy: PolicyName;
};

/** Project digests. Loaded at every step, so that they include changes made in the previous step. */
async function readDigests(
  run: PrepareContext,
  state: RunState,
  { messages, compaction, windowTokens, policy }: DigestOptions,
): Promise<readonly Digest[]> {
  const since = messages.filter(({ depth }) => depth > (compaction?.depth ?? 0));
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const exchange = messages.slice(Math.max(0, asked - 2), asked + 1).map(({ parts }) => textOf(parts));
  const digests = await run.digests.load({
    ownerId: state.ownerId,
    threadId: state.view.threadId,
    isShared: state.shared === true,
    scope: state.scope,
    profile: run.profile.name,
    exchange: exchange.map((text) => text.slice(0, MAX_MESSAGE_CHARACTERS)).join("\n"),
    included: policy === "stone" ? knowledgeOf(compaction, since).digests : new Map(),
    windowTokens,
    wantsData: policy === "snapshot",
  });
  // Same placeholders as in tool results, so that the prompt prefix stays the same.
  const redactor = run.secrets.redactorOf(state.view.threadId);
  const redact = async (digest: Digest): Promise<Digest> => {
    const { value: full } = await redactor.inWorker.text(digest.full);
    return {
      ...digest,
      full,
      tokens: full === digest.full ? digest.tokens : countTokens(full),
      since: digest.since === null ? null : (await redactor.inWorker.text(digest.since)).value,
      data: (await redactor.inWorker.value(digest.data)).value as Digest["data"],
    };
  };
  return Promise.all(digests.map(redact));
}

/** Characters of a message that are used to find relevant entities. */
const MAX_MESSAGE_CHARACTERS = 2_000;
