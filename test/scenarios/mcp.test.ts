import { expect, test } from "vitest";
import type { PartOf } from "../../protocol/parts.ts";
import { call, say, startInstance, type Follower } from "../support/instance.ts";
import { isRunning, openMcpSetup, pidsIn, setUpBad } from "../support/mcp/mcp-setup.ts";

const toolParts = (live: Follower): PartOf<"tool">[] =>
  live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));

/** Read-only and trusted, so that no approval is needed: this test is about the turn, not the policy. */
const quiet = { trust: true };

test("a turn completes with misbehaving servers, the next one works, and no process is left", async () => {
  const ways = ["works", "dies in a call", "answers with broken JSON", "lies about its result", "hangs in a call"];
  const servers = ways.map((way) => setUpBad(way, { ...quiet, timeoutMs: 1000 }));
  const setup = await openMcpSetup({
    file: Object.fromEntries(servers.map(({ entry }, index) => [`s${index}`, entry])),
  });
  for (const index of ways.keys()) await setup.getTool(`mcp__s${index}__echo`, "local");
  const tools = (await setup.servers.tools("local")).map(
    (tool) => ({ ...tool, repeat: "pure", effects: ["read"] }) as const,
  );
  const { start, send, follow } = await startInstance({
    tools,
    script: (_, index) =>
      index === 0
        ? call(...ways.map((_way, n) => ({ name: `mcp__s${n}__echo`, input: '{"text":"hello"}', id: `call-${n}` })))
        : index === 2
          ? call({ name: "mcp__s0__echo", input: '{"text":"again"}' })
          : say("done"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect(await live.ended()).toMatchObject({ outcome: "done", step: 2 });
  expect(toolParts(live)).toMatchObject([
    { state: "ok", output: "hello" },
    { state: "error", errorText: expect.stringContaining("exited with code 7") },
    { state: "error", errorText: expect.stringContaining("not valid JSON") },
    { state: "error", errorText: expect.stringContaining("does not match its output schema") },
    { state: "error", errorText: expect.stringContaining("The tool returned no result within 1 s.") },
  ]);
  await send(threadId, "and now?");
  expect((await live.ended(2)).outcome).toBe("done");
  expect(toolParts(live).at(-1)).toMatchObject({ state: "ok", output: "again" });
  const pids = servers.flatMap(({ trace }) => pidsIn(trace()));
  expect(pids.filter(isRunning)).not.toEqual([]);
  await setup.servers.close();
  expect(pids.filter(isRunning)).toEqual([]);
});
