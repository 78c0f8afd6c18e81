import { expect, onTestFinished, test } from "vitest";
import type { MemoryField } from "../../protocol/memory.ts";
import { userStream } from "../../protocol/ids.ts";
import { createLog } from "../log/log.ts";
import { put, rows } from "../../test/support/store-rows.ts";
import { describeStores } from "../../test/support/stores.ts";
import { createMemory, planForget, planMemory } from "./memory.ts";
import type { FieldChange } from "./plan.ts";

describeStores("forgetting", (bench) => {
  const open = async () => {
    const userId = bench.id("user");
    await put(bench.store(), { do: "put", table: "users", row: rows.user(userId) });
    let now = 0;
    const clock = { now: () => (now += 1), monotonic: () => performance.now() };
    const onError = (error: unknown) => {
      throw error;
    };
    const log = createLog({ store: bench.store(), clock, onError });
    onTestFinished(log.close);
    const { read } = bench.store();
    const memory = createMemory({ store: bench.store(), log, clock });
    const learn = async (threadId: string, field: MemoryField, value: string, op: FieldChange["op"] = "append") => {
      const changes = [{ field, op, value, reason: `heard in ${threadId}` }];
      const key = bench.id("key");
      const plan = await planMemory(read, {
        userId,
        key,
        threadId,
        messageId: "m",
        untrusted: [],
        changes,
        now: clock.now(),
      });
      expect((await log.commit(plan)).ok).toBe(true);
      return plan.changes[0]!.id;
    };
    const values = async () => {
      const view = Object.entries(await memory.view(userId));
      return Object.fromEntries(view.flatMap(([field, held]) => (held ? [[field, held.value]] : [])));
    };
    /** Every stored text of the memory and its history. */
    const kept = async () => JSON.stringify([await read.memory(userId), await read.memoryChanges(userId, 1000)]);
    return { userId, memory, log, read, learn, values, kept };
  };

  test("forgetting a thread removes its entries from fields and history and keeps the rest", async () => {
    const { userId, memory, learn, values, kept } = await open();
    await learn("a", "notes", "plays the oboe");
    await learn("b", "notes", "has a cat");
    await learn("a", "extra", '{"shoe":43}');
    await learn("b", "extra", '{"pet":"cat"}');
    await learn("a", "interests", "granite, jazz");
    await learn("b", "interests", "granite, jazz, chess", "replace");
    await memory.forget(userId, { id: "f", threadId: "a" });
    expect(await values()).toEqual({ notes: "has a cat", extra: '{"pet":"cat"}', interests: "chess" });
    for (const gone of ["oboe", "shoe", "granite", "jazz", "heard in a"]) expect(await kept()).not.toContain(gone);
    expect(await memory.view(userId)).toMatchObject({ notes: { threadId: "b", reason: "heard in b" } });
    expect(await memory.history(userId, 10)).toMatchObject([{ after: "chess" }, { field: "extra" }, { before: "" }]);
  });

  test("does not restore values that the thread had replaced", async () => {
    const { userId, memory, learn, values, kept } = await open();
    await learn("a", "location", "Lisbon", "replace");
    await learn("b", "location", "Porto", "replace");
    await memory.forget(userId, { id: "f", threadId: "b" });
    expect(await values()).toEqual({});
    expect(await kept()).not.toContain("Porto");
    expect(await kept()).toContain("Lisbon");
  });

  test("an undone change leaves no trace in the record of the undo", async () => {
    const { userId, memory, learn, kept, values } = await open();
    await learn("a", "location", "Lisbon", "replace");
    const changeId = await learn("b", "location", "Porto", "replace");
    await memory.undo(userId, { id: "u", changeId });
    await memory.forget(userId, { id: "f", threadId: "b" });
    expect(await values()).toEqual({ location: "Lisbon" });
    for (const gone of ["Porto", "heard in b"]) expect(await kept()).not.toContain(gone);
  });

  test("deletes one field or everything with its history, and nothing of other users", async () => {
    const one = await open();
    const other = await open();
    for (const { learn } of [one, other]) {
      await learn("a", "name", "Ada");
      await learn("a", "notes", "has a secret");
    }
    await one.memory.forget(one.userId, { id: "f", field: "notes" });
    expect(await one.values()).toEqual({ name: "Ada" });
    expect(await one.kept()).not.toContain("secret");
    await one.memory.forget(one.userId, { id: "g" });
    expect(await one.kept()).toBe("[[],[]]");
    expect(await other.values()).toEqual({ name: "Ada", notes: "has a secret" });
    const told = await one.read.events(userStream(one.userId), 0, 100);
    expect(told.map(({ body }) => body).join()).not.toContain("secret");
  });

  test("forgetting a thread without memory changes nothing", async () => {
    const { userId, memory, learn, kept, read } = await open();
    await learn("a", "notes", "plays the oboe");
    const before = await kept();
    await memory.forget(userId, { id: "f", threadId: "elsewhere" });
    expect(await kept()).toBe(before);
    const forgetting = { userId, key: "k", threadId: "elsewhere", now: 1 };
    expect(await planForget(read, forgetting)).toEqual({ writes: [], events: [] });
  });

  test("commits planned before the forgetting fail after it", async () => {
    const { userId, memory, learn, log, read, kept } = await open();
    await learn("a", "notes", "plays the oboe");
    await learn("b", "notes", "has a cat");
    const changes: FieldChange[] = [{ field: "notes", op: "append", value: "sings", reason: "r" }];
    const plan = { userId, key: "late", threadId: "c", messageId: "m", untrusted: [], changes, now: 9 };
    const late = await planMemory(read, plan);
    await memory.forget(userId, { id: "f", threadId: "a" });
    expect(await log.commit(late)).toMatchObject({ ok: false });
    expect(await kept()).not.toContain("oboe");
    expect((await log.commit(await planMemory(read, plan))).ok).toBe(true);
  });

  test("lists the changes of a thread and what replaced them", async () => {
    const { userId, memory, learn } = await open();
    const first = await learn("a", "location", "Lisbon", "replace");
    const second = await learn("b", "location", "Porto", "replace");
    await learn("a", "name", "Ada");
    expect(await memory.ofThread(userId, "a")).toMatchObject({
      fields: ["name", "location"],
      changes: [
        { field: "name", replacedBy: null, undoable: true },
        { id: first, replacedBy: second, undoable: false },
      ],
    });
    expect(await memory.ofThread(userId, "elsewhere")).toEqual({ changes: [], fields: [] });
  });

  test("orders changes of the same millisecond correctly", async () => {
    const { userId, memory, read, log } = await open();
    const values = ["one", "two", "three", "four"];
    for (const value of values) {
      const changes: FieldChange[] = [{ field: "notes", op: "replace", value, reason: "r" }];
      await log.commit(
        await planMemory(read, { userId, key: value, threadId: "t", messageId: "m", untrusted: [], changes, now: 5 }),
      );
    }
    const history = await memory.history(userId, 10);
    const byId = new Map(history.map((change) => [change.id, change]));
    const replaced = values.map((value) => {
      const { replacedBy } = history.find(({ after }) => after === value)!;
      return replacedBy === null ? null : byId.get(replacedBy)?.after;
    });
    expect(replaced).toEqual(["two", "three", "four", null]);
  });

  test("rejects secrets that the user enters", async () => {
    const { userId, memory, kept } = await open();
    const edit = { id: "e", field: "notes", value: "the password: hunter2horse!" } as const;
    await expect(memory.set(userId, edit)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringContaining("looks like a secret"),
    });
    expect(await kept()).toBe("[[],[]]");
  });
});
