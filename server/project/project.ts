import type { Body, Query, Response as Answer } from "../../protocol/api.ts";
import { joinSources, type Sources } from "../../protocol/context/untrusted.ts";
import { ApiError } from "../../protocol/errors.ts";
import { ProjectRole } from "../../protocol/project/members.ts";
import type { Act, Author, Entity, EntityOp, Project } from "../../protocol/project/project.ts";
import { findProjectAccess, listProjectsOf } from "../auth/access.ts";
import { authorize, type Action } from "../auth/authorize.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { commitAct, getProjectRow, planAct, type ActPlan, type ActRequest } from "./plan/act.ts";
import { planEntityOps, type OpsEffect } from "./plan/plan-ops.ts";
import { planProjectChange, planRemoval, planCreation } from "./plan/plan-project.ts";
import { planUndo, type CheckPaths } from "./plan/plan-undo.ts";
import { getAct, listActs, listEntities, openEntity, readGraph } from "./read/queries.ts";
import { toEntity, toProject } from "./read/views.ts";

export type { CheckPaths } from "./plan/plan-undo.ts";
export {
  commitAct,
  getProjectRow,
  planAct,
  toKeyedId,
  toProjectEvents,
  type ActPlan,
  type ActRequest,
  type SnapshotReads,
  type ActEffect,
} from "./plan/act.ts";
export { planEntityOps, type OpsEffect } from "./plan/plan-ops.ts";
export { planProjectChange, planCreation } from "./plan/plan-project.ts";
export { getAct, listActs, listEntities, openEntity, readGraph } from "./read/queries.ts";
export { listProjectSources } from "./read/sources.ts";
export { toEntity, toEntityLine, toProject } from "./read/views.ts";

/**
 * Projects and their contents. Takes a principal and a parsed request and returns views. Every write is an act: atomic, with
 * an author, and undoable. Tools use the `plan*` functions instead and commit the plan together with their result.
 */
export type Projects = ReturnType<typeof createProjects>;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly checkPaths?: CheckPaths;
};

const theUser: Author = { by: "person", threadId: null, runId: null };

export function createProjects(options: Options) {
  const { read } = options.store;
  const get: GetRow = (principal, projectId, action = "read") =>
    getProjectRow(read, principal.userId, projectId, action);
  return {
    get,
    ...createQueries(options, get),
    ...createProjectCommands(options, get),
    ...createActCommands(options),
  };
}

type GetRow = (principal: Principal, projectId: string, action?: Action) => Promise<RowOf<"projects">>;

function createQueries({ store: { read }, clock }: Options, get: GetRow) {
  return {
    list: async (principal: Principal, { archived }: Query<"listProjects">): Promise<{ projects: Project[] }> => {
      const rows = await listProjectsOf(read, principal.userId, archived === "true", MAX_PROJECTS);
      const members = await read.membersOf(rows.map(({ id }) => id));
      return { projects: rows.map((row) => toProject(row, findShownRole(principal.userId, row, members))) };
    },

    open: async (principal: Principal, projectId: string): Promise<Answer<"getProject">> =>
      read.together(async (reads) => {
        const row = await getProjectRow(reads, principal.userId, projectId, "read");
        const counts = await reads.entityCounts(projectId, clock.now());
        const role = findShownRole(principal.userId, row, await reads.membersOf([projectId]));
        return { project: toProject(row, role), counts: [...counts], files: await reads.countFiles(projectId) };
      }),

    listEntities: async (
      principal: Principal,
      projectId: string,
      query: Query<"listEntities">,
    ): Promise<Answer<"listEntities">> =>
      read.together(async (reads) => {
        const { seq } = await getProjectRow(reads, principal.userId, projectId, "read");
        return { seq, ...(await listEntities(reads, projectId, query)) };
      }),

    openEntity: (principal: Principal, projectId: string, entityId: string): Promise<Answer<"getEntity">> =>
      read.together(async (reads) => {
        await getProjectRow(reads, principal.userId, projectId, "read");
        return openEntity(reads, projectId, entityId);
      }),

    graph: (principal: Principal, projectId: string, query: Query<"getGraph">): Promise<Answer<"getGraph">> =>
      read.together(async (reads) => {
        await getProjectRow(reads, principal.userId, projectId, "read");
        return readGraph(reads, projectId, query);
      }),

    listActs: async (principal: Principal, projectId: string, query: Query<"listActs">): Promise<{ acts: Act[] }> => {
      await get(principal, projectId);
      return listActs(read, projectId, query);
    },

    getAct: async (principal: Principal, projectId: string, actId: string): Promise<{ act: Act }> => {
      await get(principal, projectId);
      return { act: await getAct(read, projectId, actId) };
    },
  };
}

