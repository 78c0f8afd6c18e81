import type { LogEvent, MessageHead } from "../../protocol/events.ts";
import { textOf } from "../../protocol/fold.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import { PART_VERSION, type Part } from "../../protocol/parts.ts";
import { noUsage } from "../../protocol/run.ts";
import { countTokens } from "../lib/tokens.ts";
import type { LogBatch, LogEntry } from "../log/log.ts";
import { runWaiting, toThreadOptions, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { sharedDepth, listVariants, toFork } from "../thread/path.ts";
import { toHead, toInputBody, toPart, type InputBody } from "../thread/rows.ts";
import { indexMessage, indexTitle } from "../thread/search-docs.ts";
import { toTitle } from "../thread/title.ts";
import { noAttachedFiles, planAttachments, type AttachedFiles } from "./plan-attached.ts";
import { loadProfile } from "./own-profiles.ts";
import { toRunChange, toRunRow, toRunState, type RunState } from "./state.ts";
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
  readonly events: readonly LogEvent[];
  readonly writes: readonly Write[];
};

/** Plans the messages and the run for a queued input. */
export async function planDelivery(deps: RunDeps, thread: RowOf<"threads">, input: RowOf<"inputs">): Promise<Delivery> {
  const { clock, ids } = deps;
  const body = toInputBody(input);
  const now = clock.now();
  const place = await findPlace(deps, thread, body.target);
  const profile = await loadProfile(deps, thread.owner, thread.profile);
  const isMessage = input.kind !== "regenerate";
  const runId = ids.next();
  const answerDepth = isMessage ? place.depth + 1 : place.depth;
  const model = body.model ?? thread.model;
  const { effort, mode } = toThreadOptions(thread);
  // The message with the input's id removes the input from the queue. For a regeneration that is the answer itself.
  const answerId = isMessage ? ids.next() : input.id;
  const answer = newMessage({ thread, id: answerId, place, depth: answerDepth, role: "assistant", runId, now });
  const question = newMessage({ thread, id: input.id, place, depth: place.depth, role: "user", runId: null, now });
  const state: RunState = {
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
    branchId: place.branchId,
    depth: answerDepth,
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
  const attached = isMessage ? await attach(deps, thread, [{ input, body }], now) : new Map<string, AttachedFiles>();
  const files = attached.get(input.id) ?? noAttachedFiles;
  const title = thread.title_source === "none" && isMessage ? toTitle(body.text || files.names.join(", ")) : undefined;
  const patch = {
    status: "streaming" as const,
    ...(body.model === null ? {} : { model: body.model }),
    branch: place.branchId,
    message_count: thread.message_count + (isMessage ? 2 : 1),
    updated_at: now,
    ...(title === undefined ? {} : { title, title_source: "message" as const }),
  };
  const changed: LogEvent = {
    type: "thread-changed",
    threadId: thread.id,
    patch: {
      status: "streaming",
      ...(body.model === null ? {} : { model: body.model }),
      messageCount: patch.message_count,
      updatedAt: now,
      ...(title === undefined ? {} : { title }),
    },
  };
  const stream = threadStream(thread.id);
  const head = isMessage ? toHead(question, place.variants.length ? [...place.variants, question.id] : []) : undefined;
  const added: LogEntry[] = [
    ...place.events.map((event) => ({ stream, event })),
    ...(head ? [...toQuestion(stream, head, body.text), ...files.events] : []),
    {
      stream,
      event: { type: "message-added", message: toHead(answer, !isMessage ? [...place.variants, answer.id] : []) },
    },
  ];
  const rows: Write[] = [
    takeInput(input),
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

type Steering = {
  readonly state: RunState;
  readonly inputs: readonly RowOf<"inputs">[];
  readonly thread: RowOf<"threads">;
};

/** Delivers messages that steer a running answer: they follow the answer so far, which continues in a new message below them. */
export async function planSteering(
  deps: RunDeps,
  { state, inputs, thread }: Steering,
): Promise<{ readonly state: RunState; readonly batch: BatchContent }> {
  const now = deps.clock.now();
  const { view, depth, branchId } = state;
  const place = { branchId };
  const stream = threadStream(thread.id);
  const asked = inputs.map((input, index) => ({
    input,
    body: toInputBody(input),
    row: newMessage({ thread, id: input.id, place, depth: depth + 1 + index, role: "user", runId: null, now }),
  }));
  const answerDepth = depth + inputs.length + 1;
  const answer = newMessage({
    thread,
    id: deps.ids.next(),
    place,
    depth: answerDepth,
    role: "assistant",
    runId: view.id,
    now,
  });
  const model = asked.findLast(({ body }) => body.model !== null)?.body.model ?? state.model;
  const next: RunState = {
    ...state,
    view: { ...view, messageId: answer.id, model },
    depth: answerDepth,
    model,
    nextPart: 0,
    continues: false,
    at: state.at.kind === "ready" ? { ...state.at, model } : state.at,
  };
  const messageCount = thread.message_count + inputs.length + 1;
  const changed: LogEvent = { type: "thread-changed", threadId: thread.id, patch: { messageCount } };
  const attached = await attach(deps, thread, asked, now);
  const filesOf = ({ id }: RowOf<"inputs">) => attached.get(id) ?? noAttachedFiles;
  const said = textOf((await deps.store.read.partsOf(thread.id, [view.messageId])).map(toPart));
  return {
    state: next,
    batch: {
      events: [
        ...asked.flatMap(({ input, row, body }) => [
          ...toQuestion(stream, toHead(row, []), body.text),
          ...filesOf(input).events,
        ]),
        { stream, event: { type: "message-added", message: toHead(answer, []) } },
        { stream: userStream(thread.owner), event: changed },
        { stream, event: changed },
        { stream, event: { type: "run-stepped", run: next.view } },
      ],
      writes: [
        {
          do: "update",
          table: "threads",
          set: { message_count: messageCount },
          where: { id: thread.id, branch: branchId },
          expectOne: true,
        },
        ...asked.flatMap(({ input, row, body }): Write[] => [
          takeInput(input),
          { do: "insert", table: "messages", row },
          ...filesOf(input).writes,
          ...indexMessage(thread, row, body.text),
        ]),
        { do: "insert", table: "messages", row: answer },
        { do: "update", table: "branches", set: { tip: answerDepth }, where: { thread: thread.id, id: branchId } },
        { do: "update", table: "runs", set: toRunChange(next), where: { id: view.id }, expectOne: true },
        ...indexMessage(thread, { id: view.messageId, created_at: now }, said),
      ],
    },
  };
}

type InputWithBody = { readonly input: RowOf<"inputs">; readonly body: InputBody };

/** Attached files by input id. Their refs continue after the highest ref of the thread. */
async function attach(
  deps: RunDeps,
  thread: RowOf<"threads">,
  asked: readonly InputWithBody[],
  now: number,
): Promise<ReadonlyMap<string, AttachedFiles>> {
  const found = new Map<string, AttachedFiles>();
  const withFiles = asked.filter(({ body }) => (body.attachments ?? []).length > 0);
  if (withFiles.length === 0) return found;
  let lastRef = await deps.store.read.lastRef(thread.id);
  for (const { input, body } of withFiles) {
    const files = await planAttachments(deps, {
      thread,
      messageId: input.id,
      ids: body.attachments ?? [],
      lastRef,
      now,
    });
    found.set(input.id, files);
    lastRef += files.writes.filter((write) => write.table === "artifacts").length;
  }
  return found;
}

/** Marks an input as delivered. The batch fails if it was delivered or withdrawn already. */
const takeInput = ({ thread, id }: RowOf<"inputs">): Write => ({
  do: "update",
  table: "inputs",
  set: { state: "delivered" },
  where: { thread, id, state: "queued" },
  expectOne: true,
});

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

type NewMessage = {
  readonly thread: RowOf<"threads">;
  readonly id: string;
  readonly place: Pick<DeliveryPlace, "branchId">;
  readonly depth: number;
  readonly role: "user" | "assistant";
  readonly runId: string | null;
  readonly now: number;
};

const newMessage = ({ thread, id, place, depth, role, runId, now }: NewMessage): RowOf<"messages"> => ({
  thread: thread.id,
  id,
  branch: place.branchId,
  depth,
  role,
  run: runId,
  created_at: now,
});

function toQuestion(stream: ReturnType<typeof threadStream>, message: MessageHead, text: string): LogEntry[] {
  const part: Part = { id: `${message.id}.0`, v: PART_VERSION, n: 0, step: 0, kind: "text", state: "done", text };
  return [
    { stream, event: { type: "message-added", message } },
    { stream, event: { type: "part-settled", messageId: message.id, part }, tokens: countTokens(text) },
  ];
}
