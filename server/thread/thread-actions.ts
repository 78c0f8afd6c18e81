import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { LogEvent } from "../../protocol/events.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import type { Principal } from "../auth/principal.ts";
import { checkPlace } from "../project/project.ts";
import { textOf } from "../../protocol/fold.ts";
import { toOptionColumns, type Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Admission, AdmitOptions } from "./admission.ts";
import { findLeaf, loadWindow, sharedDepth } from "./path.ts";
import { indexMessage, indexTitle } from "./search-docs.ts";
import { checkModel, checkProfile } from "./create-thread.ts";

/** Change a thread's settings, or activate another branch. */
export function createThreadActions({ store, threads, models, clock }: AdmitOptions, admit: Admission) {
  const { read } = store;

  return {
    activate: async (principal: Principal, threadId: string, messageId: string, { id }: Body<"activateMessage">) => {
      const thread = await threads.get(principal, threadId);
      const message = await read.message(threadId, messageId);
      const leaf = message && (await findLeaf(read, message));
      if (!leaf) throw new ApiError("not-found", "Not found.");
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
      const place = toPlace(patch);
      // Only a new place is checked: a thread whose project was deleted can still be renamed.
      if (Object.keys(place).length > 0)
        await checkPlace(read, principal, { project: thread.project, focus: thread.focus, ...place });
      const isKept = patch.temporary === false && thread.temporary === 1;
      const isMoved = patch.projectId !== undefined && patch.focusId === undefined;
      const event: LogEvent = {
        type: "thread-changed",
        threadId,
        patch: { ...patch, ...(isMoved ? { focusId: null } : {}) },
      };
      const set = { ...place, ...toColumns(patch) };
      if (Object.keys(set).length === 0) {
        throw new ApiError(
          "invalid",
          "Nothing to change. Set title, pinned, archived, model, profile, policy, effort, projectId, focusId, mode or temporary.",
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
          ...(isKept ? await indexKept(read, thread) : []),
        ],
      });
    },
  };
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
