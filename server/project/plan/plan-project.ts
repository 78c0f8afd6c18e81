import { ApiError } from "../../../protocol/errors.ts";
import { projectStream, threadStream, userStream } from "../../../protocol/ids.ts";
import type { Project } from "../../../protocol/project/project.ts";
import { writeSources } from "../../../protocol/context/untrusted.ts";
import type { LogBatch, LogEntry } from "../../log/log.ts";
import type { Reads, Write } from "../../store/contract.ts";
import { projectTables, type RowOf } from "../../store/schema.ts";
import { toProject } from "../read/views.ts";
import { insertAct, insertChange, toRequestHash, type ActRequest, type SnapshotReads, type ActEffect } from "./act.ts";
import { createDraft } from "../draft/draft.ts";
import { settleDraft } from "../draft/settle-draft.ts";
import { toSentence } from "./sentences.ts";

type ProjectFields = Pick<Project, "name" | "description" | "instructions">;
type ProjectCreation = Omit<ActRequest, "id" | "input"> & ProjectFields;

/**
 * Plans the creation of a project and its first act, which has the same id. If the project exists with the same content, there
 * is nothing to write and `project` is the existing one.
 */
export async function planCreation(
  read: Pick<Reads, "project" | "act" | "lease">,
  { userId, projectId: id, author, now, untrusted, ...fields }: ProjectCreation,
): Promise<{ readonly project: Project; readonly writes: readonly Write[]; readonly events: readonly LogEntry[] }> {
  const { name, description, instructions } = fields;
  const hash = toRequestHash({ create: { name, description, instructions } });
  const [known, first, { head }] = await Promise.all([
    read.project(id),
    read.act(id, id),
    read.lease(projectStream(id)),
  ]);
  if (known?.owner === userId && first?.hash === hash) return { project: toProject(known), writes: [], events: [] };
  if (known) throw new ApiError("conflict", "A project with this id exists with other content. Choose another id.");
  if (head > 0) throw new ApiError("conflict", "A project with this id was deleted. Choose another id.");
  const own = { id, owner: userId, name, description, instructions, archived: 0, version: 1, created_at: now };
  const row = { ...own, untrusted: writeSources(untrusted), seq: FIRST, updated_at: now };
  const project = toProject(row);
  const text = `Created the project "${name}"`;
  const act = { id, projectId: id, author, text, changes: [], undone: false, undoes: null, createdAt: now };
  const change = {
    what: "project",
    id,
    title: name,
    before: null,
    after: { name, description, instructions },
  } as const;
  return {
    project,
    writes: [
      { do: "insert", table: "projects", row: { ...row, seq: { seqOf: 0 } } },
      insertAct({ ...act, seq: null }, hash, untrusted),
      insertChange({ ...act, seq: null }, change, 0),
    ],
    events: [
      {
        stream: projectStream(id),
        event: { type: "project-acted", act: toActLine(act), touched: [{ what: "project", id }] },
      },
      { stream: userStream(userId), event: { type: "project-changed", projectId: id, project } },
    ],
  };
}

const FIRST = 1;

const toActLine = <T extends { readonly changes: unknown }>({ changes: _, ...line }: T): Omit<T, "changes"> => line;

type ProjectChange = Partial<ProjectFields> & { readonly archived?: boolean };

export function planProjectChange(
  project: RowOf<"projects">,
  { archived, ...fields }: ProjectChange,
  now: number,
): ActEffect {
  const draft = createDraft({ project, now, items: [], edges: [], files: [], whole: new Set() });
  const flag = archived === undefined ? {} : { archived: archived ? 1 : 0 };
  draft.own.project = { ...project, ...fields, ...flag };
  const settled = settleDraft(draft);
  return { ...settled, text: toArchiveSentence(project, archived) ?? toSentence(settled.changes, draft) };
}

const toArchiveSentence = (project: RowOf<"projects">, archived: boolean | undefined): string | undefined => {
  if (archived === undefined || (project.archived === 1) === archived) return undefined;
  return archived ? "Archived the project" : "Restored the project from the archive";
};

/** Deletes everything in a project; its threads stay, without a project. */
export async function planRemoval(
  reads: Pick<SnapshotReads, "threadsOfProject" | "membersOf">,
  { id, owner }: RowOf<"projects">,
): Promise<LogBatch> {
  const none = { projectId: null, focusId: null, mode: null } as const;
  const people = [owner, ...(await reads.membersOf([id])).map(({ person }) => person)];
  const threads = await reads.threadsOfProject(id);
  const left = threads.flatMap(({ id: threadId, owner: whose, shared }): LogEntry[] => {
    const patch = shared === 1 ? { ...none, shared: false } : none;
    const event = { type: "thread-changed", threadId, patch } as const;
    return [
      { stream: threadStream(threadId), event },
      { stream: userStream(whose), event },
    ];
  });
  const stream = projectStream(id);
  return {
    revoke: stream,
    events: [
      ...left,
      ...people.map((userId): LogEntry => ({
        stream: userStream(userId),
        event: { type: "project-changed", projectId: id, project: null },
      })),
    ],
    writes: [
      ...projectTables.map((table): Write => ({ do: "delete", table, where: { project: id } })),
      { do: "delete", table: "events", where: { stream } },
      { do: "delete", table: "members", where: { object: id } },
      // In the search index, shared threads belong to the project.
      ...threads
        .filter(({ shared }) => shared === 1)
        .map((thread): Write => ({
          do: "update",
          table: "search_docs",
          set: { owner: thread.owner },
          where: { thread: thread.id },
        })),
      // Earlier events about the project in the users' streams go too; the event of the deletion comes after.
      ...people.map((userId): Write => ({
        do: "delete",
        table: "events",
        where: { stream: userStream(userId), message: stream },
      })),
      {
        do: "update",
        table: "threads",
        set: { project: null, focus: null, mode: "", shared: 0 },
        where: { project: id },
      },
      { do: "delete", table: "projects", where: { id } },
    ],
  };
}
