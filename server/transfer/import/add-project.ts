import { projectStream, userStream } from "../../../protocol/ids.ts";
import { projectLimits } from "../../../protocol/project/kinds.ts";
import { writeSources, joinSources, readSources } from "../../../protocol/context/untrusted.ts";
import type { EntityOp } from "../../../protocol/project/project.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../log/log.ts";
import { planCreation, toProject, type Projects } from "../../project/project.ts";
import type { Store, Write } from "../../store/contract.ts";
import type { RowOf } from "../../store/schema.ts";
import type { ImportTarget, ReadReply } from "../items.ts";
import { hashId, toId } from "../read/foreign.ts";
import { sourcesOf, toProgress, type Line, type Progress } from "./progress.ts";
import {
  IN_UNIT,
  stagingOwner,
  stagingUser,
  type Ask,
  type StepResult,
  type Head,
  type Import,
  type Step,
} from "./units.ts";

const theUser = { by: "person", threadId: null, runId: null } as const;

type Options = {
  readonly store: Store;
  readonly clock: Clock;
  readonly step: Step;
};

/** Stores a project of a Stonechat server: its rows, with their ids. */
export function createAddProject({ store: { read }, clock, step }: Options) {
  return async (row: Import, head: Head<"project">, ask: Ask): StepResult => {
    const { position, head: given } = head;
    const staging = stagingOwner(row.owner, row.id);
    const copy = hashId(row.owner, head.id);
    const known = await Promise.all([head.id, copy].map((id) => read.project(id)));
    const target = [head.id, copy].find((_, index) => !known[index] || known[index].owner === staging);
    const own = known.find((project) => project?.owner === row.owner);
    const progress = (id: string): Partial<Progress> => ({ projects: { ...toProgress(row).projects, [head.id]: id } });
    if (own || target === undefined) {
      if (!own)
        return step(row, {
          position,
          lines: [{ kind: "note", text: `The project “${given.name}” could not be imported.` }],
        });
      return step(row, {
        position,
        progress: progress(own.id),
        count: { known: 1 },
        lines: [{ kind: "project", target: own.id, text: given.name }],
      });
    }
    const untrusted = sourcesOf(row);
    const project: RowOf<"projects"> = {
      ...given,
      id: target,
      owner: row.owner,
      untrusted: writeSources(joinSources(readSources(given.untrusted), untrusted)),
    };
    const stream = projectStream(target);
    const { head: seq } = await read.lease(stream);
    const begin = planStaging(row, project, { staging, seq, now: clock.now() });
    let current = row;
    const notes: string[] = [];
    const place = { id: target, owner: row.owner, isCopy: target !== head.id, untrusted };
    for (let next: ImportTarget | undefined = place; ;) {
      const reply: ReadReply = await ask(next ? { position: IN_UNIT, place: next } : { position: IN_UNIT });
      if (reply.kind !== "rows") throw new Error("The reader of the import was restarted.");
      notes.push(...reply.notes);
      const rows = reply.rows.map(({ table, row: columns }) => ({
        do: "insert" as const,
        table: table as "edges",
        row: { project: target, ...columns } as unknown as RowOf<"edges">,
        ifAbsent: true as const,
      }));
      const writes: Write[] = [...(next ? begin : []), ...rows];
      next = undefined;
      if (reply.isLast) {
        return step(current, {
          position,
          progress: progress(target),
          count: { projects: 1 },
          writes: [
            ...writes,
            { do: "update", table: "projects", set: { owner: row.owner }, where: { id: target }, expectOne: true },
          ],
          events: [
            {
              stream: userStream(row.owner),
              event: { type: "project-changed", projectId: target, project: toProject(project) },
            },
          ],
          lines: [
            { kind: "project", target, text: given.name },
            ...notes.map((text): Line => ({ kind: "note", text: `“${given.name}”: ${text}` })),
          ],
        });
      }
      const staged = await step(current, { staged: target, writes });
      if (!staged) return null;
      current = staged;
    }
  };
}

type Staging = { readonly staging: string; readonly seq: number; readonly now: number };

/** The project belongs to the staging user until all its rows are stored. */
function planStaging(row: Import, project: RowOf<"projects">, { staging, seq, now }: Staging): readonly Write[] {
  const stream = projectStream(project.id);
  return [
    ...stagingUser(row, now),
    { do: "insert", table: "projects", row: { ...project, owner: staging }, ifAbsent: true },
    // Its acts keep their numbers, so the stream continues after them.
    seq === 0
      ? {
          do: "insert",
          table: "streams",
          row: { id: stream, head: project.seq, epoch: 0, holder: null, lease_until: 0 },
          ifAbsent: true,
        }
      : { do: "update", table: "streams", set: { head: Math.max(seq, project.seq) }, where: { id: stream } },
  ];
}

type OutlineOptions = Options & { readonly log: Pick<Log, "commit">; readonly projects: Pick<Projects, "act"> };

/** A project of another program, created as a user creates one, with its texts as documents. */
export function createAddOutline({ store: { read }, log, projects, clock, step }: OutlineOptions) {
  return async (row: Import, head: Head<"outline">): StepResult => {
    const untrusted = sourcesOf(row);
    const instructions = head.instructions.slice(0, projectLimits.instructionCharacters).toWellFormed();
    const fields = {
      name: head.name.replace(/\s+/g, " ").trim().slice(0, projectLimits.nameCharacters) || "Project",
      description: head.description.slice(0, projectLimits.titleCharacters * 4).toWellFormed(),
      instructions,
    };
    const notes = instructions === head.instructions ? [] : ["Its instructions were shortened."];
    const first = toId(head.id);
    for (const id of [first, hashId(row.owner, first), hashId(row.owner, first, "again")]) {
      const creation = { userId: row.owner, projectId: id, author: theUser, untrusted, now: clock.now(), ...fields };
      const plan = await planCreation(read, creation).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === "conflict") return null;
        throw error;
      });
      if (!plan) continue;
      const isKnown = plan.writes.length === 0;
      if (!isKnown && !(await log.commit(plan)).ok) continue;
      for (const [index, ops] of toDocuments(id, head.documents).entries())
        await projects.act({ userId: row.owner }, id, { id: hashId(id, `import-${index}`), ops }, untrusted);
      return step(row, {
        position: head.position,
        progress: { projects: { ...toProgress(row).projects, [first]: id } },
        count: isKnown ? { known: 1 } : { projects: 1 },
        lines: [
          { kind: "project", target: id, text: fields.name },
          ...notes.map((text): Line => ({ kind: "note", text: `“${fields.name}”: ${text}` })),
        ],
      });
    }
    throw new Error(`The project ${head.id} cannot be imported: other projects use all of its possible ids.`);
  };
}

/** Acts with a few documents each. A long text becomes several documents. */
function toDocuments(projectId: string, documents: Head<"outline">["documents"]): readonly EntityOp[][] {
  const most = projectLimits.bodyCharacters;
  const ops = documents.flatMap(({ title, body }, index) =>
    Array.from({ length: Math.max(1, Math.ceil(body.length / most)) }, (_, part): EntityOp => ({
      do: "create",
      id: hashId(projectId, String(index), String(part)),
      kind: "document",
      parentId: null,
      title:
        (part === 0 ? title : `${title} (${part + 1})`)
          .replace(/\s+/g, " ")
          .trim()
          .slice(0, projectLimits.titleCharacters) || "Document",
      body: body.slice(part * most, (part + 1) * most).toWellFormed(),
    })),
  );
  return Array.from({ length: Math.ceil(ops.length / 4) }, (_, index) => ops.slice(index * 4, index * 4 + 4));
}
