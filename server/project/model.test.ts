import fc from "../../test/support/fast-check.ts";
import { beforeAll, expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import type { Act, EntityOp } from "../../protocol/project/project.ts";
import { applyAll, emptyWorld, RefusedError, undoActs, withPlaces } from "../../test/support/project/project-model.ts";
import type { DoneAct, World } from "../../test/support/project/project-model.ts";
import { describeStores } from "../../test/support/stores.ts";
import { put, rows } from "../../test/support/store-rows.ts";
import { systemClock } from "../lib/clock.ts";
import { createLog, type Log } from "../log/log.ts";
import { commitAct, createProjects, planOps, type Projects } from "./project.ts";

const runs = process.env["STONECHAT_DEEP"] === "1" ? 400 : 15;
const ann = { userId: "ann" };
const pool = Array.from({ length: 9 }, (_, n) => `e${n}`);
const id = fc.constantFrom(...pool);
const place = {
  parentId: fc.option(id, { freq: 2 }),
  after: fc.oneof(fc.constant(undefined), fc.constant(null), id),
};
const stamp = fc.constantFrom(null, 10, 20, 30);
const set = {
  title: fc.constantFrom("One", "Zwei", "Тri", "四"),
  body: fc.option(fc.constantFrom("", "a text", "another"), { nil: undefined }),
  state: fc.constantFrom(undefined, undefined, undefined, undefined, "open", "draft", "done"),
  priority: fc.option(fc.constantFrom("none" as const, "high" as const), { nil: undefined }),
  startsAt: fc.option(stamp, { nil: undefined, freq: 1 }),
  endsAt: fc.option(stamp, { nil: undefined, freq: 1 }),
};
const ends = { sourceId: id, targetId: id, relation: fc.constantFrom("supports", "blocks") };
const named = <D extends EntityOp["do"]>(word: D) => fc.constant(word);

/** A version is filled in when it is known; one in ten is an old one. */
const version = fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 0, 0, -1);
const arbitraryOp = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: named("create"), id, kind: fc.constantFrom("task", "document"), ...set, ...place }),
  },
  { weight: 3, arbitrary: fc.record({ do: named("update"), id, version, ...set }) },
  { weight: 3, arbitrary: fc.record({ do: named("move"), id, version, ...place }) },
  { weight: 2, arbitrary: fc.record({ do: named("delete"), id, version }) },
  { weight: 3, arbitrary: fc.record({ do: named("link"), ...ends }) },
  { weight: 1, arbitrary: fc.record({ do: named("unlink"), ...ends }) },
) as fc.Arbitrary<EntityOp>;

const ops = fc.oneof(
  { weight: 3, arbitrary: fc.array(arbitraryOp, { minLength: 1, maxLength: 1 }) },
  { weight: 2, arbitrary: fc.array(arbitraryOp, { minLength: 2, maxLength: 4 }) },
);
/** One in six acts uses random ids; the others mostly use existing ones. */
const wild = fc.constantFrom(true, false, false, false, false, false);
const run = fc.constantFrom(null, "r1", "r2");
const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("act" as const), ops, run, wild }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("undo" as const), nth: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("undo-run" as const), run: fc.constantFrom("r1", "r2") }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rename" as const), name: fc.constantFrom("House", "Home") }) },
);
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

describeStores("random acts, undos and redos", (bench) => {
  let log: Log;
  beforeAll(async () => {
    await put(bench.store(), { do: "put", table: "users", row: rows.user("ann") });
    log = createLog({ store: bench.store(), clock: systemClock, onError: () => {} });
    return () => log.close();
  });

  test("give the same state as a simple model, and fail where it fails", async () => {
    const counts: Record<string, number> = {};
    const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 20, maxLength: 40, size: "max" }), async (commands) => {
        const projects = createProjects({ store: bench.store(), log, clock: systemClock });
        const projectId = bench.id("project");
        await projects.create(ann, { id: projectId, name: emptyWorld.name, description: "", instructions: "" });
        await play(
          { projects, projectId, log, read: bench.store().read, newId: () => bench.id("act"), count },
          commands,
        );
      }),
      { numRuns: runs },
    );
    for (const what of [
      "act",
      "undo",
      "redo",
      "undo-run",
      "rename",
      "refused act",
      "refused undo",
      "refused undo-run",
    ]) {
      expect(counts, what).toHaveProperty([what]);
    }
    for (const why of ["stale", "gone", "itself", "changed since", "taken back already"]) {
      expect(counts, why).toHaveProperty([why]);
    }
  }, 600_000);
});

