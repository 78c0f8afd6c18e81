import { createHash } from "node:crypto";
import { ApiError } from "../../../protocol/errors.ts";
import { projectStream, userStream } from "../../../protocol/ids.ts";
import { MAX_CHANGED_ITEMS, type Act, type Author, type Change } from "../../../protocol/project/project.ts";
import { joinSources, readSources, writeSources, type Sources } from "../../../protocol/context/untrusted.ts";
import { authorize } from "../../auth/authorize.ts";
import { toCanonical } from "../../lib/canonical.ts";
import type { Log, LogEntry } from "../../log/log.ts";
import type { Reads, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import { toAct, toProject } from "../read/views.ts";

/** Reads of one moment. */
export type AtOnce = Parameters<Parameters<Reads["together"]>[0]>[0];

export type ActRequest = {
  readonly userId: string;
  readonly projectId: string;
  /** Minted by a client, or `toKeyedId` of a call's key: the same id with the same `asked` is one act, however often tried. */
  readonly id: string;
  /** What was asked for, as it came: not what was made of it, which may differ from one try to the next. */
  readonly asked: unknown;
  readonly author: Author;
  /** Of what the author had read; of a user, or a write that the user approved: none. */
  readonly untrusted: Sources;
  readonly now: number;
};

/** What an act does, over what was read. */
export type Made = {
  /** In a sentence, for the activity log. */
  readonly text: string;
  /** Neither these nor `writes`: nothing is to be recorded. */
  readonly changes: readonly Change[];
  /**
   * The rows that `changes` speak of. `{ seqOf: 0 }` in them is the act's seq. Each says what it was planned over (`expectOne`
   * with the version or hash that was read; `insert` where nothing was), so that of two writers one is refused.
   */
  readonly writes: readonly Write[];
  /** It stands only if nothing at all was written to the project since it was read. */
  readonly exclusive?: boolean;
  readonly undoes?: readonly string[];
  /** The project's own row, where that is another. */
  readonly project?: RowOf<"projects">;
};

export type ActPlan<M extends Made = Made> = {
  /** Its seq is known when it is committed. */
  readonly act: Omit<Act, "seq"> & { readonly seq: number | null };
  readonly writes: readonly Write[];
  readonly events: readonly LogEntry[];
  /** null: it was done before, and `act` is what was recorded then. */
  readonly made: M | null;
};

/**
 * The one way to write to a project. `make` reads what it needs, of the same moment, and says what changes; what comes out is
 * committed by the caller: by `commitAct`, or as a tool's `commit`, whose call is planned again by itself when it is refused.
 * The events must come first in their batch. For files: changes with `what: "file"`, the path as id, before and after as
 * `{ hash, bytes, lines }` or null, and writes to `files` and `blobs`; undo puts back what `before` says.
 */
export const planAct = <M extends Made>(
  read: Pick<Reads, "together">,
  request: ActRequest,
  make: (reads: AtOnce, project: RowOf<"projects">) => Promise<M>,
): Promise<ActPlan<M>> =>
  read.together(async (reads) => {
    const project = await getProjectRow(reads, request.userId, request.projectId);
    const known = await reads.act(project.id, request.id);
    if (known) return { act: await recallAct(reads, known, request), writes: [], events: [], made: null };
    return toPlan(project, request, await make(reads, project));
  });

/** Durable when it resolves. Planned anew when another write came first. */
export async function commitAct<M extends Made>(
  log: Pick<Log, "commit">,
  plan: () => Promise<ActPlan<M>>,
): Promise<{ readonly act: Act; readonly made: M | null }> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { act, writes, events, made } = await plan();
    if (writes.length === 0) return { act: { ...act, seq: act.seq ?? 0 }, made };
    const result = await log.commit({ writes, events });
    if (result.ok) return { act: { ...act, seq: result.seqs[0] ?? 0 }, made };
  }
  throw new ApiError("busy", "The project is being written to by others. Try again in a moment.");
}

