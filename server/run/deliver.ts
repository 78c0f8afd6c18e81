import type { ThreadEvent } from "../../protocol/events.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import { noUsage } from "../../protocol/run.ts";
import type { LogBatch, LogEntry } from "../log/log.ts";
import { runWaiting, toThreadOptions, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { sharedDepth, listVariants, toFork } from "../thread/path.ts";
import { toHead, toInputBody } from "../thread/rows.ts";
import { indexMessage, indexTitle } from "../thread/search-docs.ts";
import { toTitle } from "../thread/title.ts";
import { markDelivered, toMessageRow, planInputFiles, toMessageEvents } from "./message-rows.ts";
import { noAttachedFiles, type AttachedFiles } from "./plan-attached.ts";
import { loadProfile } from "./own-profiles.ts";
import { toRunRow, toRunState, type RunState } from "./state.ts";
import type { RunDeps } from "./running.ts";

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
  const place = await findPlace(deps, thread, body.target);
  const isMessage = input.kind !== "regenerate";
  const runId = ids.next();
  const answerDepth = isMessage ? place.depth + 1 : place.depth;
  const model = body.model ?? thread.model;
  // The message with the input's id removes the input from the queue. For a regeneration that is the answer itself.
  const answerId = isMessage ? ids.next() : input.id;
  const answer = toMessageRow({ thread, id: answerId, place, depth: answerDepth, role: "assistant", runId, now });
  const question = toMessageRow({ thread, id: input.id, place, depth: place.depth, role: "user", runId: null, now });
  const state = await toFirstState(deps, thread, { runId, answer, model, now });
  const attached = isMessage
    ? await planInputFiles(deps, thread, [{ input, body }], now)
    : new Map<string, AttachedFiles>();
  const files = attached.get(input.id) ?? noAttachedFiles;
  const title = thread.title_source === "none" && isMessage ? toTitle(body.text || files.names.join(", ")) : undefined;
  const { patch, changed } = toThreadChange(thread, {
    model: body.model,
    title,
    branchId: place.branchId,
    added: isMessage ? 2 : 1,
    now,
  });
  const stream = threadStream(thread.id);
  const head = isMessage ? toHead(question, place.variants.length ? [...place.variants, question.id] : []) : undefined;
  const added: LogEntry[] = [
    ...place.events.map((event) => ({ stream, event })),
    ...(head ? [...toMessageEvents(stream, head, body.text), ...files.events] : []),
    {
      stream,
      event: { type: "message-added", message: toHead(answer, !isMessage ? [...place.variants, answer.id] : []) },
    },
  ];
  const rows: Write[] = [
    markDelivered(input),
    ...place.writes,
    ...(isMessage ? [{ do: "insert" as const, table: "messages" as const, row: question }] : []),
    { do: "insert", table: "messages", row: answer },
    {
      do: "update",
      table: "branches",
      set: { tip: answerDepth, used_at: now },
      where: { thread: thread.id, id: place.branchId },
    },
    {
      do: "update",
      table: "threads",
      set: patch,
      where: { id: thread.id, branch: thread.branch, title_source: thread.title_source },
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
        { stream: userStream(thread.owner), event: changed },
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
  readonly now: number;
};

async function toFirstState(
  deps: RunDeps,
  thread: RowOf<"threads">,
  { runId, answer, model, now }: FirstState,
): Promise<RunState> {
  const profile = await loadProfile(deps, thread.owner, thread.profile);
  const { effort, mode } = toThreadOptions(thread);
  return {
    view: {
      id: runId,
      threadId: thread.id,
      messageId: answer.id,
      state: "running",
      outcome: null,
      reason: null,
      step: 1,
      model,
      usage: noUsage,
      costUsd: 0,
      startedAt: now,
      endedAt: null,
    },
    stepSeq: 0,
    ownerId: thread.owner,
    branchId: answer.branch,
    depth: answer.depth,
    model,
    profile: thread.profile,
    ...(profile.version === undefined ? {} : { profileVersion: profile.version }),
    ...(thread.temporary ? { temporary: true as const } : {}),
    policy: thread.policy,
    ...(effort === null ? {} : { effort }),
    ...(thread.project === null && mode === null
      ? {}
      : { place: { projectId: thread.project, focusId: thread.focus, mode: thread.mode } }),
    ...(await findOffered(deps, thread, profile.version)),
    nextPart: 0,
    used: { calls: 0, tokens: 0 },
    countedFrom: now,
    recoveries: 0,
    at: { kind: "ready", step: 1, tries: [], model, notBefore: 0 },
  };
}

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
    last.profileVersion === version &&
    (last.place?.projectId ?? null) === (thread.project ?? null);
  if (!isSame || !last.offered) return {};
  return { offered: last.offered, ...(last.toolTokens === undefined ? {} : { toolTokens: last.toolTokens }) };
}

async function findPlace(deps: RunDeps, thread: RowOf<"threads">, target: string | null): Promise<DeliveryPlace> {
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