type Stage = {
  readonly projects: Projects;
  readonly projectId: string;
  readonly log: Log;
  readonly read: Parameters<typeof planOps>[0];
  readonly newId: () => string;
  readonly count: (what: string) => void;
};

async function play(stage: Stage, commands: readonly Command[]): Promise<void> {
  const { projects, projectId, newId, count } = stage;
  let world: World = emptyWorld;
  const versions = new Map<string, number>();
  const done: DoneAct[] = [];
  const undone = new Map<string, readonly string[]>();
  const isUndone = new Map<string, boolean>();
  const mark = (ids: readonly string[], flag: boolean): void => {
    for (const one of ids) {
      isUndone.set(one, flag);
      mark(undone.get(one) ?? [], !flag);
    }
  };

  const tryBoth = async (what: string, expected: () => World, real: () => Promise<Act>, by: string | null) => {
    const predicted = attempt(expected);
    const seq = (await projects.get(ann, projectId)).seq;
    const act = await real().catch((error: unknown) => {
      if (error instanceof ApiError && error.code !== "busy") return error.message;
      throw error;
    });
    const isRefused = typeof act === "string";
    expect({ what, refused: isRefused, why: act }).toMatchObject({ refused: typeof predicted === "string" });
    count(isRefused ? `refused ${what}` : what);
    if (typeof predicted === "string") count(predicted);
    if (isRefused || typeof predicted === "string") return undefined;
    const after = withPlaces(predicted, act.changes, act.seq);
    if (act.seq > seq) done.push({ id: act.id, before: world, after, run: by });
    world = after;
    return act;
  };

  for (const [n, command] of commands.entries()) {
    if (command.do === "act") {
      const meant = command.wild ? command.ops : command.ops.map((op) => toLikely(op, world, newId));
      const known = meant.map((op): EntityOp =>
        "version" in op ? { ...op, version: (versions.get(op.id) ?? 1) + op.version } : op,
      );
      const author = { by: command.run ? "run" : "person", threadId: null, runId: command.run } as const;
      const request = { userId: "ann", projectId, id: newId(), input: known, author, untrusted: [], now: Date.now() };
      await tryBoth(
        "act",
        () => applyAll(world, known, (one) => versions.get(one) ?? 1),
        async () => (await commitAct(stage.log, () => planOps(stage.read, request, known))).act,
        command.run,
      );
    } else if (command.do === "rename") {
      const { version: current } = await projects.get(ann, projectId);
      const body = { id: newId(), version: current, name: command.name };
      const real = async () => {
        await projects.change(ann, projectId, body);
        return (await projects.getAct(ann, projectId, body.id)).act;
      };
      if (command.name !== world.name) await tryBoth("rename", () => ({ ...world, name: command.name }), real, null);
    } else {
      const isRun = command.do === "undo-run";
      const chosen = isRun
        ? done.filter((one) => one.run === command.run && isUndone.get(one.id) !== true).toReversed()
        : done.slice(command.nth % Math.max(1, done.length)).slice(0, 1);
      const isKnown = !isRun || done.some((one) => one.run === command.run);
      if (chosen.length === 0 && !(isRun && isKnown)) continue;
      const expected = () => {
        if (chosen.length === 0) throw new RefusedError("nothing left");
        if (chosen.some((one) => isUndone.get(one.id))) throw new RefusedError("taken back already");
        return undoActs(world, chosen);
      };
      const real = async () =>
        isRun
          ? (await projects.undoRun(ann, projectId, command.run, newId())).act
          : (await projects.undoAct(ann, projectId, chosen[0]!.id, newId())).act;
      const isRedo = !isRun && undone.has(chosen[0]!.id);
      const act = await tryBoth(isRedo ? "redo" : command.do, expected, real, null);
      if (act) {
        const ids = chosen.map((one) => one.id);
        mark(ids, true);
        undone.set(act.id, ids);
      }
    }
    await compareList(stage, world, versions);
    if (n % 5 === 4) await compareWhole(stage, world);
  }
  await compareWhole(stage, world);
  const { acts } = await projects.listActs(ann, projectId, { limit: 200 });
  const flags = acts.filter((act) => act.id !== projectId).map((act) => [act.id, act.undone]);
  expect(flags).toEqual(done.toReversed().map((one) => [one.id, isUndone.get(one.id) === true]));
}

