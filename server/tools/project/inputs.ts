import { z } from "zod";
import { priorities } from "../../../protocol/project/kinds.ts";
import { AnyKind, Id, projectId, When } from "./fields.ts";

const ids = z.array(Id);

export const ListInput = z.object({
  project_id: z.string().optional().describe("Default: the project of this thread; all: every project"),
  kinds: z.array(AnyKind).max(20).optional(),
  states: z.array(z.string()).max(12).optional(),
  open: z.boolean().optional().describe("Only what is not ended"),
  overdue: z.boolean().optional(),
  words: z.string().optional().describe("All of these, or beginnings of them, stand in title or body"),
  from: When.optional().describe("Only what touches the time from here"),
  to: When.optional(),
  parent_id: Id.optional().describe("Directly below this; root: what has no parent"),
  sort: z.enum(["updated", "due", "priority", "title", "position"]).optional(),
  limit: z.int().min(1).max(100).optional(),
  cursor: z.string().optional().describe("`next` of the answer before"),
});

export const GetInput = z.object({
  project_id: projectId,
  ids: ids.max(20).optional().describe("Left out: the thread's focus, else the project itself"),
  tree: z.boolean().optional().describe("The tree of documents, or what is below the first id"),
  graph: z
    .int()
    .min(1)
    .max(3)
    .optional()
    .describe("What is linked around the first id, or most in the project, this deep"),
  activity: z.boolean().optional().describe("What was done to it lately, by whom"),
});

const written = {
  body: z.string().optional().describe("Markdown; of a project, its description"),
  state: z.string().optional(),
  priority: z.enum(priorities).optional(),
};
const instructions = z.string().optional().describe("Of a project: told to you in all of its threads");

const Link = z.object({ relation: z.string(), to: Id.optional(), from: Id.optional() });
export const Addition = z.object({
  ref: z.string().optional().describe("A name by which others of this call say parent_id, to or from"),
  kind: AnyKind,
  title: z.string(),
  ...written,
  instructions,
  starts: When.optional(),
  ends: When.optional().describe("End, or when it is due"),
  parent_id: Id.optional(),
  after: Id.optional().describe("The sibling it follows; default: last"),
  links: z.array(Link).max(50).optional(),
});
export const CreateInput = z.object({ project_id: projectId, entities: z.array(Addition).min(1).max(100) });

const Edit = z.object({ old: z.string(), new: z.string() });
export const Update = z.object({
  id: Id,
  version: z.int().optional().describe("Refused if it has another by now"),
  title: z.string().optional(),
  ...written,
  append: z.string().optional().describe("Added to the body"),
  edit: Edit.optional().describe("Of the body: `old` stands there exactly once"),
  instructions,
  starts: When.nullable().optional(),
  ends: When.nullable().optional(),
  parent_id: Id.nullable().optional().describe("Moves it; null: to the top"),
  after: Id.nullable().optional().describe("Moves it behind this sibling; null: first"),
});
export const UpdateInput = z.object({ project_id: projectId, updates: z.array(Update).min(1).max(100) });

const Edge = z.object({ from: Id, relation: z.string(), to: Id });
export const LinkInput = z.object({
  project_id: projectId,
  links: z.array(Edge).min(1).max(100),
  remove: z.boolean().optional().describe("Unlink"),
});

export const DeleteInput = z.object({ project_id: projectId, ids: ids.min(1).max(100) });
