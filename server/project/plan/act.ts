import { createHash } from "node:crypto";
import { ApiError } from "../../../protocol/errors.ts";
import { projectStream, userStream } from "../../../protocol/ids.ts";
import { MAX_CHANGED_ITEMS, type Act, type Author, type Change } from "../../../protocol/project/project.ts";
import { ProjectRole } from "../../../protocol/project/members.ts";
import { joinSources, readSources, writeSources, type Sources } from "../../../protocol/context/untrusted.ts";
import { findProjectAccess, planStillEditor } from "../../auth/access.ts";
import { authorize, type Action } from "../../auth/authorize.ts";
import { toCanonical } from "../../lib/canonical.ts";
import type { Log, LogEntry } from "../../log/log.ts";
import type { Reads, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toAct, toProject } from "../read/views.ts";

/** Reads of one consistent snapshot. */
export type SnapshotReads = Parameters<Parameters<Reads["together"]>[0]>[0];

export type ActRequest = {
  readonly userId: string;
  readonly projectId: string;
  /** Chosen by the client, or `toKeyedId` of a call's key. Retries with the same id and `input` are one act. */
  readonly id: string;
  /** The request as received, not the plan derived from it, which may differ between retries. */
  readonly input: unknown;
  readonly author: Author;
  /** Untrusted sources that the author had read; none for a user or for a write that the user approved. */
  readonly untrusted: Sources;
  readonly now: number;
};

/** The changes of an act, relative to the rows that were read. */
export type ActEffect = {
  /** One sentence for the activity log. */
  readonly text: string;
  /** If this and `writes` are empty, nothing is recorded. */
  readonly changes: readonly Change[];
  /**
   * The rows of `changes`. `{ seqOf: 0 }` becomes the act's seq. Each write expects the version or hash that was read
   * (`expectOne`), or is an `insert`, so one of two concurrent writers fails.
   */
  readonly writes: readonly Write[];
  /** Fails if anything at all was written to the project since it was read. */
  readonly exclusive?: boolean;
  readonly undoes?: readonly string[];
  /** The project's own row, if it changes. */
  readonly project?: RowOf<"projects">;
};

export type ActPlan<M extends ActEffect = ActEffect> = {
  /** `seq` is null until the act is committed. */
  readonly act: Omit<Act, "seq"> & { readonly seq: number | null };
  readonly writes: readonly Write[];
  readonly events: readonly LogEntry[];
  /** null: the act was committed before, and `act` is the stored one. */
  readonly effect: M | null;
};

/**
 * The only way to write to a project. `make` reads from one snapshot and returns the changes. The caller commits the plan, with
 * `commitAct` or as a tool's `commit`; a tool call whose commit fails is planned again by the run. The events must come first in
 * their batch. For files: changes with `what: "file"`, the path as id, before and after as `{ hash, bytes, lines }` or null, and
 * writes to `files` and `blobs`; undo restores `before`.
 */
export const planAct = <M extends ActEffect>(
  read: Pick<Reads, "together">,
  request: ActRequest,
  make: (reads: SnapshotReads, project: RowOf<"projects">) => Promise<M>,
): Promise<ActPlan<M>> =>
  read.together(async (reads) => {
    const project = await getProjectRow(reads, request.userId, request.projectId, "change");
    const known = await reads.act(project.id, request.id);
    if (known) return { act: await loadAct(reads, known, request), writes: [], events: [], effect: null };
    const effect = await make(reads, project);
    const members = effect.project ? await reads.membersOf([project.id]) : [];
    const plan = toPlan(project, request, effect, members);
    if (plan.writes.length === 0 || project.owner === request.userId) return plan;
    return { ...plan, writes: [...plan.writes, ...(await planStillEditor(reads, request.userId, project.id))] };
  });

/** Durable when it resolves. Plans again if a concurrent write committed first. */
export async function commitAct<M extends ActEffect>(
  log: Pick<Log, "commit">,
  plan: () => Promise<ActPlan<M>>,
): Promise<{ readonly act: Act; readonly effect: M | null }> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const { act, writes, events, effect } = await plan();
    if (writes.length === 0) return { act: { ...act, seq: act.seq ?? 0 }, effect };
    const result = await log.commit({ writes, events });
    if (result.ok) return { act: { ...act, seq: result.seqs[0] ?? 0 }, effect };
  }
  throw new ApiError("busy", "The project is being changed. Try again in a moment.");
}

const MAX_TRIES = 20;

export async function getProjectRow(
  reads: Pick<Reads, "project" | "member">,
  userId: string,
  projectId: string,
  action: Action,
): Promise<RowOf<"projects">> {
  const object = await findProjectAccess(reads, userId, await reads.project(projectId));
  authorize({ userId }, object, action);
  return object.row;
}

