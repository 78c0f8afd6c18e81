import type { ThreadEvent } from "../../protocol/events.ts";
import { threadStream } from "../../protocol/ids.ts";
import { noUsage } from "../../protocol/run.ts";
import type { LogBatch, LogEntry } from "../log/log.ts";
import { runWaiting, toThreadOptions, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { sharedDepth, listVariants, toFork } from "../thread/path.ts";
import { toHead, toInputBody, type InputBody } from "../thread/rows.ts";
import { threadListStream } from "../thread/shared.ts";
import { indexMessage, indexTitle } from "../thread/search-docs.ts";
import { toTitle } from "../thread/title.ts";
import { countHistoryPart, toHistoryParts } from "./caller/caller.ts";
import { planHistory } from "./caller/plan-history.ts";
import { markDelivered, toMessageRow, planInputFiles, toMessageEvents } from "./message-rows.ts";
import { noAttachedFiles, type AttachedFiles } from "./plan-attached.ts";
import { loadProfile, toRunProfile } from "./own-profiles.ts";
import { toRunRow, toRunState, type RunState } from "./state.ts";
import type { RunDeps } from "./run-context.ts";

export type BatchContent = Pick<LogBatch, "events" | "writes">;
export type Delivery = {
  readonly state: RunState;
  /** The events and writes of the delivery, with the run in this state. */
  readonly toBatch: (state: RunState) => BatchContent;
};

type DeliveryPlace = {
  readonly branchId: string;
  /** Depth of the first message added. */
  readonly depth: number;
  readonly variants: readonly string[];
  readonly events: readonly ThreadEvent[];
  readonly writes: readonly Write[];
};

/** Plans the messages and the run for a queued input. */
export async function planDelivery(deps: RunDeps, thread: RowOf<"threads">, input: RowOf<"inputs">): Promise<Delivery> {
  const { clock, ids } = deps;
  const body = toInputBody(input);
  const now = clock.now();
  const branchPoint = await findBranchPoint(deps, thread, body.target);
  const isMessage = input.kind !== "regenerate";
  const runId = ids.next();
  const history = await planHistory(deps, thread, { body, branchPoint, now });
  const depth = branchPoint.depth + history.rows.length;
  const answerDepth = isMessage ? depth + 1 : depth;
  const model = body.model ?? thread.model;
  // The message with the input's id removes the input from the queue. For a regeneration that is the answer itself.
  const answerId = isMessage ? (body.answerId ?? ids.next()) : input.id;
  const answer = toMessageRow({
    thread,
    id: answerId,
    branchPoint,
    depth: answerDepth,
    role: "assistant",
    runId,
    now,
  });
  const question = toMessageRow({
    thread,
    id: input.id,
    branchPoint,
    depth,
    role: "user",
    runId: null,
    now,
    from: input,
  });
  const begun = toHistoryParts(body.begun ?? [], answerId);
  const state = await toFirstState(deps, thread, { runId, answer, model, body, now, input });
  const attached = isMessage
    ? await planInputFiles(deps, thread, [...history.withFiles, { input, body }], { model, now })
    : new Map<string, AttachedFiles>();
  const files = attached.get(input.id) ?? noAttachedFiles;
  const historyFiles = history.rows.map(({ id }) => attached.get(id) ?? noAttachedFiles);
  const title = thread.title_source === "none" && isMessage ? toTitle(body.text || files.names.join(", ")) : undefined;
  const { patch, changed } = toThreadChange(thread, {
    model: body.model,
    title,
    branchId: branchPoint.branchId,
    added: history.rows.length + (isMessage ? 2 : 1),
    now,
  });
  const stream = threadStream(thread.id);
  const isVariant = branchPoint.variants.length > 0 && history.rows.length === 0;
  const head = isMessage ? toHead(question, isVariant ? [...branchPoint.variants, question.id] : []) : undefined;
  const added: LogEntry[] = [
    ...branchPoint.events.map((event) => ({ stream, event })),
    ...history.events,
    ...historyFiles.flatMap(({ events }) => events),
    ...(head ? [...toMessageEvents(stream, head, body), ...files.events] : []),
    {
      stream,
      event: { type: "message-added", message: toHead(answer, !isMessage ? [...branchPoint.variants, answer.id] : []) },
    },
    ...begun.map((part): LogEntry => ({
      stream,
      event: { type: "part-settled", messageId: answerId, part },
      tokens: countHistoryPart(part),
    })),
  ];
  const rows: Write[] = [
    markDelivered(input),
    ...branchPoint.writes,
    ...history.writes,
    ...historyFiles.flatMap(({ writes }) => writes),
    ...(isMessage ? [{ do: "insert" as const, table: "messages" as const, row: question }] : []),
    { do: "insert", table: "messages", row: answer },
    {
      do: "update",
      table: "branches",
      set: { tip: answerDepth, used_at: now },
      where: { thread: thread.id, id: branchPoint.branchId },
    },
    {
      do: "update",
      table: "threads",
      set: patch,
      // A thread that was shared in the meantime gets other prompts.
      where: { id: thread.id, branch: thread.branch, title_source: thread.title_source, shared: thread.shared },
      expectOne: true,
    },
    ...files.writes,
    ...(isMessage ? indexMessage(thread, question, body.text) : []),
    ...(title === undefined ? [] : indexTitle(thread, title)),
  ];
  return {
    state,
    toBatch: (begun) => ({
      events: [
        ...added,
        { stream, event: { type: "run-started", run: begun.view } },
        { stream, event: changed },
        { stream: threadListStream(thread), event: changed },
      ],
      writes: [
        ...rows,
        { do: "insert", table: "runs", row: { ...toRunRow(begun), stop: 0, waiting: runWaiting.no, handed_over: 0 } },
      ],
    }),
  };
}

type FirstState = {
  readonly runId: string;
  readonly answer: RowOf<"messages">;
  readonly model: string;
  readonly body: InputBody;
  readonly now: number;
  readonly input: RowOf<"inputs">;
};

async function toFirstState(
  deps: RunDeps,
  thread: RowOf<"threads">,
  { runId, answer, model, body, now, input }: FirstState,
): Promise<RunState> {
  const profile = await loadProfile(deps, thread.owner, toRunProfile(thread));
  const { effort, mode } = toThreadOptions(thread);
  const { caller, begun = [] } = body;
  const step = (begun.at(-1)?.step ?? 0) + 1;
  return {
    view: {
      id: runId,
      threadId: thread.id,
      messageId: answer.id,
      state: "running",
      outcome: null,
      reason: null,
      step,
      model,
      usage: noUsage,
      costUsd: 0,
      startedAt: now,
      endedAt: null,
    },
    stepSeq: 0,
    ...toAsker(thread, input),
    branchId: answer.branch,
    depth: answer.depth,
    model,
    profile: toRunProfile(thread),
    ...(profile.version === undefined ? {} : { profileVersion: profile.version }),
    ...(thread.temporary ? { temporary: true as const } : {}),
    policy: thread.policy,
    ...(effort === null ? {} : { effort }),
    ...(thread.project === null && mode === null
      ? {}
      : { scope: { projectId: thread.project, focusId: thread.focus, mode: thread.mode } }),
    ...(caller
      ? { caller: { ...caller, fromStep: step }, extended: Math.floor(step / profile.limits.steps) }
      : await findOffered(deps, thread, profile.version)),
    nextPart: begun.length,
    used: { calls: 0, tokens: 0 },
    countedFrom: now,
    recoveries: 0,
    at: { kind: "ready", step, tries: [], model, notBefore: 0 },
  };
}

/** The user who asked. */
export const toAsker = (
  thread: Pick<RowOf<"threads">, "owner" | "shared">,
  input: Pick<RowOf<"inputs">, "author">,
): Pick<RunState, "ownerId" | "shared"> => ({
  ownerId: (thread.shared === 1 ? input.author : null) ?? thread.owner,
  ...(thread.shared === 1 ? { shared: true as const } : {}),
});

type ThreadChange = {
  /** The model of the input; null: unchanged. */
  readonly model: string | null;
  readonly title: string | undefined;
  readonly branchId: string;
  /** Number of added messages. */
  readonly added: number;
  readonly now: number;
};

function toThreadChange(thread: RowOf<"threads">, { model, title, branchId, added, now }: ThreadChange) {
  const messageCount = thread.message_count + added;
  const common = { status: "streaming" as const, ...(model === null ? {} : { model }) };
  const patch = {
    ...common,
    branch: branchId,
    message_count: messageCount,
    updated_at: now,
    ...(title === undefined ? {} : { title, title_source: "message" as const }),
  };
  const changed: ThreadEvent = {
    type: "thread-changed",
    threadId: thread.id,
    patch: { ...common, messageCount, updatedAt: now, ...(title === undefined ? {} : { title }) },
  };
  return { patch, changed };
}

/**
 * Reuses the tools of the thread's last run, so that the prompt prefix stays the same. They are chosen again when the thread
 * has changed its profile or project.
 */
async function findOffered(
  { store }: RunDeps,
  thread: RowOf<"threads">,
  version: number | undefined,
): Promise<Pick<RunState, "offered" | "toolTokens">> {
  const { id, profile, message_count: count } = thread;
  if (count === 0) return {};
  const [row] = await store.read.runs(id, 1);
  const last = row && toRunState(row);
  const isSame =
    last?.profile === profile &&
    (last.shared === true) === (thread.shared === 1) &&
    last.profileVersion === version &&
    (last.scope?.projectId ?? null) === (thread.project ?? null);
  if (!isSame || !last.offered || last.caller) return {};
  return { offered: last.offered, ...(last.toolTokens === undefined ? {} : { toolTokens: last.toolTokens }) };
}

async function findBranchPoint(deps: RunDeps, thread: RowOf<"threads">, target: string | null): Promise<DeliveryPlace> {
  const { read } = deps.store;
  if (target === null) {
    const branch = await read.branch(thread.id, thread.branch);
    return { branchId: thread.branch, depth: (branch?.tip ?? 0) + 1, variants: [], events: [], writes: [] };
  }
  const message = await read.message(thread.id, target);
  const branch = message && (await read.branch(thread.id, message.branch));
  if (!message || !branch) throw new Error(`The message ${target} that an input refers to no longer exists.`);
  const { parent, forkDepth } = toFork(message, branch);
  const branchId = deps.ids.next();
  const shared = Math.min(forkDepth, await sharedDepth(read, thread.id, thread.branch, parent));
  const row = {
    thread: thread.id,
    id: branchId,
    parent,
    fork_depth: forkDepth,
    tip: forkDepth,
    used_at: deps.clock.now(),
  };
  return {
    branchId,
    depth: message.depth,
    variants: await listVariants(read, thread.id, message, branch),
    events: [{ type: "branch-activated", branchId, forkDepth: shared, reload: shared < forkDepth }],
    writes: [{ do: "insert", table: "branches", row }],
  };
}
