import type { Change, EntityOp } from "../../../protocol/project/project.ts";
import { findKind, type Priority } from "../../../protocol/project/kinds.ts";

/** A simple reference model of a project: full states before and after each act, and undo as their difference. */
export type ModelEntity = {
  readonly kind: string;
  readonly title: string;
  readonly body: string;
  readonly state: string;
  readonly priority: Priority;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  readonly parentId: string | null;
  readonly deleted: boolean;
  /** Changes whenever its position among its siblings changes. */
  readonly place: number;
};
export type World = {
  readonly name: string;
  readonly things: ReadonlyMap<string, ModelEntity>;
  readonly links: ReadonlySet<string>;
};
export type DoneAct = {
  readonly id: string;
  readonly before: World;
  readonly after: World;
  readonly run: string | null;
};

export class RefusedError extends Error {}

const refuse = (why: string): never => {
  throw new RefusedError(why);
};

export const emptyWorld: World = { name: "House", things: new Map(), links: new Set() };

type Versions = (id: string) => number;

/** The state after these operations; throws `RefusedError` if they must be refused. */
export function applyAll(world: World, ops: readonly EntityOp[], versionOf: Versions): World {
  const things = new Map(world.things);
  const links = new Set(world.links);
  const living = (id: string): ModelEntity => {
    const thing = things.get(id);
    return thing && !thing.deleted ? thing : refuse("gone");
  };
  const seen = (id: string, version: number): ModelEntity => {
    const thing = living(id);
    return (world.things.has(id) ? versionOf(id) : 1) === version ? thing : refuse("stale");
  };
  const checkAfter = (parentId: string | null, after: string | null | undefined, self: string): void => {
    if (after === null || after === undefined) return;
    const thing = things.get(after);
    if (!thing || thing.deleted || thing.parentId !== parentId || after === self) refuse("not a sibling");
  };
  for (const op of ops) {
    if (op.do === "create") {
      if (things.has(op.id)) refuse("taken");
      if (op.parentId !== null) living(op.parentId);
      checkAfter(op.parentId, op.after, op.id);
      const blank = { kind: op.kind, body: "", priority: "none", startsAt: null, endsAt: null } as const;
      const state = findKind(op.kind)!.states[0]!;
      things.set(op.id, write({ ...blank, state, title: "", parentId: op.parentId, deleted: false, place: 0 }, op));
    } else if (op.do === "update") things.set(op.id, write(seen(op.id, op.version), op));
    else if (op.do === "move") {
      const thing = seen(op.id, op.version);
      for (let id = op.parentId; id !== null; id = living(id).parentId) if (id === op.id) refuse("circle");
      checkAfter(op.parentId, op.after, op.id);
      things.set(op.id, { ...thing, parentId: op.parentId });
    } else if (op.do === "delete") {
      const all = [op.id];
      seen(op.id, op.version);
      for (const id of all) {
        all.push(...[...things].flatMap(([child, one]) => (one.parentId === id && !one.deleted ? [child] : [])));
        things.set(id, { ...things.get(id)!, deleted: true });
      }
    } else {
      living(op.sourceId);
      living(op.targetId);
      const key = `${op.sourceId} ${op.relation} ${op.targetId}`;
      if (op.do === "unlink") links.delete(key);
      else if (op.sourceId === op.targetId) refuse("itself");
      else links.add(key);
    }
  }
  for (const [id, thing] of things) if (thing.deleted && !world.things.has(id)) things.delete(id);
  return { ...world, things, links: new Set([...links].filter((key) => areKnown(key, things))) };
}

/** A link to an entity that was created and deleted in the same act never existed. */
const areKnown = (key: string, things: ReadonlyMap<string, ModelEntity>): boolean => {
  const [source, , target] = key.split(" ") as [string, string, string];
  return things.has(source) && things.has(target);
};

function write(thing: ModelEntity, op: Extract<EntityOp, { do: "create" | "update" }>): ModelEntity {
  const { title, body, state, priority, startsAt, endsAt } = op;
  const given = Object.entries({ title, body, state, priority, startsAt, endsAt }).filter(
    ([, value]) => value !== undefined,
  );
  const next = { ...thing, ...Object.fromEntries(given) } as ModelEntity;
  if (!findKind(next.kind)!.states.includes(next.state)) refuse("no such state");
  if (next.startsAt !== null && next.endsAt !== null && next.endsAt < next.startsAt) refuse("ends before it starts");
  return next;
}

/** Applies the positions that an act changed. */
export function withPlaces(world: World, changes: readonly Change[], token: number): World {
  const things = new Map(world.things);
  for (const { what, id, before, after } of changes) {
    const thing = things.get(id);
    if (what === "entity" && thing && before && after && "position" in after)
      things.set(id, { ...thing, place: token });
  }
  return { ...world, things };
}

/** Undoes acts, newest first; everything an act changed must be unchanged since. */
export function undoActs(world: World, acts: readonly DoneAct[]): World {
  const result = acts.reduce(takeOneBack, world);
  for (const { parentId, deleted } of result.things.values()) {
    if (!deleted && parentId !== null && result.things.get(parentId)?.deleted !== false) refuse("has no position");
  }
  for (const id of result.things.keys()) {
    const passed = new Set<string>();
    for (let at: string | null = id; at !== null; at = result.things.get(at)?.parentId ?? null) {
      if (passed.has(at)) refuse("circle");
      passed.add(at);
    }
  }
  return result;
}

function takeOneBack(world: World, { before, after }: DoneAct): World {
  const things = new Map(world.things);
  const links = new Set(world.links);
  let { name } = world;
  if (before.name !== after.name) name = name === after.name ? before.name : refuse("renamed since");
  for (const [id, left] of after.things) {
    const was = before.things.get(id);
    if (was && was.deleted === left.deleted && fieldNames.every((field) => was[field] === left[field])) continue;
    const now = things.get(id) ?? refuse("gone");
    const isMade = was === undefined || was.deleted;
    if (!left.deleted && isMade) {
      // It was created: it must be unchanged, and is removed.
      if (now.deleted || !isSame(now, left)) refuse("changed since");
      things.set(id, { ...now, deleted: true });
    } else if (left.deleted && !isMade) {
      if (!now.deleted) refuse("exists again");
      things.set(id, { ...now, deleted: false });
    } else if (was && !left.deleted) {
      if (now.deleted) refuse("deleted since");
      const differing = fieldNames.filter((field) => was[field] !== left[field]);
      if (differing.some((field) => field !== "place" && now[field] !== left[field])) refuse("changed since");
      const back = Object.fromEntries(differing.map((field) => [field, was[field]]));
      const next = { ...now, ...back } as ModelEntity;
      if (next.startsAt !== null && next.endsAt !== null && next.endsAt < next.startsAt)
        refuse("ends before it starts");
      things.set(id, next);
    }
  }
  for (const key of new Set([...before.links, ...after.links])) {
    if (before.links.has(key) === after.links.has(key)) continue;
    if (links.has(key) !== after.links.has(key)) refuse("changed since");
    if (before.links.has(key)) links.add(key);
    else links.delete(key);
  }
  return { name, things, links };
}

const fieldNames = ["title", "body", "state", "priority", "startsAt", "endsAt", "parentId", "place"] as const;

const isSame = (a: ModelEntity, b: ModelEntity): boolean =>
  fieldNames.every((field) => field === "place" || a[field] === b[field]);
