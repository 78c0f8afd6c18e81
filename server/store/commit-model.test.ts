import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import { userStream, type StreamName } from "../../protocol/ids.ts";
import { batch, event, rows } from "../../test/support/store-rows.ts";
import { describeStores } from "../../test/support/stores.ts";
import type { Batch, BatchResult, Write } from "./contract.ts";

const RUNS = process.env["STONECHAT_DEEP"] === "1" ? 1_000 : 60;
/** A step's deltas come after the seq at which it started. */
const KEPT = 2;
const NAMES = ["a", "b", "c"] as const;
type Name = (typeof NAMES)[number];

/** Description of a batch: its fence, its events, and whether one of its rows is rejected. */
type Plan = {
  readonly fence: { readonly name: Name; readonly epoch: number; readonly lease: "check" | "take" | "release" } | null;
  readonly adds: readonly Name[];
  readonly revoke: Name | null;
  readonly write: "none" | "good" | "duplicate" | "missing" | "settle";
  readonly transient: boolean;
};

const plan = fc.record<Plan>({
  fence: fc.option(
    fc.record({
      name: fc.constantFrom(...NAMES),
      epoch: fc.integer({ min: 0, max: 3 }),
      lease: fc.constantFrom("check" as const, "take" as const, "release" as const),
    }),
  ),
  adds: fc.array(fc.constantFrom(...NAMES), { maxLength: 4 }),
  revoke: fc.option(fc.constantFrom(...NAMES), { freq: 6 }),
  write: fc.oneof(
    { weight: 6, arbitrary: fc.constant("none" as const) },
    { weight: 2, arbitrary: fc.constantFrom("good" as const, "duplicate" as const, "missing" as const) },
    { weight: 2, arbitrary: fc.constant("settle" as const) },
  ),
  transient: fc.boolean(),
});

type Row = { seq: number; body: string; transient: boolean };
type State = { head: number; epoch: number; held: boolean; rows: Row[] };
type World = Map<Name, State>;

const copy = (world: World): World => new Map([...world].map(([name, s]) => [name, { ...s, rows: [...s.rows] }]));

/** A simple reference implementation of the contract. */
function applyPlan(world: World, { fence, adds, revoke, write, transient }: Plan, body: string): [World, BatchResult] {
  const next = copy(world);
  const own = fence ? next.get(fence.name) : undefined;
  if (fence) {
    if (!own || own.epoch !== fence.epoch) return [world, { ok: false, why: "fenced" }];
    if (fence.lease === "take" && own.held) return [world, { ok: false, why: "fenced" }];
    if (fence.lease === "take") Object.assign(own, { epoch: own.epoch + 1, held: true });
    if (fence.lease === "release") own.held = false;
  }
  if (write === "duplicate") return [world, { ok: false, why: "conflict" }];
  if (write === "missing") return [world, { ok: false, why: "missing" }];
  const epoch = own?.epoch ?? null;
  if (write === "settle" && own) own.rows = own.rows.filter((row) => !row.transient || row.seq <= KEPT);
  const seqs = adds.map((name) => {
    const state = next.get(name) ?? { head: 0, epoch: 0, held: false, rows: [] };
    next.set(name, state);
    state.head += 1;
    state.rows.push({ seq: state.head, body, transient });
    return state.head;
  });
  const voided = revoke ? next.get(revoke) : undefined;
  if (voided) Object.assign(voided, { epoch: voided.epoch + 1, held: false });
  return [next, { ok: true, seqs, epoch }];
}

describeStores("random commits", ({ store, id }) => {
  test("give the same results and rows as the reference implementation", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(plan, { maxLength: 6 }), { maxLength: 8 }), async (flushes) => {
        const world = id("world");
        const streamOf = (name: Name): StreamName => userStream(`${world}-${name}`);
        const taken = id("user");
        await store().commit([batch({ writes: [{ do: "insert", table: "users", row: rows.user(taken) }] })]);
        const toBatch = ({ fence, adds, revoke, write, transient }: Plan, body: string): Batch => ({
          events: adds.map((name) => ({ ...event(streamOf(name), body), transient })),
          writes: toWrites(write, taken, id("user"), fence && streamOf(fence.name)),
          ...(revoke && { revoke: streamOf(revoke) }),
          ...(fence && {
            fence: {
              stream: streamOf(fence.name),
              epoch: fence.epoch,
              ...(fence.lease === "take" && { acquire: { holder: world, ttlMs: 600_000 } }),
              ...(fence.lease === "release" && { release: true as const }),
            },
          }),
        });
        let expected: World = new Map();
        for (const [n, plans] of flushes.entries()) {
          const wanted = plans.map((one, at) => {
            const [next, result] = applyPlan(expected, one, `"${n}.${at}"`);
            expected = next;
            return result;
          });
          const results = await store().commit(plans.map((one, at) => toBatch(one, `"${n}.${at}"`)));
          expect(results).toEqual(wanted);
          refused += results.filter(({ ok }) => !ok).length;
        }
        for (const name of NAMES) {
          const state = expected.get(name);
          const stored = await store().read.events(streamOf(name), 0, 1_000);
          expect(stored).toEqual((state?.rows ?? []).map(({ seq, body }) => ({ seq, body })));
          expect(await store().read.lease(streamOf(name))).toEqual({
            epoch: state?.epoch ?? 0,
            head: state?.head ?? 0,
            free: !state?.held,
          });
        }
      }),
      { numRuns: RUNS },
    );
    expect(refused).toBeGreaterThan(RUNS);
  });
});

function toWrites(write: Plan["write"], taken: string, fresh: string, own: StreamName | null): readonly Write[] {
  switch (write) {
    case "none":
      return [];
    case "settle":
      return own ? [{ do: "delete", table: "events", where: { stream: own, transient: 1, seq: { gt: KEPT } } }] : [];
    case "good":
      return [{ do: "insert", table: "users", row: rows.user(fresh) }];
    case "duplicate":
      return [{ do: "insert", table: "users", row: rows.user(taken) }];
    case "missing":
      return [{ do: "insert", table: "threads", row: rows.thread({ id: fresh, owner: `${fresh}-nobody` }) }];
  }
}
