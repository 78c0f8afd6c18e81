import { z } from "zod";
import { ClientId } from "../ids.ts";
import { Text } from "../text.ts";
import { ProjectRole } from "./members.ts";
import { kindNames, priorities, projectLimits } from "./kinds.ts";

/** In milliseconds since 1970, positive or negative. */
export const MAX_MOMENT = 8_640_000_000_000;
const Moment = z.number().int().min(-MAX_MOMENT).max(MAX_MOMENT);
export const Title = Text.max(projectLimits.titleCharacters).trim().min(1, "a title needs some text");
export const EntityKind = z.enum(kindNames as [string, ...string[]]);
const Relation = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, "a relation is a short word like depends-on: lowercase letters, digits and -");
const EntityBody = Text.max(projectLimits.bodyCharacters);
export const ProjectName = Text.max(projectLimits.nameCharacters).trim().min(1, "a project needs a name");
export const Instructions = Text.max(projectLimits.instructionCharacters);

/** Who did it: the user, or the assistant in one of the user's runs. */
export const Author = z.object({
  by: z.enum(["person", "run"]),
  threadId: z.string().nullable(),
  runId: z.string().nullable(),
});
export type Author = z.infer<typeof Author>;

export const Project = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Sent to the model in every thread of the project. */
  instructions: z.string(),
  archived: z.boolean(),
  version: z.number(),
  /** Seq of the newest event in the project's stream; increases with every write. */
  seq: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Your role, if the project has members; see `members.ts`. */
  role: ProjectRole.optional(),
});
export type Project = z.infer<typeof Project>;

export const Entity = z.object({
  id: z.string(),
  projectId: z.string(),
  kind: z.string(),
  title: z.string(),
  /** Markdown. */
  body: z.string(),
  state: z.string(),
  priority: z.enum(priorities),
  startsAt: z.number().nullable(),
  endsAt: z.number().nullable(),
  parentId: z.string().nullable(),
  /** Order among siblings, ascending. */
  position: z.number(),
  /** Increases with each change; a write names the version it is based on. */
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type Entity = z.infer<typeof Entity>;

/** List form: without the body, but with its length and beginning. */
export const EntityLine = Entity.omit({ body: true }).extend({ bodyLength: z.number(), excerpt: z.string() });
export type EntityLine = z.infer<typeof EntityLine>;

export const Edge = z.object({ sourceId: z.string(), targetId: z.string(), relation: z.string() });
export type Edge = z.infer<typeof Edge>;

const set = {
  title: Title.optional(),
  body: EntityBody.optional(),
  state: z.string().max(40).optional(),
  priority: z.enum(priorities).optional(),
  startsAt: Moment.nullable().optional(),
  endsAt: Moment.nullable().optional(),
};

/**
 * One write operation. The operations of an act are applied in order and atomically; the caller generates the ids of
 * new entities.
 */
export const EntityOp = z.discriminatedUnion("do", [
  z
    .object({
      do: z.literal("create"),
      id: ClientId,
      kind: EntityKind,
      ...set,
      title: Title,
      parentId: ClientId.nullable().default(null),
      /** The sibling that precedes it; null: first; omitted: last. */
      after: ClientId.nullable().optional(),
    })
    .strict(),
  z.object({ do: z.literal("update"), id: ClientId, version: z.number().int(), ...set }).strict(),
  z
    .object({
      do: z.literal("move"),
      id: ClientId,
      version: z.number().int(),
      parentId: ClientId.nullable(),
      after: ClientId.nullable().optional(),
    })
    .strict(),
  /** Deletes its descendants too. */
  z.object({ do: z.literal("delete"), id: ClientId, version: z.number().int() }).strict(),
  z.object({ do: z.literal("link"), sourceId: ClientId, targetId: ClientId, relation: Relation }).strict(),
  z.object({ do: z.literal("unlink"), sourceId: ClientId, targetId: ClientId, relation: Relation }).strict(),
]);
export type EntityOp = z.infer<typeof EntityOp>;

/**
 * The effect of one operation. `before` and `after` have the fields that differ; null: it did not exist before, or no
 * longer exists.
 */
export const Change = z.object({
  what: z.enum(["project", "entity", "edge", "file"]),
  /** Entity id; for an edge `source relation target`; for a file its path. */
  id: z.string(),
  title: z.string(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
});
export type Change = z.infer<typeof Change>;

/** An entry of the activity log: a set of changes made together, by whom, and whether it was undone. */
export const Act = z.object({
  id: z.string(),
  projectId: z.string(),
  seq: z.number(),
  author: Author,
  /** One sentence. */
  text: z.string(),
  changes: z.array(Change),
  /** A later act undid it. */
  undone: z.boolean(),
  /** Ids of the acts that it undoes, separated by spaces. */
  undoes: z.string().nullable(),
  createdAt: z.number(),
});
export type Act = z.infer<typeof Act>;

/** As sent in events: the seq is the event's, and changes are fetched on demand. */
export const ActLine = Act.omit({ changes: true, seq: true });
export type ActLine = z.infer<typeof ActLine>;
/** An event lists at most this many changed entities; with more, assume that anything changed. */
export const MAX_CHANGED_ITEMS = 500;
export const ChangedItem = Change.pick({ what: true, id: true });

/** How much of a project a thread sees. */
export const contextModes = ["global", "project", "focus", "ontology"] as const;
export type ContextMode = (typeof contextModes)[number];
