import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textOf, type ThreadView } from "../../protocol/fold.ts";
import type { Part } from "../../protocol/parts.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { openThreadClient, type ThreadClient } from "../support/server/thread-client.ts";
import { checkHistory } from "./chaos/check-history.ts";
import { readHistory } from "./chaos/read-history.ts";
import { readAudit } from "./nodes/audit.ts";
import { other, startNodes, type Nodes } from "./nodes/two-nodes.ts";

/** Stop ends the answer at any point: its text is kept, nothing is added to it, and the next turn works. */
type Moment = {
  readonly script: string;
  /** True when the answer has reached the point where it is stopped. */
  readonly isThere: (view: ThreadView) => boolean;
  readonly parts: readonly Partial<Part>[];
};

const step = { kind: "step" } as const;
const toolIs = (state: string) => (view: ThreadView) =>
  partsOf(view).some((part) => part.kind === "tool" && part.state === state);
const partsOf = ({ messages }: ThreadView): readonly Part[] =>
  messages.findLast(({ role }) => role === "assistant")?.parts ?? [];

const moments: Readonly<Record<string, Moment>> = {
  "before the first token": {
    script: "hang",
    isThere: (view) => partsOf(view).length > 0,
    parts: [step],
  },
  "while it streams": {
    script: "say one two three then hang",
    isThere: (view) => textOf(partsOf(view)) === "one two three",
    parts: [step, { kind: "text", text: "one two three" }],
  },
  "while it streams fast": {
    script: "say 100000 words every 1ms",
    isThere: (view) => textOf(partsOf(view)).length > 100,
    parts: [step, { kind: "text", state: "cut" }],
  },
  "while a tool without effects runs": {
    script: 'say one then call effect_pure {"token":"TOKEN","afterMs":50000}',
    isThere: toolIs("running"),
    parts: [step, { kind: "text", text: "one" }, { kind: "tool", state: "cancelled" }],
  },
  "while a tool runs that may have done it": {
    script: 'call effect_once {"token":"TOKEN","afterMs":50000}',
    isThere: toolIs("running"),
    parts: [step, { kind: "tool", state: "unknown" }],
  },
  "while it waits for a retry": {
    script: "fail 429 retry 15s",
    isThere: (view) => partsOf(view).some(({ kind }) => kind === "notice"),
    parts: [step, { kind: "notice", code: "rate-limited" }],
  },
};

/** Stops at that moment, sends another message and checks the complete thread. */
async function stopAt(server: ServerProcess, { script, isThere }: Moment, stop: (chat: ThreadClient) => Promise<void>) {
  const chat = await openThreadClient(server);
  const asked = await chat.send(script.replace("TOKEN", chat.threadId));
  await chat.follower.until(isThere);
  await stop(chat);
  const stopped = await chat.answered(asked);
  const next = await chat.answered(await chat.send("say more"));
  const history = await readHistory(server, { acts: [], threads: [chat] });
  chat.close();
  return {
    outcome: stopped.run.outcome,
    parts: stopped.message.parts.filter(({ kind }) => kind !== "context"),
    next: next.run.outcome,
    wrong: checkHistory(history),
  };
}

const nothing = { lost: [], doubled: [], stuck: [], contradicted: [] };
const expectStopped = (found: Awaited<ReturnType<typeof stopAt>>, parts: readonly Partial<Part>[]): void => {
  expect(found).toMatchObject({ outcome: "stopped", next: "done", wrong: nothing });
  expect(found.parts).toMatchObject(parts);
};

describe("a stopped answer", () => {
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer({ spare: true });
  });
  afterAll(() => server.close());

  test.each(Object.entries(moments))("%s ends there, and the next turn works", async (_, moment) => {
    expectStopped(await stopAt(server, moment, ({ stop }) => stop()), moment.parts);
  });

  test.each(["while it streams", "while a tool runs that may have done it"])(
    "%s, by a server that dies at once, stays stopped",
    async (name) => {
      const moment = moments[name]!;
      const found = await stopAt(server, moment, async ({ stop }) => {
        await stop();
        await server.restart();
      });
      expect(found).toMatchObject({ outcome: "stopped", next: "done", wrong: nothing });
    },
  );

  test("is followed by the next queued message", async () => {
    const chat = await openThreadClient(server);
    const first = await chat.send("say one then hang");
    const second = await chat.send("say two");
    await chat.follower.until(({ queue, run }) => queue.length === 1 && run?.state === "running");
    await chat.stop();
    expect((await chat.answered(first)).run.outcome).toBe("stopped");
    expect(await chat.answered(second)).toMatchObject({
      run: { outcome: "done" },
      message: { runId: expect.any(String) as string },
    });
    chat.close();
  });

  test("skips a queued message that was withdrawn", async () => {
    const chat = await openThreadClient(server);
    const first = await chat.send("say one then hang");
    const second = await chat.send("say two");
    await chat.follower.until(({ queue, run }) => queue.length === 1 && run?.state === "running");
    await server.client.withdrawInput({ params: { threadId: chat.threadId, inputId: second } });
    await chat.stop();
    await chat.answered(first);
    const third = await chat.answered(await chat.send("say three"));
    expect(chat.follower.view().messages.map(({ id }) => id)).not.toContain(second);
    expect(textOf(third.message.parts)).toBe("three");
    chat.close();
  });

  test("control: an answer without a stop is not stopped", async () => {
    const chat = await openThreadClient(server);
    expect((await chat.answered(await chat.send("say one"))).run.outcome).toBe("done");
    await chat.stop();
    expect((await chat.answered(await chat.send("say two"))).run.outcome).toBe("done");
    chat.close();
  });
});

describe.skipIf(!findPostgres())("an answer stopped through another node than the one that runs it", () => {
  let nodes: Nodes;
  beforeAll(async () => {
    nodes = await startNodes(await createDatabase());
  });
  afterAll(async () => {
    await nodes?.close();
  });

  test.each(Object.entries(moments))("%s ends there, and the next turn works", async (_, moment) => {
    const found = await stopAt(nodes.all[0], moment, async ({ threadId }) => {
      const written = await readAudit(nodes.databaseUrl, threadId);
      const { client } = other(nodes, nodes.byName(written.at(-1)!.node));
      await client.stopRun({ params: { threadId }, body: { id: "stop" } });
    });
    expectStopped(found, moment.parts);
  });
});
