import type { Body, Query, Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Act, Author, Entity, EntityOp, Project } from "../../protocol/project/project.ts";
import { authorize } from "../auth/authorize.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { commitAct, getProjectRow, planAct, type ActPlan, type ActRequest } from "./plan/act.ts";
import { makeOps, type MadeOps } from "./plan/plan-ops.ts";
import { makeOwnChange, planRemoval, planStart } from "./plan/plan-project.ts";
import { makeUndo, type CheckPaths } from "./plan/plan-undo.ts";
import { readGraph } from "./read/graph.ts";
import { getAct, listActs } from "./read/list-acts.ts";
import { listEntities } from "./read/list-entities.ts";
import { openEntity } from "./read/open-entity.ts";
import { toEntity, toProject } from "./read/views.ts";

export type { CheckPaths } from "./plan/plan-undo.ts";
export { commitAct, planAct, toKeyedId, type ActPlan, type ActRequest, type AtOnce, type Made } from "./plan/act.ts";
export { makeOps, type MadeOps } from "./plan/plan-ops.ts";
export { makeOwnChange, planStart } from "./plan/plan-project.ts";
export { readGraph } from "./read/graph.ts";
export { getAct, listActs } from "./read/list-acts.ts";
export { listEntities } from "./read/list-entities.ts";
export { openEntity } from "./read/open-entity.ts";
export { toEntity, toLine, toProject } from "./read/views.ts";

/**
 * PROJECTS and what is in them. In: a principal and a parsed request, or a tool's ops to be planned. Out: views, and plans for
 * whoever commits. Every write is an act: all of it stands or nothing, with its author, and it can be taken back.
 */
export type Projects = ReturnType<typeof createProjects>;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly checkPaths?: CheckPaths;
};

export const theUser: Author = { by: "person", threadId: null, runId: null };

export function createProjects({ store, log, clock, checkPaths = async () => {} }: Options) {
  const { read } = store;

  const get = async (principal: Principal, projectId: string): Promise<RowOf<"projects">> => {
    const row = await read.project(projectId);
    const object = row && { ownerId: row.owner, row };
    authorize(principal, object, "read");
    return object.row;
  };

  const byPerson = (principal: Principal, projectId: string, id: string, asked: unknown): ActRequest => ({
    userId: principal.userId,
    projectId,
    id,
    asked,
    author: theUser,
    untrusted: [],
    now: clock.now(),
  });

  return {
    get,

    list: async (principal: Principal, { archived }: Query<"listProjects">): Promise<{ projects: Project[] }> => {
      const rows = await read.projectsOf(principal.userId, archived === "true", MOST_PROJECTS);
      return { projects: rows.map(toProject) };
    },

    create: async (principal: Principal, { id, ...fields }: Body<"createProject">): Promise<Project> => {
      const place = { userId: principal.userId, projectId: id };
      const starting = { ...place, author: theUser, untrusted: [], now: clock.now(), ...fields };
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const { project, ...batch } = await planStart(read, starting);
        if (batch.writes.length === 0 || (await log.commit(batch)).ok) return project;
      }
      throw new ApiError("busy", "The project could not be started. Try again in a moment.");
    },

    open: async (principal: Principal, projectId: string): Promise<Answer<"getProject">> =>
      read.together(async (reads) => {
        const row = await getProjectRow(reads, principal.userId, projectId);
        const counts = await reads.entityCounts(projectId, clock.now());
        return { project: toProject(row), counts: [...counts], files: await reads.countFiles(projectId) };
      }),

    change: async (principal: Principal, projectId: string, body: Body<"changeProject">): Promise<Project> => {
      const { id, version, ...patch } = body;
      const { name, description, instructions, archived } = patch;
      const fields = {
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(instructions === undefined ? {} : { instructions }),
        ...(archived === undefined ? {} : { archived }),
      };
      const request = byPerson(principal, projectId, id, { change: patch, version });
      await commitAct(log, () =>
        planAct(read, request, async (_, project) => {
          if (project.version === version) return makeOwnChange(project, fields, request.now);
          const text = "The project has changed since you looked: this is how it is now.";
          throw new ApiError("conflict", text, toProject(project));
        }),
      );
      return toProject(await get(principal, projectId));
    },

    /** With everything in it. Its threads stay, without it. No undo. */
    remove: async (principal: Principal, projectId: string): Promise<{ id: string }> => {
      // A row that came in between two of the deletes keeps the project: then all of it is done again.
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const batch = await planRemoval(read, await get(principal, projectId));
        if ((await log.commit(batch)).ok) return { id: projectId };
      }
      throw new ApiError("busy", "The project is being written to. Try again in a moment.");
    },

    listEntities: async (
      principal: Principal,
      projectId: string,
      query: Query<"listEntities">,
    ): Promise<Answer<"listEntities">> =>
      read.together(async (reads) => {
        const { seq } = await getProjectRow(reads, principal.userId, projectId);
        return { seq, ...(await listEntities(reads, projectId, query)) };
      }),

    openEntity: (principal: Principal, projectId: string, entityId: string): Promise<Answer<"getEntity">> =>
      read.together(async (reads) => {
        await getProjectRow(reads, principal.userId, projectId);
        return openEntity(reads, projectId, entityId);
      }),

    graph: (principal: Principal, projectId: string, query: Query<"getGraph">): Promise<Answer<"getGraph">> =>
      read.together(async (reads) => {
        await getProjectRow(reads, principal.userId, projectId);
        return readGraph(reads, projectId, query);
      }),

    act: async (principal: Principal, projectId: string, { id, ops }: Body<"act">): Promise<Answer<"act">> => {
      const request = byPerson(principal, projectId, id, { ops });
      const { act, made } = await commitAct(log, () => planOps(read, request, ops));
      return { act, entities: made ? toEntities(made) : await readEntities(read, act) };
    },

    listActs: async (principal: Principal, projectId: string, query: Query<"listActs">): Promise<{ acts: Act[] }> => {
      await get(principal, projectId);
      return listActs(read, projectId, query);
    },

    getAct: async (principal: Principal, projectId: string, actId: string): Promise<{ act: Act }> => {
      await get(principal, projectId);
      return { act: await getAct(read, projectId, actId) };
    },

    undoAct: async (principal: Principal, projectId: string, actId: string, id: string): Promise<{ act: Act }> => {
      const request = byPerson(principal, projectId, id, { undo: actId });
      const { act } = await commitAct(log, () =>
        planAct(read, request, async (reads, project) => {
          const found = await reads.act(projectId, actId);
          if (!found) throw new ApiError("not-found", "There is nothing of yours under this id.");
          return makeUndo({ reads, project, acts: [found], now: request.now, checkPaths });
        }),
      );
      return { act };
    },

    undoRun: async (principal: Principal, projectId: string, runId: string, id: string): Promise<{ act: Act }> => {
      const request = byPerson(principal, projectId, id, { undoRun: runId });
      const { act } = await commitAct(log, () =>
        planAct(read, request, async (reads, project) => {
          const all = await reads.actsOfRun({ project: projectId, before: NEWEST, limit: MOST_ACTS }, runId);
          if (all.length === 0) throw new ApiError("not-found", "There is nothing of yours under this id.");
          const acts = all.filter(({ undone }) => undone === 0);
          return makeUndo({ reads, project, acts, now: request.now, checkPaths });
        }),
      );
      return { act };
    },
  };
}

