import type { z } from "zod";
import type { EntityOp } from "../../../protocol/project/project.ts";
import { toEntityId } from "./entity-id.ts";
import type { Addition } from "./inputs.ts";
import { parseMoment } from "./moments.ts";

type Entity = z.infer<typeof Addition>;

/** Create operations, parents before children, then the links. Ids are derived from `key`. */
export function toCreateOps(entities: readonly Entity[], key: string): readonly EntityOp[] {
  const numbered = entities.map((entity, at) => ({ entity, id: toEntityId(key, at, entity.kind) }));
  const byRef = new Map<string, string>();
  for (const { entity, id } of numbered) {
    if (entity.ref === undefined) continue;
    if (byRef.has(entity.ref)) throw new Error(`The ref "${entity.ref}" is used twice. Give each entity its own ref.`);
    byRef.set(entity.ref, id);
  }
  const idOf = (named: string): string => byRef.get(named) ?? named;
  const creates = numbered.map(({ entity, id }) => toCreate(entity, id, idOf));
  const links = numbered.flatMap(({ entity, id }) => (entity.links ?? []).map((link) => toLink(link, id, idOf)));
  return [...inOrder(creates), ...links];
}

type Create = Extract<EntityOp, { do: "create" }>;

function toCreate(entity: Entity, id: string, idOf: (named: string) => string): Create {
  const { kind, title, body, state, priority, starts, ends, parent_id: parent, after } = entity;
  return {
    do: "create",
    id,
    kind,
    title,
    parentId: parent === undefined ? null : idOf(parent),
    ...(after === undefined ? {} : { after: idOf(after) }),
    ...(body === undefined ? {} : { body }),
    ...(state === undefined ? {} : { state }),
    ...(priority === undefined ? {} : { priority }),
    ...(starts === undefined ? {} : { startsAt: parseMoment(starts, "start") }),
    ...(ends === undefined ? {} : { endsAt: parseMoment(ends, "end") }),
  };
}

function toLink(link: NonNullable<Entity["links"]>[number], id: string, idOf: (named: string) => string): EntityOp {
  const { relation, to, from } = link;
  if ((to === undefined) === (from === undefined)) throw new Error("Give a link either `to` or `from`, not both.");
  const [sourceId, targetId] = from === undefined ? [id, idOf(to ?? "")] : [idOf(from), id];
  return { do: "link", sourceId, targetId, relation };
}

/** Sorts entities after their parent and the sibling they follow. */
function inOrder(creates: readonly Create[]): readonly Create[] {
  const own = new Set(creates.map(({ id }) => id));
  const placed = new Set<string>();
  const sorted: Create[] = [];
  for (let rest = creates; rest.length > 0;) {
    const isFree = (id: string | null | undefined): boolean => !id || !own.has(id) || placed.has(id);
    const next = rest.find(({ parentId, after }) => isFree(parentId) && isFree(after));
    if (!next) throw new Error("parent_id and after form a cycle. Remove one of the references.");
    sorted.push(next);
    placed.add(next.id);
    rest = rest.filter((one) => one !== next);
  }
  return sorted;
}