/** A UUID derived from a key, the same for every retry of a call. `index` distinguishes several ids of one call. */
export function toKeyedId(key: string, index = 0): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([key, index]))
    .digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(12, 15)}-8${hash.slice(15, 18)}-${hash.slice(18, 30)}`;
}

export const toRequestHash = (input: unknown): string =>
  createHash("sha256").update(toCanonical(input)).digest("base64url");

async function loadAct(reads: SnapshotReads, row: RowOf<"acts">, { input }: ActRequest): Promise<Act> {
  if (row.hash === toRequestHash(input)) return toAct(row, await reads.changesOfActs(row.project, [row.id]));
  throw new ApiError("conflict", "This id was already used with different content. Use a new id for a new request.");
}

type Members = readonly RowOf<"members">[];

function toPlan<M extends ActEffect>(
  project: RowOf<"projects">,
  request: ActRequest,
  effect: M,
  members: Members,
): ActPlan<M> {
  const { id, author, now } = request;
  const act = {
    id,
    projectId: project.id,
    seq: null,
    author,
    text: effect.text,
    changes: [...effect.changes],
    undone: false,
    undoes: effect.undoes?.join(" ") ?? null,
    createdAt: now,
  };
  if (effect.changes.length + effect.writes.length === 0)
    return { act: { ...act, seq: project.seq }, writes: [], events: [], effect };
  return {
    act,
    effect,
    writes: [
      writeProject(project, effect, request),
      insertAct(act, toRequestHash(request.input), request.untrusted),
      ...effect.changes.map((change, n) => insertChange(act, change, n)),
      ...effect.writes,
    ],
    events: toEvents(project, act, effect, members),
  };
}

/** A project keeps the untrusted sources of all its writes, including undone ones: their text stays in its history. */
function writeProject(project: RowOf<"projects">, effect: ActEffect, { now, untrusted: added }: ActRequest): Write {
  const seq = { seqOf: 0 };
  // Set only if something is added, so that a concurrent write does not lose it.
  const label =
    added.length === 0 ? {} : { untrusted: writeSources(joinSources(readSources(project.untrusted), added)) };
  const where = { id: project.id, ...(effect.exclusive ? { seq: project.seq } : {}) };
  if (!effect.project) {
    return { do: "update", table: "projects", set: { seq, ...label, updated_at: now }, where, expectOne: true };
  }
  const { id: _, owner: __, created_at: ___, untrusted: ____, ...fields } = effect.project;
  const set = { ...fields, ...label, seq, version: project.version + 1, updated_at: now };
  return { do: "update", table: "projects", set, where: { ...where, version: project.version }, expectOne: true };
}

type PlannedAct = ActPlan["act"];

export const insertAct = (act: PlannedAct, hash: string, untrusted: Sources): Write => ({
  do: "insert",
  table: "acts",
  row: {
    project: act.projectId,
    id: act.id,
    hash,
    seq: { seqOf: 0 },
    author: act.author.by,
    thread: act.author.threadId,
    run: act.author.runId,
    text: act.text,
    undone: 0,
    undoes: act.undoes,
    untrusted: writeSources(untrusted),
    created_at: act.createdAt,
  },
});

export const insertChange = (act: PlannedAct, { what, id, title, before, after }: Change, n: number): Write => ({
  do: "insert",
  table: "changes",
  row: {
    project: act.projectId,
    act: act.id,
    n,
    seq: { seqOf: 0 },
    what,
    target: id,
    title,
    before: before && JSON.stringify(before),
    after: after && JSON.stringify(after),
  },
});

/** The event of the project's stream comes first: its seq is the act's. */
function toEvents(
  project: RowOf<"projects">,
  planned: PlannedAct,
  { changes, project: next }: ActEffect,
  members: Members,
): LogEntry[] {
  const { changes: _, seq: __, ...act } = planned;
  const touched = changes.slice(0, MAX_CHANGED_ITEMS).map(({ what, id }) => ({ what, id }));
  const acted: LogEntry = { stream: projectStream(project.id), event: { type: "project-acted", act, touched } };
  if (!next) return [acted];
  const row = { ...next, version: project.version + 1, updated_at: planned.createdAt };
  return [acted, ...toProjectEvents(row, members)];
}

/** For the lists of everyone who has access. A change of members changes the project's version, so the batch fails if they have changed. */
export function toProjectEvents(row: RowOf<"projects">, members: Members): LogEntry[] {
  const toEvent = (userId: string, role?: ProjectRole): LogEntry => ({
    stream: userStream(userId),
    event: { type: "project-changed", projectId: row.id, project: toProject(row, role) },
  });
  if (members.length === 0) return [toEvent(row.owner)];
  return [
    toEvent(row.owner, "owner"),
    ...members.flatMap(({ person, role }) => {
      const parsed = ProjectRole.safeParse(role);
      return parsed.success ? [toEvent(person, parsed.data)] : [];
    }),
  ];
}