/** The same op about something that is there, or that is new. */
function toLikely(op: EntityOp, { things }: World, newId: () => string): EntityOp {
  const living = [...things].filter(([, { deleted }]) => !deleted);
  if (living.length < 3) return { do: "create", id: newId(), kind: "task", title: "First", parentId: null };
  const pick = (one: string, from = living): string => from[pool.indexOf(one) % from.length]?.[0] ?? one;
  if (op.do === "link" || op.do === "unlink") {
    return { ...op, sourceId: pick(op.sourceId), targetId: pick(op.targetId) };
  }
  const own = op.do !== "create" ? pick(op.id) : things.has(op.id) ? newId() : op.id;
  if (op.do === "update" || op.do === "delete") return { ...op, id: own };
  const parentId = op.parentId === null ? null : pick(op.parentId);
  const siblings = living.filter(([one, thing]) => thing.parentId === parentId && one !== own);
  const after = op.after && (siblings.length === 0 ? null : pick(op.after, siblings));
  return { ...op, id: own, parentId, after };
}

function attempt(expected: () => World): World | string {
  try {
    return expected();
  } catch (error) {
    if (error instanceof RefusedError) return error.message;
    throw error;
  }
}

/** The project as the list endpoints return it. Records versions and checks that they only increase. */
async function compareList({ projects, projectId }: Stage, world: World, versions: Map<string, number>): Promise<void> {
  const { entities } = await projects.listEntities(ann, projectId, { sort: "position", limit: 500 });
  for (const { id: one, version: current } of entities) {
    expect(current).toBeGreaterThanOrEqual(versions.get(one) ?? 1);
    versions.set(one, current);
  }
  const seen = entities.map(({ id: one, kind, title, excerpt: body, state, priority, startsAt, endsAt, parentId }) => [
    one,
    { kind, title, body, state, priority, startsAt, endsAt, parentId },
  ]);
  const wanted = livingOf(world).map(([one, { deleted: _, place: __, ...thing }]) => [one, thing]);
  expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(wanted));
  expect((await projects.get(ann, projectId)).name).toBe(world.name);
}

/** Everything else that can be seen of it: texts, paths, what is below, links. */
async function compareWhole({ projects, projectId }: Stage, world: World): Promise<void> {
  const living = livingOf(world);
  const isLiving = new Set(living.map(([one]) => one));
  const shown = [...world.links].filter((key) => {
    const [source, , target] = key.split(" ") as [string, string, string];
    return isLiving.has(source) && isLiving.has(target);
  });
  for (const [one, { body, parentId }] of living) {
    const { entity, links, children, path } = await projects.openEntity(ann, projectId, one);
    const keys = links.map(({ edge }) => `${edge.sourceId} ${edge.relation} ${edge.targetId}`);
    expect({
      body: entity.body,
      parentId: path.at(-1)?.id ?? null,
      keys: keys.sort(),
      below: children.map((child) => child.id).sort(),
    }).toEqual({
      body,
      parentId,
      keys: shown.filter((key) => key.startsWith(`${one} `) || key.endsWith(` ${one}`)).sort(),
      below: living.flatMap(([child, thing]) => (thing.parentId === one ? [child] : [])).sort(),
    });
  }
  const { totals } = await projects.graph(ann, projectId, { depth: 1, limit: 10 });
  expect(totals).toEqual({ entities: living.length, edges: shown.length });
}

const livingOf = ({ things }: World) => [...things].filter(([, { deleted }]) => !deleted);