const MOST_TRIES = 20;

export async function getProjectRow(
  reads: Pick<Reads, "project">,
  userId: string,
  projectId: string,
): Promise<RowOf<"projects">> {
  const row = await reads.project(projectId);
  const object = row && { ownerId: row.owner, row };
  authorize({ userId }, object, "change");
  return object.row;
}

/** A UUID made of a key: the same for every try of a call. `index` tells several apart. */
export function toKeyedId(key: string, index = 0): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([key, index]))
    .digest("hex");
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(12, 15)}-8${hash.slice(15, 18)}-${hash.slice(18, 30)}`;
}

export const toRequestHash = (asked: unknown): string =>
  createHash("sha256").update(toCanonical(asked)).digest("base64url");

async function recallAct(reads: AtOnce, row: RowOf<"acts">, { asked }: ActRequest): Promise<Act> {
  if (row.hash === toRequestHash(asked)) return toAct(row, await reads.changesOfActs(row.project, [row.id]));
  throw new ApiError("conflict", "This id was used before with other content: mint a new one for a new act.");
}

function toPlan<M extends Made>(project: RowOf<"projects">, request: ActRequest, made: M): ActPlan<M> {
  const { id, author, now } = request;
  const act = {
    id,
    projectId: project.id,
    seq: null,
    author,
    text: made.text,
    changes: [...made.changes],
    undone: false,
    undoes: made.undoes?.join(" ") ?? null,
    createdAt: now,
  };
  if (made.changes.length + made.writes.length === 0)
    return { act: { ...act, seq: project.seq }, writes: [], events: [], made };
  return {
    act,
    made,
    writes: [
      writeProject(project, made, request),
      insertAct(act, toRequestHash(request.asked), request.untrusted),
      ...made.changes.map((change, n) => insertChange(act, change, n)),
      ...made.writes,
    ],
    events: toEvents(project, act, made),
  };
}

/** A project keeps the sources of every write to it, also of those that are undone: their text stays in its history. */
function writeProject(project: RowOf<"projects">, made: Made, { now, untrusted: added }: ActRequest): Write {
  const seq = { seqOf: 0 };
  // Set only where something is added: a write planned at the same moment must not lose what this one adds.
  const label =
    added.length === 0 ? {} : { untrusted: writeSources(joinSources(readSources(project.untrusted), added)) };
  const where = { id: project.id, ...(made.exclusive ? { seq: project.seq } : {}) };
  if (!made.project) {
    return { do: "update", table: "projects", set: { seq, ...label, updated_at: now }, where, expectOne: true };
  }
  const { id: _, owner: __, created_at: ___, untrusted: ____, ...fields } = made.project;
  const set = { ...fields, ...label, seq, version: project.version + 1, updated_at: now };
  return { do: "update", table: "projects", set, where: { ...where, version: project.version }, expectOne: true };
}

type Drafted = ActPlan["act"];

export const insertAct = (act: Drafted, hash: string, untrusted: Sources): Write => ({
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

export const insertChange = (act: Drafted, { what, id, title, before, after }: Change, n: number): Write => ({
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

/** The one of the project's stream first: its seq is the act's. */
function toEvents(project: RowOf<"projects">, planned: Drafted, { changes, project: next }: Made): LogEntry[] {
  const { changes: _, seq: __, ...act } = planned;
  const touched = changes.slice(0, MAX_CHANGED_ITEMS).map(({ what, id }) => ({ what, id }));
  const acted: LogEntry = { stream: projectStream(project.id), event: { type: "project-acted", act, touched } };
  if (!next) return [acted];
  const view = toProject({ ...next, version: project.version + 1, updated_at: planned.createdAt });
  return [
    acted,
    {
      stream: userStream(project.owner),
      event: { type: "project-changed", projectId: project.id, project: view },
    },
  ];
}
