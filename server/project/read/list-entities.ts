import type { Query } from "../../../protocol/api.ts";
import { ApiError } from "../../../protocol/errors.ts";
import type { EntityLine } from "../../../protocol/project/project.ts";
import { toTerms } from "../../rank/terms.ts";
import type { Reads } from "../../store/contract.ts";
import { toLine } from "./views.ts";

export type EntityQuery = Query<"listEntities">;
export type EntityList = {
  readonly entities: EntityLine[];
  readonly total: number;
  readonly nextCursor: string | null;
};

/** What fits, a page at a time. A cursor stands for a place, not for a row: what comes or goes meanwhile moves nothing else. */
export async function listEntities(
  reads: Pick<Reads, "entityPage" | "entityTotal">,
  project: string,
  { kind, state, open, parentId, q, from, to, sort, cursor, limit }: EntityQuery,
): Promise<EntityList> {
  const terms = q === undefined ? undefined : [...new Set(toTerms(q))].slice(0, MOST_TERMS);
  if (q !== undefined && q.trim() !== "" && terms?.length === 0) return { entities: [], total: 0, nextCursor: null };
  const filter = {
    project,
    kind,
    state,
    ended: open === undefined ? undefined : open === "false",
    parent: parentId === ROOT ? null : parentId,
    terms,
    from,
    to,
  };
  const after = cursor === undefined ? null : parseCursor(cursor, sort);
  const rows = await reads.entityPage(filter, { sort, after, limit: limit + 1 });
  const isWhole = after === null && rows.length <= limit;
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return {
    entities: page.map(toLine),
    total: isWhole ? rows.length : await reads.entityTotal(filter),
    nextCursor: last ? toCursor(sort, [last.key0, last.key1, last.id]) : null,
  };
}

const ROOT = "root";
const MOST_TERMS = 16;

type Keys = readonly [string | number, string | number, string];

const toCursor = (sort: string, keys: Keys): string =>
  Buffer.from(JSON.stringify([sort, ...keys])).toString("base64url");

function parseCursor(cursor: string, sort: string): Keys {
  const [of, first, second, id] = parse(cursor);
  const isKey = (value: unknown) => (sort === "title" ? typeof value === "string" : typeof value === "number");
  if (of === sort && isKey(first) && typeof second === "number" && typeof id === "string") {
    return [first as string | number, second, id];
  }
  throw new ApiError("invalid", "This cursor is not one of ours, or of another order: start again without it.");
}

function parse(cursor: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
