import { z } from "zod";
import { priorities } from "../../../protocol/project/kinds.ts";
import { AnyKind, Id, projectId, When } from "./fields.ts";

const ids = z.array(Id);

export const ListInput = z.object({
  project_id: z.string().optional().describe("Default: the project of this thread; all: every project"),
  kinds: z.array(AnyKind).max(20).optional(),
  states: z.array(z.string()).max(12).optional(),
  open: z.boolean().optional().describe("Only entities that are not ended"),
  overdue: z.boolean().optional(),
  words: z.string().optional().describe("Title or body must contain all of these words or word beginnings"),
  from: When.optional().describe("Only entities with dates after this"),
  to: When.optional(),
  parent_id: Id.optional().describe("Direct children of this; root: entities without a parent"),
  sort: z.enum(["updated", "due", "priority", "title", "position"]).optional(),
  limit: z.int().min(1).max(100).optional(),
  cursor: z.string().optional().describe("`next` of the previous result"),
});

export const GetInput = z.object({
  project_id: projectId,
  ids: ids.max(20).optional().describe("Default: the thread's focus, else the project itself"),
  tree: z.boolean().optional().describe("The tree of documents, or of the descendants of the first id"),
  graph: z
    .int()
    .min(1)
    .max(3)
    .optional()
    .describe("Links around the first id, or the most linked entities of the project, to this depth"),
  activity: z.boolean().optional().describe("Recent changes and their authors"),
});

const sharedFields = {
  body: z.string().optional().describe("Markdown; for a project, its description"),
  state: z.string().optional(),
  priority: z.enum(priorities).optional(),
};
const instructions = z.string().optional().describe("Of a project: given to you in all of its threads");

const Link = z.object({ relation: z.string(), to: Id.optional(), from: Id.optional() });
export const Addition = z.object({
  ref: z
    .string()
    .optional()
    .describe("A name that other entities of this call can use in parent_id, after, to or from"),
  kind: AnyKind,
  title: z.string(),
  ...sharedFields,
  instructions,
  starts: When.optional(),
  ends: When.optional().describe("End or due date"),
  parent_id: Id.optional(),
  after: Id.optional().describe("The sibling it follows; default: last"),
  links: z.array(Link).max(50).optional(),
});
export const CreateInput = z.object({ project_id: projectId, entities: z.array(Addition).min(1).max(100) });

const Edit = z.object({ old: z.string(), new: z.string() });
export const Update = z.object({
  id: Id,
  version: z.int().optional().describe("Fails if the current version differs"),
  title: z.string().optional(),
  ...sharedFields,
  append: z.string().optional().describe("Added to the body"),
  edit: Edit.optional().describe("Of the body: `old` must occur exactly once"),
  instructions,
  starts: When.nullable().optional(),
  ends: When.nullable().optional(),
  parent_id: Id.nullable().optional().describe("Moves it; null: to the top"),
  after: Id.nullable().optional().describe("Moves it after this sibling; null: first"),
});
export const UpdateInput = z.object({ project_id: projectId, updates: z.array(Update).min(1).max(100) });

const Edge = z.object({ from: Id, relation: z.string(), to: Id });
export const LinkInput = z.object({
  project_id: projectId,
  links: z.array(Edge).min(1).max(100),
  remove: z.boolean().optional().describe("Unlink"),
});

export const DeleteInput = z.object({ project_id: projectId, ids: ids.min(1).max(100) });
