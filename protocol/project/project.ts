import { z } from "zod";
import { ClientId } from "../ids.ts";
import { kindNames, priorities, projectLimits } from "./kinds.ts";

const text = (most: number) =>
  z
    .string()
    .max(most)
    .refine(
      (value) => value.isWellFormed() && !value.includes("\u0000"),
      "the text is not valid Unicode or holds a NUL",
    );

/** Of milliseconds since 1970, either way. */
export const MOST_MOMENT = 8_640_000_000_000;
export const Moment = z.number().int().min(-MOST_MOMENT).max(MOST_MOMENT);
export const Title = text(projectLimits.titleCharacters).trim().min(1, "a title needs some text");
export const EntityKind = z.enum(kindNames as [string, ...string[]]);
export const Relation = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, "a relation is a short word like depends-on: lower-case letters, digits and -");
export const EntityBody = text(projectLimits.bodyCharacters);
export const ProjectName = text(projectLimits.nameCharacters).trim().min(1, "a project needs a name");
export const Instructions = text(projectLimits.instructionCharacters);

/** Who did it: the person themselves, or the assistant in a run of theirs. */
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
  /** Told to the model in every thread of the project. */
  instructions: z.string(),
  archived: z.boolean(),
  version: z.number(),
  /** Rises with every write to anything in it: the seq of its stream's newest event. */
  seq: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
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
  /** Among the children of its parent, ascending. */
  position: z.number(),
  /** Rises with each change: a write names the one it saw. */
  version: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type Entity = z.infer<typeof Entity>;

/** In lists: without the body, whose length and beginning are told. */
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

/** One write. Those of an act stand or fall together, in order; ids of new entities are minted by who asks. */
export const EntityOp = z.discriminatedUnion("do", [
  z
    .object({
      do: z.literal("create"),
      id: ClientId,
      kind: EntityKind,
      ...set,
      title: Title,
      parentId: ClientId.nullable().default(null),
      /** The sibling it comes after; null: first; left out: last. */
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
  /** With everything below it. */
  z.object({ do: z.literal("delete"), id: ClientId, version: z.number().int() }).strict(),
  z.object({ do: z.literal("link"), sourceId: ClientId, targetId: ClientId, relation: Relation }).strict(),
  z.object({ do: z.literal("unlink"), sourceId: ClientId, targetId: ClientId, relation: Relation }).strict(),
]);
export type EntityOp = z.infer<typeof EntityOp>;

/** What one op did. `before` and `after` hold the fields that differ; null: it was not there, or is not any more. */
export const Change = z.object({
  what: z.enum(["project", "entity", "edge", "file"]),
  /** Of the entity; of an edge `source relation target`; of a file its path. */
  id: z.string(),
  title: z.string(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
});
export type Change = z.infer<typeof Change>;

/** A row of the activity log: what was done at once, by whom, and whether it was taken back. */
export const Act = z.object({
  id: z.string(),
  projectId: z.string(),
  seq: z.number(),
  author: Author,
  /** In a sentence. */
  text: z.string(),
  changes: z.array(Change),
  /** It was taken back by a later act. */
  undone: z.boolean(),
  /** The acts that it takes back, by id, with spaces between them. */
  undoes: z.string().nullable(),
  createdAt: z.number(),
});
export type Act = z.infer<typeof Act>;

/** As events tell it: its seq is the event's own, and what it changed is asked for where it is wanted. */
export const ActLine = Act.omit({ changes: true, seq: true });
export type ActLine = z.infer<typeof ActLine>;
/** More than these are not named by an event: then anything may be another. */
export const MOST_TOUCHED = 500;
export const Touched = Change.pick({ what: true, id: true });

/** How a thread looks at the work. */
export const contextModes = ["global", "project", "focus", "ontology"] as const;
export type ContextMode = (typeof contextModes)[number];
