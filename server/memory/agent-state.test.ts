import { expect, onTestFinished, test } from "vitest";
import { createLog } from "../log/log.ts";
import type { Write } from "../store/contract.ts";
import { put, putThread, rows } from "../../test/support/store-rows.ts";
import { describeStores } from "../../test/support/stores.ts";
import { createAgentStates, findAgentState, stateLimits, renderStateOf } from "./agent-state.ts";

describeStores("work state", (bench) => {
  const open = async () => {
    const thread = bench.id("thread");
    await putThread(bench.store(), bench.id("owner"), thread);
    const log = createLog({
      store: bench.store(),
      clock: { now: () => 1, monotonic: () => performance.now() },
      onError: (error) => {
        throw error;
      },
    });
    onTestFinished(log.close);
    const { read } = bench.store();
    const states = createAgentStates({ read, log });
    const branch = (id: string, parent: string | null, fork_depth: number, tip: number): Write => ({
      do: "put",
      table: "branches",
      row: rows.branch({ thread, id, parent, fork_depth, tip }),
    });
    const message = (on: string, depth: number, said: string): Write[] => {
      const id = `${on}${depth}`;
      const body = JSON.stringify({ id: `${id}.0`, v: 1, n: 0, step: 0, kind: "text", state: "done", text: said });
      const role = depth % 2 === 1 ? "user" : "assistant";
      return [
        {
          do: "insert",
          table: "messages",
          row: rows.message({ thread, id, branch: on, depth, role, created_at: depth }),
        },
        { do: "insert", table: "parts", row: rows.part({ thread, message: id, body }) },
      ];
    };
    const write = (...writes: readonly Write[]) => put(bench.store(), ...writes);
    const find = (on: string, now = 10) => findAgentState(read, { thread, branch: on }, now);
    return { thread, states, branch, message, write, find, read };
  };

  test("is computed for the end of its path, written once, and expires", async () => {
    const { thread, states, branch, message, write, find, read } = await open();
    await write(
      branch("main", null, 0, 2),
      ...message("main", 1, "My dog is called Rex"),
      ...message("main", 2, "Nice."),
    );
    expect(await find("main")).toMatchObject({ depth: 2 });
    expect(await read.agentState(thread, "main")).toBeUndefined();
    await states.reconcileNow(thread, "main");
    expect(await find("main")).toMatchObject({ depth: 2, facts: ["said at 1: My dog is called Rex"] });
    expect(await renderStateOf(read, { thread, branch: "main", upTo: 2 }, 10)).toMatchObject({
      text: expect.stringContaining('- "said at 1: My dog is called Rex"') as string,
      untrusted: [],
    });
    const again = await states.kind.run({ threadId: thread, body: { branchId: "main" } });
    expect(again).toEqual({ writes: [], events: [] });
    expect(await find("main", 2 + stateLimits.lifeMs)).toBeNull();
    expect(states.stats()).toEqual({ reconciled: 2, failures: 0 });
  });

  test("of one branch is not used in a branch that forked before it", async () => {
    const { thread, states, branch, message, write, find } = await open();
    await write(
      branch("main", null, 0, 4),
      branch("edit", "main", 2, 3),
      branch("late", "main", 4, 5),
      ...[1, 2, 3, 4].flatMap((depth) => message("main", depth, `My figure is ${depth}`)),
      ...message("edit", 3, "My figure is three"),
      ...message("late", 5, "My figure is 5"),
    );
    await states.reconcileNow(thread, "main");
    expect((await find("main"))?.depth).toBe(4);
    expect((await find("late"))?.depth).toBe(5);
    expect((await find("edit"))?.depth).toBe(3);
    await states.reconcileNow(thread, "edit");
    expect((await find("edit"))?.goal).toBe("My figure is three");
    expect((await find("main"))?.goal).toBe("My figure is 3");
  });

  test("of a deleted thread writes nothing, and failures are counted", async () => {
    const { thread, states, branch, message, write } = await open();
    expect(await states.kind.run({ threadId: "gone", body: {} })).toEqual({ writes: [], events: [] });
    await write(branch("main", null, 0, 1), ...message("main", 1, "hello there"));
    await write({ do: "update", table: "parts", set: { v: 99 }, where: { thread } });
    await expect(states.reconcileNow(thread, "main")).rejects.toThrow("newer Stonechat");
    expect(states.stats()).toEqual({ reconciled: 1, failures: 1 });
  });
});
