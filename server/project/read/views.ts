import { priorities } from "../../../protocol/project/kinds.ts";
import type { ProjectRole } from "../../../protocol/project/members.ts";
import type { Act, Change, Edge, Entity, EntityLine, Project } from "../../../protocol/project/project.ts";
import type { RowOf } from "../../store/schema.ts";

/** Characters of an entity's text in lists. */
const EXCERPT = 200;

/** `role`: of the user who gets the view, if the project has members. */
export const toProject = (row: RowOf<"projects">, role?: ProjectRole): Project => ({
  id: row.id,
  name: row.name,
  description: row.description,
  instructions: row.instructions,
  archived: row.archived === 1,
  version: row.version,
  seq: row.seq,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  ...(role === undefined ? {} : { role }),
});

/** The columns that every view of an entity needs. */
type EntityRow = Omit<RowOf<"entities">, "body" | "terms" | "deleted" | "ended">;
type LineRow = EntityRow & { readonly body_length: number; readonly excerpt: string };

const toFields = (row: EntityRow): Omit<Entity, "body"> => ({
  id: row.id,
  projectId: row.project,
  kind: row.kind,
  title: row.title,
  state: row.state,
  priority: priorities[row.priority] ?? "none",
  startsAt: row.starts_at,
  endsAt: row.ends_at,
  parentId: row.parent,
  position: row.position,
  version: row.version,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const toEntity = (row: EntityRow & { readonly body: string }): Entity => ({ ...toFields(row), body: row.body });

export const toEntityLine = (row: LineRow): EntityLine => ({
  ...toFields(row),
  bodyLength: row.body_length,
  excerpt: [...row.excerpt.replaceAll(/\s+/g, " ").trim()].slice(0, EXCERPT).join(""),
});

export const toEdge = ({ source, target, relation }: Omit<RowOf<"edges">, "hidden" | "created_at">): Edge => ({
  sourceId: source,
  targetId: target,
  relation,
});

export const toChange = ({ what, target, title, before, after }: RowOf<"changes">): Change => ({
  what,
  id: target,
  title,
  before: parse(before),
  after: parse(after),
});

/** `changes` may include changes of other acts, which are ignored. */
export const toAct = (row: RowOf<"acts">, changes: readonly RowOf<"changes">[]): Act => ({
  id: row.id,
  projectId: row.project,
  seq: row.seq,
  author: { by: row.author, threadId: row.thread, runId: row.run },
  text: row.text,
  changes: changes.filter(({ act }) => act === row.id).map(toChange),
  undone: row.undone === 1,
  undoes: row.undoes,
  createdAt: row.created_at,
});

const parse = (json: string | null): Record<string, unknown> | null =>
  json === null ? null : (JSON.parse(json) as Record<string, unknown>);
