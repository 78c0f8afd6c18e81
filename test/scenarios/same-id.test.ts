import { describe, expect, onTestFinished, test } from "vitest";
import { limits } from "../../protocol/api.ts";
import type { Script } from "../../server/model/scripted.ts";
import type { Store } from "../../server/store/contract.ts";
import { createGate, mintId, say, startInstance, type Instance } from "../support/instance.ts";
import { createDatabase } from "../support/postgres.ts";

const RACES = process.env["STONECHAT_DEEP"] === "1" ? 300 : 10;

type SendResult = { readonly status: number; readonly body: unknown };

const post = async ({ url }: Instance, threadId: string, id: string, text: string): Promise<SendResult> => {
  const response = await fetch(`${url}/api/threads/${threadId}/messages`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id, text }),
  });
  return { status: response.status, body: await response.json() };
};

/** A node that pauses after it has read that the id is unknown, until the test resumes it. */
function createSlowReader() {
  const [reached, goOn] = [createGate(), createGate()];
  let slowId: string | undefined;
  const wrapStore = (store: Store): Store => ({
    ...store,
    read: {
      ...store.read,
      input: async (thread, id) => {
        const row = await store.read.input(thread, id);
        if (id !== slowId) return row;
        slowId = undefined;
        reached.open();
        await goOn.passed;
        return row;
      },
    },
  });
  return { wrapStore, reached: reached.passed, goOn: goOn.open, slow: (id: string) => void (slowId = id) };
}

describe.each(["one node", "two nodes on PostgreSQL"])("the same id sent twice at once, %s", (kind) => {
  const isDouble = kind !== "one node";

  const startNodes = async (script: Script) => {
    const slow = createSlowReader();
    const env = isDouble ? { STONECHAT_DATABASE_URL: await createDatabase() } : {};
    const first = await startInstance({ script, env, wrapStore: slow.wrapStore });
    return { slow, first, second: isDouble ? await startInstance({ script, env }) : first };
  };

  test("returns the same 202 when the other request was admitted and answered in between", async () => {
    const { slow, first, second } = await startNodes(() => say("yes"));
    const threadId = await first.start();
    slow.slow("raced");
    const late = post(first, threadId, "raced", "hello");
    await slow.reached;
    const early = await post(second, threadId, "raced", "hello");
    await second.follow(threadId).ended();
    slow.goOn();
    expect(early.status).toBe(202);
    expect(await late).toEqual(early);
    expect((await post(first, threadId, "raced", "other words")).status).toBe(409);
  });

  test("returns the same 202 when the other request took the last place in the queue", async () => {
    const gate = createGate();
    const { slow, first, second } = await startNodes(async function* () {
      await gate.passed;
      yield* say("late");
    });
    onTestFinished(gate.open);
    const threadId = await first.start();
    await first.send(threadId, "running");
    await first.follow(threadId).until(({ run }) => run?.state === "running");
    for (let n = 1; n < limits.queuedInputs; n += 1) await first.send(threadId, `queued ${n}`);
    slow.slow("raced");
    const late = post(first, threadId, "raced", "hello");
    await slow.reached;
    const early = await post(second, threadId, "raced", "hello");
    slow.goOn();
    expect(early.status).toBe(202);
    expect(await late).toEqual(early);
    expect((await post(first, threadId, "one-too-many", "hello")).status).toBe(429);
  });

  test(`gives equal answers in ${RACES} races, and one message each`, async () => {
    const { first, second } = await startNodes(() => say("yes"));
    const threadId = await first.start();
    const live = first.follow(threadId);
    for (let n = 1; n <= RACES; n += 1) {
      const id = mintId("raced");
      const [a, b] = await Promise.all([post(first, threadId, id, "hello"), post(second, threadId, id, "hello")]);
      expect(a.status).toBe(202);
      expect(b).toEqual(a);
      await live.ended(n);
    }
    expect(live.view().messages).toHaveLength(RACES * 2);
  });
});
