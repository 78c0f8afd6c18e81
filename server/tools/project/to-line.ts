import { priorities } from "../../../protocol/project/kinds.ts";
import type { Edge, EntityLine } from "../../../protocol/project/project.ts";
import type { RowOf } from "../../store/schema.ts";
import { toIso } from "./moments.ts";

type LineInput = Pick<
  EntityLine,
  "id" | "kind" | "title" | "state" | "priority" | "startsAt" | "endsAt" | "parentId" | "version"
> &
  Partial<Pick<EntityLine, "excerpt" | "bodyLength">>;

/** An entity in a list for the model, without empty fields. */
export const toLine = (entity: LineInput) => ({
  id: entity.id,
  kind: entity.kind,
  title: entity.title,
  state: entity.state,
  ...(entity.priority === "none" ? {} : { priority: entity.priority }),
  ...(entity.startsAt === null ? {} : { starts: toIso(entity.startsAt) }),
  ...(entity.endsAt === null ? {} : { ends: toIso(entity.endsAt) }),
  ...(entity.parentId === null ? {} : { parent_id: entity.parentId }),
  version: entity.version,
  ...toExcerpt(entity),
});
type Line = ReturnType<typeof toLine>;

const EXCERPT = 120;

function toExcerpt({ excerpt = "", bodyLength = 0 }: LineInput) {
  const plain = excerpt.replaceAll(/\s+/g, " ").trim();
  if (plain === "") return {};
  if (plain.length <= EXCERPT && excerpt.length >= bodyLength) return { text: plain };
  return { text: `${plain.slice(0, EXCERPT).toWellFormed()}…`, text_length: bodyLength };
}

type Row = Pick<
  RowOf<"entities">,
  "id" | "kind" | "title" | "state" | "priority" | "starts_at" | "ends_at" | "parent" | "version"
> & { readonly excerpt?: string; readonly body_length?: number };

export const fromRow = (row: Row): Line =>
  toLine({
    ...row,
    priority: priorities[row.priority] ?? "none",
    startsAt: row.starts_at,
    endsAt: row.ends_at,
    parentId: row.parent,
    excerpt: row.excerpt ?? "",
    bodyLength: row.body_length ?? 0,
  });

/** A project in a list of entities. */
export const toProjectLine = (row: RowOf<"projects">) => ({
  id: row.id,
  kind: "project",
  title: row.name,
  ...(row.archived === 1 ? { state: "archived" } : {}),
  ...(row.description === "" ? {} : { text: row.description }),
  version: row.version,
});

/** A link seen from one of its ends. */
export const toLink = ({ sourceId, targetId, relation }: Edge, own: string, other: EntityLine) => ({
  relation,
  ...(sourceId === own ? { to: targetId } : { from: sourceId }),
  kind: other.kind,
  title: other.title,
  state: other.state,
});
