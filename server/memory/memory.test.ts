import { expect, onTestFinished, test } from "vitest";
import type { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import { createLog, type Log } from "../log/log.ts";
import { describeStores, type StoreFixture } from "../../test/support/stores.ts";
import { put, rows } from "../../test/support/store-rows.ts";
import { createMemory, planMemory, type Memory } from "./memory.ts";
import type { FieldChange } from "./plan.ts";

describeStores("memory", (bench) => {
  const open = async (): Promise<{ memory: Memory; log: Log; userId: string }> => {
    const userId = bench.id("user");
    await put(bench.store(), { do: "put", table: "users", row: rows.user(userId) });
    const log = openLog(bench);
    onTestFinished(log.close);
    let now = 0;
    const clock = { now: () => (now += 1), monotonic: () => 0 };
    return { memory: createMemory({ store: bench.store(), log, clock }), log, userId };
  };
  const commitPlan = async (log: Log, userId: string, key: string, ...changes: readonly FieldChange[]) => {
    const { read } = bench.store();
    const plan = await planMemory(read, {
      userId,
      key,
      threadId: "t",
      messageId: "m",
      untrusted: [],
      changes,
      now: 1000,
    });
    return { plan, result: await log.commit({ writes: plan.writes, events: plan.events }) };
  };
  const note = (value: string, op: FieldChange["op"] = "append"): FieldChange => ({
    field: "notes",
    op,
    value,
    reason: "told so",
  });

  test("a new user has no memory", async () => {
    const { memory, userId } = await open();
    expect(Object.values(await memory.view(userId))).toEqual(Array.from({ length: 8 }, () => null));
    expect(await memory.history(userId, 10)).toEqual([]);
  });

  test("a committed change is stored with source and reason, and announced in the user's stream", async () => {
    const { memory, log, userId } = await open();
    const { plan, result } = await commitPlan(log, userId, "k", note("plays the oboe"), note("has a cat"));
    expect(result.ok).toBe(true);
    expect(plan.changes).toMatchObject([
      { field: "notes", before: "", after: "plays the oboe" },
      { field: "notes", before: "plays the oboe", after: "plays the oboe\nhas a cat" },
    ]);
    const view = await memory.view(userId);
    expect(view.notes).toMatchObject({ value: "plays the oboe\nhas a cat", changeId: plan.changes[1]!.id });
    expect(await memory.history(userId, 10)).toMatchObject([
      { id: plan.changes[1]!.id, reason: "told so", threadId: "t", messageId: "m", undoable: true, undone: false },
      { id: plan.changes[0]!.id, undoable: false },
    ]);
    const told = await bench.store().read.events(userStream(userId), 0, 10);
    expect(told.map(({ body }) => JSON.parse(body))).toEqual([{ type: "memory-changed", fields: ["notes"] }]);
  });

  test("the same key plans the same change only once", async () => {
    const { memory, log, userId } = await open();
    const first = await commitPlan(log, userId, "k", note("likes tea"));
    const again = await commitPlan(log, userId, "k", note("likes tea"));
    expect(again.plan).toEqual({ changes: first.plan.changes, writes: [], events: [] });
    await expect(commitPlan(log, userId, "k", note("likes wine"))).rejects.toMatchObject({ code: "conflict" });
    expect((await memory.view(userId)).notes?.value).toBe("likes tea");
    expect(await memory.history(userId, 10)).toHaveLength(1);
  });

  test("of two plans on the same state one is committed", async () => {
    const { log, memory, userId } = await open();
    const { read } = bench.store();
    for (const before of ["", "first\n"]) {
      const [one, two] = await Promise.all(
        ["a", "b"].map((key) =>
          planMemory(read, {
            userId,
            key: `${before}${key}`,
            threadId: "t",
            messageId: "m",
            untrusted: [],
            changes: [note(`from ${key}`, "replace")],
            now: 1,
          }),
        ),
      );
      const results = [await log.commit(one!), await log.commit(two!)];
      expect(results.map(({ ok }) => ok)).toEqual([true, false]);
      expect((await memory.view(userId)).notes?.value).toBe("from a");
      await memory.set(userId, { id: bench.id("edit"), field: "notes", value: "reset" });
    }
  });

  test("an undo restores the earlier value, and can be undone", async () => {
    const { memory, log, userId } = await open();
    await commitPlan(log, userId, "k1", note("lives alone"));
    const { plan } = await commitPlan(log, userId, "k2", note("lives with Ann", "replace"));
    const changeId = plan.changes[0]!.id;
    expect((await memory.undo(userId, { id: "u1", changeId })).notes?.value).toBe("lives alone");
    expect((await memory.undo(userId, { id: "u1", changeId })).notes?.value).toBe("lives alone");
    const [undo, undone] = await memory.history(userId, 10).then(byKind);
    expect(undone).toMatchObject({ id: changeId, undone: true, undoable: false });
    expect(undo).toMatchObject({ before: "lives with Ann", after: "lives alone", undoable: true, threadId: null });
    expect((await memory.undo(userId, { id: "u2", changeId: undo!.id })).notes?.value).toBe("lives with Ann");
  });

  test("an undo fails if the field has changed since, and names the current value", async () => {
    const { memory, log, userId } = await open();
    const { plan } = await commitPlan(log, userId, "k1", note("likes tea"));
    await memory.set(userId, { id: "e", field: "notes", value: "likes nothing" });
    const undo = memory.undo(userId, { id: "u", changeId: plan.changes[0]!.id });
    await expect(undo).rejects.toThrow('notes has changed since then and is now "likes nothing". Edit it instead.');
    await expect(undo).rejects.toMatchObject({ code: "conflict" });
    expect((await memory.view(userId)).notes?.value).toBe("likes nothing");
  });

  test("an id of an undo cannot be reused for another", async () => {
    const { memory, log, userId } = await open();
    const one = await commitPlan(log, userId, "k1", note("likes tea"));
    const two = await commitPlan(log, userId, "k2", { field: "name", op: "replace", value: "Ann", reason: "r" });
    await memory.undo(userId, { id: "u", changeId: one.plan.changes[0]!.id });
    const other = memory.undo(userId, { id: "u", changeId: two.plan.changes[0]!.id });
    await expect(other).rejects.toMatchObject({ code: "conflict" });
    expect((await memory.view(userId)).name?.value).toBe("Ann");
  });

  test("a change of another user is not found", async () => {
    const { memory, log, userId } = await open();
    const { plan } = await commitPlan(log, userId, "k", note("a secret of mine"));
    const stranger = bench.id("user");
    await put(bench.store(), { do: "put", table: "users", row: rows.user(stranger) });
    const refusals = await Promise.all(
      [plan.changes[0]!.id, "nothing"].map((changeId) =>
        memory.undo(stranger, { id: "u", changeId }).catch((error: ApiError) => [error.code, error.message]),
      ),
    );
    expect(refusals[0]).toEqual(refusals[1]);
    expect(refusals[0]).toEqual(["not-found", expect.any(String)]);
    expect((await memory.view(userId)).notes?.value).toBe("a secret of mine");
    expect((await memory.view(stranger)).notes).toBeNull();
  });

  test("an edit is applied once under its id, and fails if the field changed before", async () => {
    const { memory, userId } = await open();
    const edit = { id: "e1", field: "location", value: "Lisbon" } as const;
    const { location } = await memory.set(userId, edit);
    expect(await memory.set(userId, edit)).toMatchObject({ location });
    await expect(memory.set(userId, { ...edit, value: "Porto" })).rejects.toMatchObject({ code: "conflict" });
    await memory.set(userId, { id: "e2", field: "location", value: "Porto", was: location!.changeId });
    const late = memory.set(userId, { id: "e3", field: "location", value: "Faro", was: location!.changeId });
    await expect(late).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("Reload it") });
    expect((await memory.view(userId)).location?.value).toBe("Porto");
    expect((await memory.set(userId, { id: "e4", field: "location", value: " " })).location).toBeNull();
  });

  test("concurrent edits are all applied", async () => {
    const { memory, userId } = await open();
    const fields = ["name", "age", "notes", "name", "age", "notes"] as const;
    await Promise.all(fields.map((field, n) => memory.set(userId, { id: `e${n}`, field, value: `value ${n}` })));
    expect(await memory.history(userId, 10)).toHaveLength(6);
    expect((await memory.view(userId)).name?.value).toMatch(/value [03]/);
  });

  test("memory can be exported and forgotten", async () => {
    const { memory, log, userId } = await open();
    await commitPlan(log, userId, "k", note("likes tea"));
    const taken = await memory.export(userId);
    expect(taken).toMatchObject({ memory: { notes: { value: "likes tea" } }, changes: [{ after: "likes tea" }] });
    await memory.forget(userId, { id: "f" });
    expect((await memory.view(userId)).notes).toBeNull();
    expect(await memory.history(userId, 10)).toEqual([]);
    await commitPlan(log, userId, "later", note("likes wine"));
    expect((await memory.view(userId)).notes?.value).toBe("likes wine");
  });
});

const openLog = (bench: StoreFixture): Log =>
  createLog({
    store: bench.store(),
    clock: { now: () => 1, monotonic: () => performance.now() },
    onError: (error) => {
      throw error;
    },
  });

const byKind = <T extends { readonly undone: boolean; readonly reason: string }>(changes: readonly T[]) => [
  changes.find(({ reason }) => reason.startsWith("undo of")),
  changes.find(({ undone }) => undone),
];
