import { z } from "zod";
import { ClientId } from "../ids.ts";
import { projectLimits } from "./kinds.ts";
import {
  Act,
  Edge,
  Entity,
  EntityKind,
  EntityLine,
  EntityOp,
  Instructions,
  MAX_MOMENT,
  Project,
  ProjectName,
} from "./project.ts";

const none = z.object({});
const project = z.object({ projectId: ClientId });
const entity = z.object({ projectId: ClientId, entityId: ClientId });
const act = z.object({ projectId: ClientId, actId: ClientId });
const flag = z.enum(["true", "false"]);
const Description = z.string().max(projectLimits.titleCharacters * 4);

/** Per kind: total, not ended, and overdue. */
const Count = z.object({ kind: z.string(), total: z.number(), open: z.number(), overdue: z.number() });
const Done = z.object({ act: Act });

export const projectApi = {
  listProjects: {
    summary: "Your projects, last changed first",
    params: none,
    query: z.object({ archived: flag.default("false") }),
    body: null,
    status: 200,
    response: z.object({ projects: z.array(Project) }),
  },
  createProject: {
    summary: "Create a project under a client-generated id",
    params: none,
    query: none,
    body: z
      .object({
        id: ClientId,
        name: ProjectName,
        description: Description.default(""),
        instructions: Instructions.default(""),
      })
      .strict(),
    status: 201,
    response: Project,
  },
  getProject: {
    summary: "A project with its counts at a seq. Continue with the stream from there",
    params: project,
    query: none,
    body: null,
    status: 200,
    response: z.object({ project: Project, counts: z.array(Count), files: z.number() }),
  },
  changeProject: {
    summary: "Rename, describe, archive a project or set its instructions. Refused if it has changed since `version`",
    params: project,
    query: none,
    body: z
      .object({
        id: ClientId,
        version: z.number().int(),
        name: ProjectName.optional(),
        description: Description.optional(),
        instructions: Instructions.optional(),
        archived: z.boolean().optional(),
      })
      .strict(),
    status: 200,
    response: Project,
  },
  deleteProject: {
    summary:
      "Delete a project with everything in it, including files and history. Its threads stay. This cannot be undone",
    params: project,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  listEntities: {
    summary: "Entities of a project, filtered by kind, state, dates, parent or text",
    params: project,
    query: z.object({
      kind: EntityKind.optional(),
      state: z.string().max(40).optional(),
      /** `true`: only entities that are not ended. */
      open: flag.optional(),
      /** Children of this entity; `root`: entities without a parent. */
      parentId: ClientId.optional(),
      q: z.string().max(200).optional(),
      /** Entities whose dates overlap this range. */
      from: z.coerce.number().int().min(-MAX_MOMENT).max(MAX_MOMENT).optional(),
      to: z.coerce.number().int().min(-MAX_MOMENT).max(MAX_MOMENT).optional(),
      sort: z.enum(["position", "updated", "due", "priority", "title"]).default("updated"),
      cursor: z.string().max(400).optional(),
      limit: z.coerce.number().int().min(1).max(500).default(100),
    }),
    body: null,
    status: 200,
    response: z.object({
      seq: z.number(),
      entities: z.array(EntityLine),
      total: z.number(),
      nextCursor: z.string().nullable(),
    }),
  },
  getEntity: {
    summary: "One entity with its full text, ancestors, children and links",
    params: entity,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      entity: Entity,
      /** Ancestors, from the root to its parent. */
      path: z.array(EntityLine),
      children: z.array(EntityLine),
      links: z.array(z.object({ edge: Edge, other: EntityLine })),
    }),
  },
  getGraph: {
    summary: "Links in a project: around one entity, or the most linked entities",
    params: project,
    query: z.object({
      around: ClientId.optional(),
      depth: z.coerce.number().int().min(1).max(3).default(1),
      limit: z.coerce.number().int().min(1).max(500).default(150),
    }),
    body: null,
    status: 200,
    response: z.object({
      entities: z.array(EntityLine),
      edges: z.array(Edge),
      /** In the whole project. */
      totals: z.object({ entities: z.number(), edges: z.number() }),
    }),
  },
  act: {
    summary:
      "Write to a project atomically. Refused, with the current state, if an entity has changed since the version you read",
    params: project,
    query: none,
    body: z.object({ id: ClientId, ops: z.array(EntityOp).min(1).max(projectLimits.opsPerAct) }).strict(),
    status: 200,
    response: z.object({ act: Act, entities: z.array(Entity) }),
  },
  listActs: {
    summary: "Activity log of a project, newest first; long texts are truncated here, `getAct` has them in full",
    params: project,
    query: z.object({
      entityId: ClientId.optional(),
      path: z.string().max(400).optional(),
      runId: ClientId.optional(),
      /** Only acts before this seq. */
      before: z.coerce.number().int().min(0).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    body: null,
    status: 200,
    response: z.object({ acts: z.array(Act) }),
  },
  getAct: {
    summary: "One act with all its changes, before and after",
    params: act,
    query: none,
    body: null,
    status: 200,
    response: Done,
  },
  undoAct: {
    summary: "Undo an act, if its writes are still current. The undo is an act, which can be undone too",
    params: act,
    query: none,
    body: z.object({ id: ClientId }).strict(),
    status: 200,
    response: Done,
  },
  undoRun: {
    summary: "Undo everything that one run did in the project, newest first, atomically",
    params: z.object({ projectId: ClientId, runId: ClientId }),
    query: none,
    body: z.object({ id: ClientId }).strict(),
    status: 200,
    response: Done,
  },
} as const;
