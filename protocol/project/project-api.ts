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
  MOST_MOMENT,
  Project,
  ProjectName,
} from "./project.ts";

const none = z.object({});
const project = z.object({ projectId: ClientId });
const entity = z.object({ projectId: ClientId, entityId: ClientId });
const act = z.object({ projectId: ClientId, actId: ClientId });
const flag = z.enum(["true", "false"]);
const Description = z.string().max(projectLimits.titleCharacters * 4);

/** How many there are of a kind, how many of them are not ended, and how many of those are overdue. */
const Count = z.object({ kind: z.string(), total: z.number(), open: z.number(), overdue: z.number() });
const Done = z.object({ act: Act });

export const projectApi = {
  listProjects: {
    summary: "Your projects, the ones touched last first",
    params: none,
    query: z.object({ archived: flag.default("false") }),
    body: null,
    status: 200,
    response: z.object({ projects: z.array(Project) }),
  },
  createProject: {
    summary: "Start a project under an id of your own",
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
    summary: "A project with its counts at a seq. Stream on from there",
    params: project,
    query: none,
    body: null,
    status: 200,
    response: z.object({ project: Project, counts: z.array(Count), files: z.number() }),
  },
  changeProject: {
    summary: "Rename, describe, instruct, archive. Refused when it has changed since `version`",
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
    summary: "Delete a project with everything in it, files and history too. Its threads stay, without it. No undo",
    params: project,
    query: none,
    body: null,
    status: 200,
    response: z.object({ id: z.string() }),
  },
  listEntities: {
    summary: "What is in a project, by kind, state, time, place or words",
    params: project,
    query: z.object({
      kind: EntityKind.optional(),
      state: z.string().max(40).optional(),
      /** `true`: only what is not ended. */
      open: flag.optional(),
      /** The children of this one; `root`: those without a parent. */
      parentId: ClientId.optional(),
      q: z.string().max(200).optional(),
      /** Whose dates touch this time. */
      from: z.coerce.number().int().min(-MOST_MOMENT).max(MOST_MOMENT).optional(),
      to: z.coerce.number().int().min(-MOST_MOMENT).max(MOST_MOMENT).optional(),
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
    summary: "One thing whole: where it stands, what is below it, and what it is linked with",
    params: entity,
    query: none,
    body: null,
    status: 200,
    response: z.object({
      entity: Entity,
      /** From the root to its parent. */
      path: z.array(EntityLine),
      children: z.array(EntityLine),
      links: z.array(z.object({ edge: Edge, other: EntityLine })),
    }),
  },
  getGraph: {
    summary: "What is linked in a project: around one thing, or the most linked of all",
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
      "Write to a project: all of it or nothing. Refused, with what stands there now, when something has changed since the version you saw",
    params: project,
    query: none,
    body: z.object({ id: ClientId, ops: z.array(EntityOp).min(1).max(projectLimits.opsPerAct) }).strict(),
    status: 200,
    response: z.object({ act: Act, entities: z.array(Entity) }),
  },
  listActs: {
    summary: "What was done in a project, newest first; long texts are cut, and whole in `getAct`",
    params: project,
    query: z.object({
      entityId: ClientId.optional(),
      path: z.string().max(400).optional(),
      runId: ClientId.optional(),
      /** Older than this seq. */
      before: z.coerce.number().int().min(0).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(50),
    }),
    body: null,
    status: 200,
    response: z.object({ acts: z.array(Act) }),
  },
  getAct: {
    summary: "One act with all that it changed, before and after",
    params: act,
    query: none,
    body: null,
    status: 200,
    response: Done,
  },
  undoAct: {
    summary:
      "Take an act back, while what it wrote still stands; as an act of its own, which can be taken back in turn",
    params: act,
    query: none,
    body: z.object({ id: ClientId }).strict(),
    status: 200,
    response: Done,
  },
  undoRun: {
    summary: "Take back everything that one run did here, newest first, all of it or nothing",
    params: z.object({ projectId: ClientId, runId: ClientId }),
    query: none,
    body: z.object({ id: ClientId }).strict(),
    status: 200,
    response: Done,
  },
} as const;
