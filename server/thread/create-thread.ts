import type { Body } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { ThreadSummary } from "../../protocol/events.ts";
import { threadStream, userStream } from "../../protocol/ids.ts";
import { builtInProfiles } from "../../protocol/settings/profiles.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Log, LogEntry } from "../log/log.ts";
import type { Models } from "../model/model.ts";
import { checkPlace } from "../project/project.ts";
import type { Reads } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { hashOf } from "../lib/content-hash.ts";
import { toSummary } from "./rows.ts";
import { indexTitle } from "./search-docs.ts";
import { planExpiry } from "./temporary.ts";

type Options = {
  readonly read: Reads;
  readonly log: Log;
  readonly models: Pick<Models, "find" | "defaultId">;
  readonly clock: Clock;
  readonly ids: Ids;
};

/** The input row of the creation itself. The colon cannot occur in a client's id, so no message can have this id. */
const CREATION = "create:";

/** The same request again returns the same thread. */
export async function createThread(
  { read, log, models, clock, ids }: Options,
  principal: Principal,
  body: Body<"createThread">,
): Promise<ThreadSummary> {
  checkModel(models, body.model);
  const profile = await checkProfile(read, principal.userId, body.profile);
  await checkPlace(read, principal, { project: body.projectId ?? null, focus: body.focusId ?? null });
  const { head } = await read.lease(threadStream(body.id));
  if (head > 0 && !(await read.thread(body.id))) {
    throw new ApiError("conflict", "A thread with this id was deleted. Use a new id.");
  }
  const now = clock.now();
  const profileModel = profile.model !== null && models.find(profile.model) ? profile.model : undefined;
  const row = toThreadRow(body, {
    owner: principal.userId,
    model: body.model ?? profileModel ?? models.defaultId,
    branch: ids.next(),
    now,
  });
  const input = toCreationInput(body, now);
  const root = { thread: body.id, id: row.branch, parent: null, fork_depth: 0, tip: 0, used_at: now };
  const event = { type: "thread-created" as const, thread: toSummary(row) };
  const inThread: LogEntry = { stream: threadStream(body.id), event };
  const inList: LogEntry = { stream: userStream(principal.userId), event };
  const result = await log.commit({
    // A temporary thread is not shown in the list.
    events: row.temporary ? [inThread] : [inThread, inList],
    writes: [
      { do: "insert", table: "threads", row },
      { do: "insert", table: "branches", row: root },
      { do: "insert", table: "inputs", row: input },
      ...indexTitle(row, row.title),
      ...(row.temporary ? planExpiry(row, ids.next(), now) : []),
    ],
  });
  if (result.ok) return toSummary(row);
  const [known, first] = await Promise.all([read.thread(body.id), read.input(body.id, CREATION)]);
  if (known?.owner === principal.userId && first?.hash === input.hash) return toSummary(known);
  throw new ApiError("conflict", "A thread with this id already exists with different settings. Use a new id.");
}

const toThreadRow = (
  body: Body<"createThread">,
  more: { readonly owner: string; readonly model: string; readonly branch: string; readonly now: number },
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
  seen_at: more.now,
  created_at: more.now,
  updated_at: more.now,
});

const toCreationInput = (body: Body<"createThread">, now: number): RowOf<"inputs"> => ({
  thread: body.id,
  id: CREATION,
  kind: "create",
  mode: "queue",
  hash: hashOf(body),
  body: "{}",
  state: "done",
  seq: 0,
  created_at: now,
});

export function checkModel(models: Pick<Models, "find">, model: string | undefined): void {
  if (model === undefined || models.find(model)) return;
  throw new ApiError("invalid", `Unknown model "${model}". GET /api/models lists the available models.`);
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