/**
 * What these ops would write. It only reads: the caller commits. For a tool: `id` is `toKeyedId(key)`, `asked` the call's
 * input, ids of new things `toKeyedId(key, n)` with n from 1; `made.items` tells versions, null when it was done before.
 */
export const planOps = (
  read: Pick<Reads, "together">,
  request: ActRequest,
  ops: readonly EntityOp[],
): Promise<ActPlan<MadeOps>> => planAct(read, request, (reads, project) => makeOps(reads, project, ops, request.now));

/** Where a thread belongs: a project of the person's own, and something in it. */
export async function checkPlace(
  read: Pick<Reads, "project" | "entity">,
  principal: Principal,
  { project, focus }: { readonly project: string | null; readonly focus: string | null },
): Promise<void> {
  if (project === null) {
    if (focus === null) return;
    throw new ApiError("invalid", "A focus needs the project that it belongs to.");
  }
  const row = await read.project(project);
  authorize(principal, row && { ownerId: row.owner }, "read");
  if (focus === null) return;
  const entity = await read.entity(project, focus);
  if (!entity || entity.deleted === 1) throw new ApiError("not-found", "There is no such thing in this project.");
}

const MOST_TRIES = 10;
const MOST_PROJECTS = 1000;
const MOST_ACTS = 1000;
const NEWEST = 2_147_483_647;

const toEntities = ({ items }: MadeOps): Entity[] => items.map((item) => toEntity({ ...item, body: item.body ?? "" }));

/** Of an act that was done before: what it wrote, as it is now. */
async function readEntities(read: Pick<Reads, "fullEntities">, { projectId, changes }: Act): Promise<Entity[]> {
  const ids = changes.flatMap(({ what, id }) => (what === "entity" ? [id] : []));
  const rows = await read.fullEntities(projectId, ids.slice(0, MOST_ENTITIES));
  return rows.filter(({ deleted }) => deleted === 0).map(toEntity);
}

const MOST_ENTITIES = 400;