function createProjectCommands({ store: { read }, log, clock }: Options, get: GetRow) {
  return {
    create: async (principal: Principal, { id, ...fields }: Body<"createProject">): Promise<Project> => {
      const place = { userId: principal.userId, projectId: id };
      const creation = { ...place, author: theUser, untrusted: [], now: clock.now(), ...fields };
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const { project, ...batch } = await planCreation(read, creation);
        if (batch.writes.length === 0 || (await log.commit(batch)).ok) return project;
      }
      throw new ApiError("busy", "The project could not be created. Try again in a moment.");
    },

    change: async (principal: Principal, projectId: string, body: Body<"changeProject">): Promise<Project> => {
      if (body.archived !== undefined) await get(principal, projectId, "delete");
      const { id, version, ...patch } = body;
      const { name, description, instructions, archived } = patch;
      const fields = {
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(instructions === undefined ? {} : { instructions }),
        ...(archived === undefined ? {} : { archived }),
      };
      const request = toUserRequest(principal, projectId, { id, input: { change: patch, version }, now: clock.now() });
      await commitAct(log, () =>
        planAct(read, request, async (_, project) => {
          if (project.version === version) return planProjectChange(project, fields, request.now);
          throw new ApiError("conflict", "The project has changed since you loaded it.", toProject(project));
        }),
      );
      const row = await get(principal, projectId);
      return toProject(row, findShownRole(principal.userId, row, await read.membersOf([projectId])));
    },

    /** Deletes all contents. Threads stay, without a project. Cannot be undone. */
    remove: async (principal: Principal, projectId: string): Promise<{ id: string }> => {
      // A row inserted between two of the deletes makes the commit fail: plan it again.
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const batch = await planRemoval(read, await get(principal, projectId, "delete"));
        if ((await log.commit(batch)).ok) return { id: projectId };
      }
      throw new ApiError("busy", "The project is being changed. Try again in a moment.");
    },
  };
}

function createActCommands({ store: { read }, log, clock, checkPaths = async () => {} }: Options) {
  return {
    /** `sources`: untrusted sources of texts that the user did not write, such as those of a file. */
    act: async (
      principal: Principal,
      projectId: string,
      { id, ops }: Body<"act">,
      sources: Sources = [],
    ): Promise<Answer<"act">> => {
      const from = toUserRequest(principal, projectId, { id, input: { ops }, now: clock.now() });
      const request = { ...from, untrusted: joinSources(from.untrusted, sources) };
      const { act, effect } = await commitAct(log, () => planOps(read, request, ops));
      return { act, entities: effect ? toEntities(effect) : await readEntities(read, act) };
    },

    undoAct: async (principal: Principal, projectId: string, actId: string, id: string): Promise<{ act: Act }> => {
      const request = toUserRequest(principal, projectId, { id, input: { undo: actId }, now: clock.now() });
      const { act } = await commitAct(log, () =>
        planAct(read, request, async (reads, project) => {
          const found = await reads.act(projectId, actId);
          if (!found) throw new ApiError("not-found", "Not found.");
          return planUndo({ reads, project, acts: [found], now: request.now, checkPaths });
        }),
      );
      return { act };
    },

    undoRun: async (principal: Principal, projectId: string, runId: string, id: string): Promise<{ act: Act }> => {
      const request = toUserRequest(principal, projectId, { id, input: { undoRun: runId }, now: clock.now() });
      const { act } = await commitAct(log, () =>
        planAct(read, request, async (reads, project) => {
          const all = await reads.actsOfRun({ project: projectId, before: NEWEST, limit: MAX_ACTS }, runId);
          if (all.length === 0) throw new ApiError("not-found", "Not found.");
          const acts = all.filter(({ undone }) => undone === 0);
          return planUndo({ reads, project, acts, now: request.now, checkPaths });
        }),
      );
      return { act };
    },
  };
}

const toUserRequest = (
  { userId, via }: Principal,
  projectId: string,
  request: Pick<ActRequest, "id" | "input" | "now">,
): ActRequest => ({ userId, projectId, author: theUser, untrusted: via === undefined ? [] : [via], ...request });

/**
 * Plans a list of operations without committing them. Tools pass `toKeyedId(key)` as `id`, the call's input as `input`, and
 * `toKeyedId(key, n)` with n from 1 as ids of new entities. `effect.items` has the new versions; it is null if the act was
 * committed before.
 */
export const planOps = (
  read: Pick<Reads, "together">,
  request: ActRequest,
  ops: readonly EntityOp[],
): Promise<ActPlan<OpsEffect>> =>
  planAct(read, request, (reads, project) => planEntityOps(reads, project, ops, request.now));

/** Checks that a thread may be placed in this project and focused on this entity. */
export async function checkPlace(
  read: Pick<Reads, "project" | "member" | "entity">,
  principal: Principal,
  { project, focus }: { readonly project: string | null; readonly focus: string | null },
): Promise<void> {
  if (project === null) {
    if (focus === null) return;
    throw new ApiError("invalid", "focusId requires projectId. Send both.");
  }
  const row = await read.project(project);
  authorize(principal, await findProjectAccess(read, principal.userId, row), "read");
  if (focus === null) return;
  const entity = await read.entity(project, focus);
  if (!entity || entity.deleted === 1) throw new ApiError("not-found", "Not found.");
}

/** The user's role, if the project has members. */
export function findShownRole(
  userId: string,
  { id, owner }: Pick<RowOf<"projects">, "id" | "owner">,
  members: readonly RowOf<"members">[],
): ProjectRole | undefined {
  const here = members.filter(({ object }) => object === id);
  if (here.length === 0) return undefined;
  if (owner === userId) return "owner";
  return ProjectRole.safeParse(here.find(({ person }) => person === userId)?.role).data;
}

const MAX_TRIES = 10;
const MAX_PROJECTS = 1000;
const MAX_ACTS = 1000;
const NEWEST = 2_147_483_647;

const toEntities = ({ items }: OpsEffect): Entity[] =>
  items.map((item) => toEntity({ ...item, body: item.body ?? "" }));

/** The current state of the entities that a committed act wrote. */
async function readEntities(read: Pick<Reads, "fullEntities">, { projectId, changes }: Act): Promise<Entity[]> {
  const ids = changes.flatMap(({ what, id }) => (what === "entity" ? [id] : []));
  const rows = await read.fullEntities(projectId, ids.slice(0, MAX_ENTITIES));
  return rows.filter(({ deleted }) => deleted === 0).map(toEntity);
}

const MAX_ENTITIES = 400;
