import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { EventOf, LogEvent } from "../../protocol/events.ts";
import { threadStream, userStream, type ProjectStream, type UserStream } from "../../protocol/ids.ts";
import type { Principal } from "../auth/principal.ts";
import { planStillEditor } from "../auth/access.ts";
import type { LogEntry } from "../log/log.ts";
import { checkPlace, getProjectRow } from "../project/project.ts";
import { textOf } from "../../protocol/fold.ts";
import { toOptionColumns, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Admission, AdmitOptions } from "./admission.ts";
import { findLeaf, loadWindow, sharedDepth, toFork } from "./path.ts";
import { indexMessage, indexTitle, toSearchOwner } from "./search-docs.ts";
import { assertSharableProfile, findAuthor, threadListStream, planPrivate, planSharing } from "./shared.ts";
import { checkModel, checkProfile } from "./create-thread.ts";

/** Activate another branch, or leave one before its last message. */
function createBranchActions({ store: { read }, threads, clock }: AdmitOptions, admit: Admission) {
  return {
    activate: async (principal: Principal, threadId: string, messageId: string, { id }: Body<"activateMessage">) => {
      const thread = await threads.get(principal, threadId, "change");
      const message = await read.message(threadId, messageId);
      const leaf = message && (await findLeaf(read, message));
      if (!leaf) throw new ApiError("not-found", "Not found.");
      const forkDepth = await sharedDepth(read, threadId, thread.branch, leaf.id);
      const event: LogEvent = { type: "branch-activated", branchId: leaf.id, forkDepth, reload: true };
      return admit(principal, thread, {
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

    /**
     * Continues the thread before its last message, which stays in its branch. Throws `conflict` unless the thread is idle and as
     * it was read.
     */
    rewind: async (principal: Principal, threadId: string, messageId: string, { id }: { readonly id: string }) => {
      const thread = await threads.get(principal, threadId, "change");
      const message = await read.message(threadId, messageId);
      const branch = message && (await read.branch(threadId, message.branch));
      if (!message || !branch) throw new ApiError("not-found", "Not found.");
      if (thread.status === "streaming" || thread.status === "waiting")
        throw new ApiError("conflict", "The thread is still answering. Wait until the answer ends, or stop it.");
      const { parent, forkDepth } = toFork(message, branch);
      const event: LogEvent = { type: "branch-activated", branchId: id, forkDepth, reload: true };
      const row = { thread: threadId, id, parent, fork_depth: forkDepth, tip: forkDepth, used_at: clock.now() };
      const { branch: active, message_count, status } = thread;
      return admit(principal, thread, {
        ...{ id, kind: "activate", state: "done", body: { before: messageId } },
        events: [{ stream: threadStream(threadId), event }],
        writes: [
          { do: "insert", table: "branches", row },
          {
            ...{ do: "update", table: "threads", set: { branch: id }, expectOne: true },
            where: { id: threadId, branch: active, message_count, status },
          },
        ],
      });
    },
  };
}

/** Change a thread's settings, or activate another branch. */
export function createThreadActions(options: AdmitOptions, admit: Admission) {
  const { store, threads } = options;
  const { read } = store;

  return {
    ...createBranchActions(options, admit),

    change: async (principal: Principal, threadId: string, { id, ...patch }: Body<"changeThread">) => {
      const isPlaced = patch.projectId !== undefined || patch.shared !== undefined;
      const thread = await threads.get(principal, threadId, "change");
      // A repeated request may no longer be allowed, such as one that moved the thread.
      if (isPlaced && !(await read.input(threadId, id))) await threads.get(principal, threadId, "delete");
      await checkModel(options, principal, patch.model);
      if (patch.profile !== undefined) await checkProfile(read, principal.userId, patch.profile);
      const place = toPlace(patch);
      // Only a new place is checked: a thread whose project was deleted can still be renamed.
      if (Object.keys(place).length > 0)
        await checkPlace(read, principal, { project: thread.project, focus: thread.focus, ...place });
      const isKept = patch.temporary === false && thread.temporary === 1;
      const isMoved = patch.projectId !== undefined && patch.focusId === undefined;
      const sharing = await planShared(read, principal, thread, patch);
      const now = { ...thread, ...place, shared: sharing.shared };
      const event: EventOf<"thread-changed"> = {
        type: "thread-changed",
        threadId,
        patch: {
          ...patch,
          ...(isMoved ? { focusId: null } : {}),
          ...(sharing.shared === thread.shared ? {} : { shared: sharing.shared === 1 }),
        },
      };
      const set = {
        ...place,
        ...toColumns(patch),
        ...(sharing.shared === thread.shared ? {} : { shared: sharing.shared }),
      };
      if (Object.keys(set).length === 0 && patch.shared === undefined) {
        throw new ApiError(
          "invalid",
          "Nothing to change. Set title, pinned, archived, model, profile, policy, effort, projectId, focusId, mode, temporary or shared.",
        );
      }
      const streams = [
        ...new Set<UserStream | ProjectStream>([threadListStream(thread), threadListStream(now), ...sharing.streams]),
      ];
      const own = userStream(thread.owner);
      const ofOwner: EventOf<"thread-changed"> =
        sharing.shared === 1 ? { ...event, patch: { ...event.patch, role: "owner" } } : event;
      return admit(principal, thread, {
        id,
        kind: "change",
        state: "done",
        body: patch,
        events: [
          { stream: threadStream(threadId), event },
          ...streams.map((stream): LogEntry => ({ stream, event: stream === own ? ofOwner : event })),
          ...sharing.events,
        ],
        writes: [
          ...sharing.writes,
          {
            do: "update",
            table: "threads",
            // Without a change, `shared` is as requested already.
            ...(Object.keys(set).length > 0
              ? { set, where: { id: threadId, ...sharing.where } }
              : { set: { shared: thread.shared }, where: { id: threadId, shared: thread.shared } }),
            expectOne: true,
          },
          ...(patch.title === undefined ? [] : indexTitle(now, patch.title)),
          ...(isKept ? await indexKept(read, now) : []),
        ],
        check: sharing.check,
      });
    },
  };
}

type SharingPlan = {
  readonly shared: number;
  readonly where: Partial<RowOf<"threads">>;
  readonly streams: readonly (UserStream | ProjectStream)[];
  readonly events: readonly LogEntry[];
  readonly writes: readonly Write[];
  readonly check: () => Promise<void>;
};

/**
 * A thread becomes shared or private, also by leaving a shared place. Nothing may be running in it: a run has the rights and the
 * context of the state in which it began.
 */
async function planShared(
  read: AdmitOptions["store"]["read"],
  principal: Principal,
  thread: RowOf<"threads">,
  patch: ThreadPatch,
): Promise<SharingPlan> {
  const project = patch.projectId === undefined ? thread.project : patch.projectId;
  const isMoved = project !== thread.project;
  const shared = Number(patch.shared ?? (thread.shared === 1 && !isMoved));
  const profile = patch.profile ?? thread.profile;
  const none = { shared, where: {}, streams: [], events: [], writes: [], check: async () => {} };
  if (shared === 1 && patch.profile !== undefined) assertSharableProfile(profile);
  if (shared === thread.shared && (shared === 0 || !isMoved)) return none;
  const author = shared === 1 ? await findAuthor(read, principal, { shared }) : null;
  return {
    ...none,
    // The run's delivery changes the branch or the status, so it cannot commit in between.
    where: { shared: thread.shared, owner: thread.owner, status: thread.status, message_count: thread.message_count },
    streams: [userStream(thread.owner)],
    events: [
      {
        stream: threadStream(thread.id),
        event: { type: "branch-activated", branchId: thread.branch, forkDepth: 0, reload: true },
      },
    ],
    writes: [
      ...(shared === 1 ? await planStillEditor(read, principal.userId, project) : []),
      ...(author && thread.shared === 0 ? planSharing(thread, author) : []),
      // Redacted from results that others asked for.
      ...(shared === 0 ? [{ do: "delete", table: "hidden_values", where: { thread: thread.id } } as const] : []),
      ...(shared === 0 ? await planPrivate(read, thread) : []),
      {
        do: "update",
        table: "search_docs",
        set: { owner: toSearchOwner({ ...thread, project, shared }) },
        where: { thread: thread.id },
      },
    ],
    check: async () => {
      if (shared === 1) await checkSharing(read, principal, { ...thread, project, profile });
      if ((await read.liveRun(thread.id)) || (await read.queued(thread.id)).length > 0) {
        throw new ApiError("conflict", "An answer is being written in this thread. Stop it or wait, then try again.");
      }
    },
  };
}

async function checkSharing(
  read: AdmitOptions["store"]["read"],
  principal: Principal,
  thread: RowOf<"threads">,
): Promise<void> {
  if (thread.project === null) {
    throw new ApiError("invalid", "A shared thread needs a project: its members have access. Choose a project first.");
  }
  if (thread.temporary === 1) throw new ApiError("invalid", "A temporary thread cannot be shared. Keep it first.");
  if (thread.owner !== principal.userId) {
    throw new ApiError("forbidden", "Only the user who started this thread can share it.");
  }
  await getProjectRow(read, principal.userId, thread.project, "change");
  assertSharableProfile(thread.profile);
}

type ThreadPatch = Omit<Body<"changeThread">, "id">;

/** Moving a thread to another project clears its focus. */
const toPlace = (patch: ThreadPatch) => ({
  ...(patch.projectId === undefined ? {} : { project: patch.projectId, focus: null }),
  ...(patch.focusId === undefined ? {} : { focus: patch.focusId }),
});

const toColumns = (patch: ThreadPatch) => ({
  ...toOptionColumns(patch),
  ...(patch.title === undefined ? {} : { title: patch.title, title_source: "person" as const }),
  ...(patch.model === undefined ? {} : { model: patch.model }),
  ...(patch.profile === undefined ? {} : { profile: patch.profile }),
  ...(patch.pinned === undefined ? {} : { pinned: Number(patch.pinned) }),
  ...(patch.archived === undefined ? {} : { archived: Number(patch.archived) }),
  ...(patch.temporary === undefined ? {} : { temporary: 0 }),
});

/** Only this many of its newest messages can be searched. */
const MAX_INDEXED = 200;

/** A temporary thread is not in the search index; one that is kept is. */
async function indexKept(read: AdmitOptions["store"]["read"], thread: RowOf<"threads">): Promise<readonly Write[]> {
  const kept = { ...thread, temporary: 0 };
  const { messages } = await loadWindow(read, { thread: thread.id, branch: thread.branch, count: MAX_INDEXED });
  return [
    ...indexTitle(kept, thread.title),
    ...messages.flatMap(({ id, createdAt, parts }) => indexMessage(kept, { id, created_at: createdAt }, textOf(parts))),
  ];
}
