import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import { builtInProfiles } from "../../protocol/settings/profiles.ts";
import { planStillEditor } from "../auth/access.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log, LogEntry } from "../log/log.ts";
import type { ModelAccess } from "../model/model-access.ts";
import type { Models } from "../model/model.ts";
import { checkPlace, getProjectRow } from "../project/project.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { hashOf } from "../lib/content-hash.ts";
import { toAuthorColumns, toSummary } from "./rows.ts";
import { indexTitle } from "./search-docs.ts";
import { assertSharableProfile, threadListStream } from "./shared.ts";
import { planExpiry } from "./temporary.ts";

export type CreateOptions = {
  readonly read: Reads;
  readonly log: Log;
  readonly models: Pick<Models, "forUser">;
  readonly access?: ModelAccess | undefined;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** The input row of the creation itself. The colon cannot occur in a client's id, so no message can have this id. */
const CREATION = "create:";

/** The same request again returns the same thread. */
export async function createThread(
  options: CreateOptions,
  principal: Principal,
  { body, writes }: { readonly body: Body<"createThread">; readonly writes: readonly Write[] },
): Promise<ThreadSummary> {
  const { read, access, clock, ids } = options;
  const models = options.models.forUser(principal.userId);
  await checkModel(options, principal, body.model);
  const profile = await checkProfile(read, principal.userId, body.profile);
  await checkPlace(read, principal, { project: body.projectId ?? null, focus: body.focusId ?? null });
  const shared = await findShared(read, principal, body);
  const now = clock.now();
  const mayUse = await access?.filterFor(principal.userId);
  const isUsable = (id: string) => models.find(id) !== undefined && (mayUse?.(id) ?? true);
  const profileModel = profile.model !== null && isUsable(profile.model) ? profile.model : undefined;
  const model = body.model ?? profileModel ?? (await access?.defaultFor(principal.userId)) ?? models.defaultId;
  const row = toThreadRow(body, {
    owner: principal.userId,
    model,
    branch: ids.next(),
    now,
    shared,
  });
  const event = { type: "thread-created" as const, thread: toSummary(row) };
  const inThread: LogEntry = { stream: threadStream(body.id), event };
  const own = shared ? toSummary(row, { role: "owner" }) : event.thread;
  const inList: LogEntry = { stream: userStream(principal.userId), event: { ...event, thread: own } };
  const inProject: LogEntry[] = shared ? [{ stream: threadListStream(row), event }] : [];
  return commitCreation(options, {
    row,
    request: body,
    // A temporary thread is not shown in the list.
    events: row.temporary ? [inThread] : [inThread, inList, ...inProject],
    root: { thread: body.id, id: row.branch, parent: null, fork_depth: 0, tip: 0, used_at: now },
    writes: [
      ...(shared ? await planStillEditor(read, principal.userId, row.project) : []),
      ...indexTitle(row, row.title),
      ...(row.temporary ? planExpiry(row, ids.next(), now) : []),
      ...writes,
    ],
  });
}

/** Whether the new thread is shared. By default, threads of a project with members are, unless they are temporary. */
async function findShared(
  read: Pick<Reads, "project" | "member" | "membersOf">,
  principal: Principal,
  { projectId, shared, temporary = false, profile }: Body<"createThread">,
): Promise<boolean> {
  if (projectId === undefined || shared === false) {
    if (shared)
      throw new ApiError("invalid", "A shared thread needs a projectId: the members of its project have access.");
    return false;
  }
  if (temporary && shared) throw new ApiError("invalid", "A temporary thread cannot be shared.");
  if (temporary || (!shared && (await read.membersOf([projectId])).length === 0)) return false;
  await getProjectRow(read, principal.userId, projectId, "change");
  assertSharableProfile(profile);
  return true;
}

type Creation = {
  readonly row: RowOf<"threads">;
  /** Identifies the request: the same one again returns the thread. */
  readonly request: object;
  readonly events: readonly LogEntry[];
  readonly root: RowOf<"branches">;
  readonly writes: readonly Write[];
};

/** Stores a new thread. An id that is in use is a conflict, unless the same request created it. */
export async function commitCreation(
  { read, log }: Pick<CreateOptions, "read" | "log">,
  { row, request, events, root, writes }: Creation,
): Promise<ThreadSummary> {
  const { head } = await read.lease(threadStream(row.id));
  if (head > 0 && !(await read.thread(row.id))) {
    throw new ApiError("conflict", "A thread with this id was deleted. Use a new id.");
  }
  const input = toCreationInput(row.id, request, row.created_at);
  const result = await log.commit({
    events,
    writes: [
      { do: "insert", table: "threads", row },
      { do: "insert", table: "branches", row: root },
      { do: "insert", table: "inputs", row: input },
      ...writes,
    ],
  });
  if (result.ok) return toSummary(row);
  const [known, first] = await Promise.all([read.thread(row.id), read.input(row.id, CREATION)]);
  if (known?.owner === row.owner && first?.hash === input.hash) return toSummary(known);
  throw new ApiError("conflict", "A thread with this id already exists with different settings. Use a new id.");
}

export const toThreadRow = (
  body: Body<"createThread">,
  more: {
    readonly owner: string;
    readonly model: string;
    readonly branch: string;
    readonly now: number;
    readonly shared: boolean;
  },
): RowOf<"threads"> => ({
  id: body.id,
  owner: more.owner,
  title: body.title ?? "",
  title_source: body.title ? "person" : "none",
  preview: "",
  profile: body.profile,
  model: more.model,
  status: "idle",
  pinned: 0,
  archived: 0,
  message_count: 0,
  branch: more.branch,
  policy: "",
  effort: body.effort ?? "",
  project: body.projectId ?? null,
  focus: body.focusId ?? null,
  mode: body.mode ?? "",
  temporary: body.temporary ? 1 : 0,
  shared: more.shared ? 1 : 0,
  seen_at: more.now,
  created_at: more.now,
  updated_at: more.now,
});

const toCreationInput = (thread: string, request: object, now: number): RowOf<"inputs"> => ({
  thread,
  id: CREATION,
  kind: "create",
  mode: "queue",
  hash: hashOf(request),
  body: "{}",
  state: "done",
  seq: 0,
  created_at: now,
  ...toAuthorColumns(null),
});

type ModelOptions = {
  readonly models: Pick<Models, "forUser">;
  /** Default: every user may use every model. */
  readonly access?: ModelAccess | undefined;
};

/** Throws unless there is such a model and the user may use it. */
export async function checkModel(
  { models, access }: ModelOptions,
  { userId }: Principal,
  model: string | undefined,
): Promise<void> {
  if (model === undefined) return;
  if (!models.forUser(userId).find(model)) {
    throw new ApiError("invalid", `Unknown model "${model}". GET /api/models lists the available models.`);
  }
  await access?.assertMayUse(userId, model);
}

/** Throws unless the user has this profile. Returns the model that new threads with it start with. */
export async function checkProfile(
  read: Pick<Reads, "profile">,
  userId: string,
  profile: string,
): Promise<{ readonly model: string | null }> {
  if (builtInProfiles.some((name) => name === profile)) return { model: null };
  const row = await read.profile(userId, profile);
  if (!row) {
    throw new ApiError("invalid", `Unknown profile "${profile}". GET /api/profiles lists the available profiles.`);
  }
  return JSON.parse(row.body) as { readonly model: string | null };
}
