import { limits, maxMessageCharacters, type Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { LogEvent } from "../../protocol/events.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { LogEntry, Log } from "../log/log.ts";
import type { Models } from "../model/model.ts";
import { checkPlace } from "../project/project.ts";
import type { Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { hashOf } from "./input.ts";
import { planSending } from "./attachments/plan-sending.ts";
import { planSent } from "./drafts.ts";
import { sharedDepth, findLeaf } from "./path.ts";
import { toInputBody, toPart, toQueuedFiles, type InputBody } from "./rows.ts";
import { findNewestRun, isContinuable, toStoredRun } from "./snapshot.ts";
import { indexTitle } from "./search-docs.ts";
import { checkModel, checkProfile, type Threads } from "./threads.ts";
import { runWaiting, toOptionColumns } from "../store/codes.ts";

/**
 * The one door for human acts. In: an act under the client's id. Out: its seq, when it is durable. Nothing is executed here:
 * an admitted message waits in the inbox until a run takes it, in this process or another, now or after a restart.
 */
export type Admit = ReturnType<typeof createAdmit>;
export type Accepted = { id: string; seq: number };

type Options = {
  readonly store: Store;
  readonly log: Log;
  readonly threads: Pick<Threads, "get">;
  readonly models: Pick<Models, "find">;
  readonly clock: Clock;
};

type Sent = Awaited<ReturnType<typeof planSent>>;

/** An act as it is stored: what it is, and the rows and events it brings beside its own. */
type Act = {
  readonly id: string;
  readonly kind:
    | "message"
    | "edit"
    | "regenerate"
    | "change"
    | "activate"
    | "stop"
    | "withdraw"
    | "decide"
    | "continue"
    | "retry";
  readonly mode?: "queue" | "steer";
  readonly state: "queued" | "done";
  readonly body: InputBody | object;
  readonly events: readonly LogEntry[];
  readonly writes: readonly Write[];
  /** Refuses what cannot be admitted; not asked when the same act was admitted before. */
  readonly check?: () => Promise<void>;
};

export function createAdmit({ store, log, threads, models, clock }: Options) {
  const { read } = store;

  const admit = async (thread: RowOf<"threads">, act: Act): Promise<Accepted> => {
    const hash = hashOf({ kind: act.kind, mode: act.mode, body: act.body });
    const known = await read.input(thread.id, act.id);
    if (known) return repeat(known, hash);
    try {
      await act.check?.();
    } catch (error) {
      // Another request with this id, perhaps on another node, was admitted after the read above.
      const winner = await read.input(thread.id, act.id);
      if (winner) return repeat(winner, hash);
      throw error;
    }
    const head = act.events.length ? 0 : (await read.lease(threadStream(thread.id))).head;
    const row = {
      thread: thread.id,
      id: act.id,
      kind: act.kind,
      mode: act.mode ?? "queue",
      hash,
      body: JSON.stringify(act.body),
      state: act.state,
      seq: act.events.length ? { seqOf: 0 } : head,
      created_at: clock.now(),
    };
    const result = await log.commit({
      events: act.events,
      writes: [{ do: "insert", table: "inputs", row }, ...act.writes],
      drive: [thread.id],
    });
    if (result.ok) return { id: act.id, seq: result.seqs[0] ?? head };
    const winner = await read.input(thread.id, act.id);
    if (winner) return repeat(winner, hash);
    if (await read.thread(thread.id))
      throw new ApiError("conflict", "the thread changed meanwhile: look again and retry");
    throw new ApiError("not-found", "There is nothing of yours under this id.");
  };

  /** Into the inbox, to be taken by a run. */
  const enqueue = async (
    thread: RowOf<"threads">,
    input: {
      id: string;
      kind: "message" | "edit" | "regenerate";
      mode?: "queue" | "steer";
      body: InputBody;
      sent?: Sent;
      files?: readonly Write[];
    },
  ): Promise<Accepted> => {
    const { id, kind, mode = "queue", body, sent, files = [] } = input;
    const queued = { id, kind, mode, text: body.text, ...toQueuedFiles(kind, body), createdAt: clock.now() };
    return admit(thread, {
      id,
      kind,
      mode,
      state: "queued",
      body,
      events: [
        { stream: threadStream(thread.id), event: { type: "input-queued", input: queued } },
        ...(sent?.events ?? []),
      ],
      writes: [...(kind === "message" ? [] : [requestStop(thread.id)]), ...(sent?.toWrites(1) ?? []), ...files],
      check: () => checkRoom(thread, id, body),
    });
  };

  /** Files are looked for only when the same act was not admitted before: then they are the thread's already. */
  const attach = async (thread: RowOf<"threads">, inputId: string, ids: readonly string[]) => {
    if (ids.length === 0) return (body: InputBody) => ({ body });
    const isKnown = (await read.input(thread.id, inputId)) !== undefined;
    const files = isKnown ? [] : await planFiles(thread, inputId, ids);
    return (body: InputBody) => ({ body: { ...body, attachments: ids }, files });
  };

  const planFiles = async (thread: RowOf<"threads">, inputId: string, ids: readonly string[]) => {
    try {
      return await planSending(read, { owner: thread.owner, threadId: thread.id, ids });
    } catch (error) {
      if (await read.input(thread.id, inputId)) return [];
      throw error;
    }
  };

  const listAttached = async (threadId: string, messageId: string): Promise<readonly string[]> =>
    (await read.partsOf(threadId, [messageId]))
      .map(toPart)
      .flatMap((part) => (part.kind === "file" && part.attachmentId !== undefined ? [part.attachmentId] : []));

  const checkRoom = async (thread: RowOf<"threads">, id: string, body: InputBody): Promise<void> => {
    const most = maxMessageCharacters(thread.profile);
    if (body.text.length > most) {
      const text = `A message in this thread may have at most ${most.toLocaleString("en")} characters. This one has ${body.text.length.toLocaleString("en")}.`;
      throw new ApiError("too-large", text);
    }
    if (await read.message(thread.id, id)) {
      throw new ApiError("conflict", "this id belongs to another message: choose another");
    }
    if ((await read.queued(thread.id)).length >= limits.queuedInputs) {
      throw new ApiError(
        "busy",
        `${limits.queuedInputs} messages wait already: let some be answered, or take some back`,
      );
    }
  };

  const getMessage = async (thread: RowOf<"threads">, id: string, role: "user" | "assistant") => {
    const message = await read.message(thread.id, id);
    if (!message) throw new ApiError("not-found", "There is nothing of yours under this id.");
    if (message.role === role) return message;
    throw new ApiError(
      "invalid",
      role === "user" ? "only your own messages can be edited" : "only answers can be regenerated",
    );
  };

  return {
    send: async (principal: Principal, threadId: string, body: Body<"sendMessage">): Promise<Accepted> => {
      const { id, mode, text, model = null, draft = "thread", attachments = [] } = body;
      const place = { owner: principal.userId, threadId: draft === "first" ? null : threadId, now: clock.now() };
      const [thread, sent] = await Promise.all([threads.get(principal, threadId), planSent(read, place)]);
      checkModel(models, body.model);
      checkSaid(text, attachments);
      const attached = await attach(thread, id, attachments);
      return enqueue(thread, { id, kind: "message", mode, sent, ...attached({ text, model, target: null }) });
    },

    edit: async (principal: Principal, threadId: string, messageId: string, body: Body<"editMessage">) => {
      const thread = await threads.get(principal, threadId);
      checkModel(models, body.model);
      await getMessage(thread, messageId, "user");
      const { id, text, model = null } = body;
      const attachments = body.attachments ?? (await listAttached(threadId, messageId));
      checkSaid(text, attachments);
      const attached = await attach(thread, id, attachments);
      return enqueue(thread, { id, kind: "edit", ...attached({ text, model, target: messageId }) });
    },

    regenerate: async (principal: Principal, threadId: string, messageId: string, body: Body<"regenerateMessage">) => {
      const thread = await threads.get(principal, threadId);
      checkModel(models, body.model);
      await getMessage(thread, messageId, "assistant");
      const { id, model = null } = body;
      return enqueue(thread, { id, kind: "regenerate", body: { text: "", model, target: messageId } });
    },

    activate: async (principal: Principal, threadId: string, messageId: string, { id }: Body<"activateMessage">) => {
      const thread = await threads.get(principal, threadId);
      const message = await read.message(threadId, messageId);
      const leaf = message && (await findLeaf(read, message));
      if (!leaf) throw new ApiError("not-found", "There is nothing of yours under this id.");
      const forkDepth = await sharedDepth(read, threadId, thread.branch, leaf.id);
      const event: LogEvent = { type: "branch-activated", branchId: leaf.id, forkDepth, reload: true };
      return admit(thread, {
        id,
        kind: "activate",
        state: "done",
        body: { messageId },
        events: [{ stream: threadStream(threadId), event }],
        writes: [
          { do: "update", table: "threads", set: { branch: leaf.id }, where: { id: threadId }, expectOne: true },
          {
            do: "update",
            table: "branches",
            set: { used_at: clock.now() },
            where: { thread: threadId, id: leaf.id },
          },
        ],
      });
    },

    change: async (principal: Principal, threadId: string, { id, ...patch }: Body<"changeThread">) => {
      const thread = await threads.get(principal, threadId);
      checkModel(models, patch.model);
      if (patch.profile !== undefined) await checkProfile(read, principal.userId, patch.profile);
      const place = {
        ...(patch.projectId === undefined ? {} : { project: patch.projectId, focus: null }),
        ...(patch.focusId === undefined ? {} : { focus: patch.focusId }),
      };
      // Where it stands already may be gone by now: that keeps nobody from renaming it.
      if (Object.keys(place).length > 0)
        await checkPlace(read, principal, { project: thread.project, focus: thread.focus, ...place });
      const isMoved = patch.projectId !== undefined && patch.focusId === undefined;
      const event: LogEvent = {
        type: "thread-changed",
        threadId,
        patch: { ...patch, ...(isMoved ? { focusId: null } : {}) },
      };
      const set = {
        ...place,
        ...toOptionColumns(patch),
        ...(patch.title === undefined ? {} : { title: patch.title, title_source: "person" as const }),
        ...(patch.model === undefined ? {} : { model: patch.model }),
        ...(patch.profile === undefined ? {} : { profile: patch.profile }),
        ...(patch.pinned === undefined ? {} : { pinned: Number(patch.pinned) }),
        ...(patch.archived === undefined ? {} : { archived: Number(patch.archived) }),
      };
      if (Object.keys(set).length === 0) {
        throw new ApiError(
          "invalid",
          "nothing to change: give a title, pinned, archived, model, profile, policy, effort, projectId, focusId or mode",
        );
      }
      return admit(thread, {
        id,
        kind: "change",
        state: "done",
        body: patch,
        events: [
          { stream: threadStream(threadId), event },
          { stream: userStream(thread.owner), event },
        ],
        writes: [
          { do: "update", table: "threads", set, where: { id: threadId }, expectOne: true },
          ...(patch.title === undefined ? [] : indexTitle(thread, patch.title)),
        ],
      });
    },

    stop: async (principal: Principal, threadId: string, { id }: Body<"stopRun">): Promise<Accepted> => {
      const thread = await threads.get(principal, threadId);
      const run = await read.liveRun(threadId);
      return admit(thread, { id, kind: "stop", state: "done", body: {}, events: [], writes: stopWrites(run?.id) });
    },

    decide: async (principal: Principal, threadId: string, body: Body<"decideCall">): Promise<Accepted> => {
      const thread = await threads.get(principal, threadId);
      const { id, partId, decision, word = "" } = body;
      const run = await read.liveRun(threadId);
      const parts = run ? await read.partsOf(threadId, [run.message]) : [];
      const part = parts.map(toPart).find((one) => one.id === partId);
      const known = await read.input(threadId, id);
      if (!known && (!run || part?.kind !== "tool" || part.state !== "asking")) {
        throw new ApiError("conflict", "this call no longer waits for you");
      }
      const row = { run: run?.id ?? "", part: partId, thread: threadId, decision, word, created_at: clock.now() };
      return admit(thread, {
        id,
        kind: "decide",
        state: "done",
        body: { partId, decision, word },
        events: [],
        writes: [
          { do: "insert", table: "decisions", row },
          // A run that lies waiting is free to be taken up; one that is about to lie down sees it and does not.
          {
            do: "update",
            table: "runs",
            set: { waiting: runWaiting.answered },
            where: { id: row.run, ended: 0 },
            expectOne: true,
          },
        ],
      });
    },

    continueRun: async (principal: Principal, threadId: string, { id }: Body<"continueRun">): Promise<Accepted> => {
      const thread = await threads.get(principal, threadId);
      const newest = await findNewestRun(read, thread);
      const known = await read.input(threadId, id);
      if (!known && !(await isContinuable(read, newest))) {
        const text = "The newest answer did not end early, or has no text: there is nothing to continue.";
        throw new ApiError("conflict", text);
      }
      const body: InputBody = { text: "", model: null, target: null };
      return admit(thread, { id, kind: "continue", state: "queued", body, events: [], writes: [] });
    },

    /** A parked run is taken up again. Discarding one is a stop. */
    retry: async (principal: Principal, threadId: string, { id }: Body<"retryRun">): Promise<Accepted> => {
      const thread = await threads.get(principal, threadId);
      const run = await read.liveRun(threadId);
      const known = await read.input(threadId, id);
      if (!known && (!run || toStoredRun(run).view.state !== "parked")) {
        throw new ApiError("conflict", "This thread has no parked answer, so there is nothing to retry.");
      }
      const where = { id: run?.id ?? "", ended: 0, waiting: runWaiting.forUser };
      const free: Write = {
        do: "update",
        table: "runs",
        set: { waiting: runWaiting.answered },
        where,
        expectOne: true,
      };
      return admit(thread, { id, kind: "retry", state: "done", body: {}, events: [], writes: [free] });
    },

    withdraw: async (principal: Principal, threadId: string, inputId: string): Promise<Accepted> => {
      const thread = await threads.get(principal, threadId);
      const input = await read.input(threadId, inputId);
      if (!input) throw new ApiError("not-found", "There is nothing of yours under this id.");
      if (input.state === "withdrawn") return { id: inputId, seq: input.seq };
      const { attachments = [] } = toQueuedFiles(input.kind, toInputBody(input));
      const result = await log.commit({
        events: [{ stream: threadStream(threadId), event: { type: "input-withdrawn", inputId } }],
        writes: [
          {
            do: "update",
            table: "inputs",
            set: { state: "withdrawn" },
            where: { thread: thread.id, id: inputId, state: "queued" },
            expectOne: true,
          },
          // They wait again, as before they were sent.
          ...attachments.map((id): Write => ({
            do: "update",
            table: "attachments",
            set: { sent: 0 },
            where: { owner: thread.owner, id, thread: thread.id },
          })),
        ],
      });
      if (result.ok) return { id: inputId, seq: result.seqs[0] ?? 0 };
      const now = await read.input(threadId, inputId);
      if (now?.state === "withdrawn") return { id: inputId, seq: now.seq };
      throw new ApiError("conflict", "this message is no longer waiting: it has been taken up");
    },
  };
}

function checkSaid(text: string, attachments: readonly string[]): void {
  if (text === "" && attachments.length === 0) throw new ApiError("invalid", "A message needs some text, or a file.");
}

/** Same id, same content: same answer. Same id, other content: conflict. */
function repeat(known: RowOf<"inputs">, hash: string): Accepted {
  if (known.hash === hash) return { id: known.id, seq: known.seq };
  throw new ApiError("conflict", "this id was used before with other content: mint a new one for a new act");
}

const requestStop = (threadId: string): Write => ({
  do: "update",
  table: "runs",
  set: { stop: 1 },
  where: { thread: threadId, ended: 0 },
});

/** By the run's id: a stop that arrives late must not end the answer after the one it was meant for. */
const stopWrites = (runId: string | undefined): Write[] =>
  runId === undefined ? [] : [{ do: "update", table: "runs", set: { stop: 1 }, where: { id: runId, ended: 0 } }];
