import { expect, test } from "vitest";
import { z } from "zod";
import type { PartOf } from "../../protocol/parts.ts";
import { defineTool } from "../../server/tools/tool.ts";
import { call, mintId, say, startInstance, type Follower } from "../support/instance.ts";

const count = defineTool({
  name: "search_web",
  description: "for a test",
  input: z.object({ n: z.number() }),
  repeat: "pure",
  effects: ["read"],
  limits: { timeoutMs: 5000 },
  execute: async ({ n }) => ({ output: n }),
});
const toolParts = (live: Follower): PartOf<"tool">[] =>
  live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));

const startCounting = async (env: Record<string, string>, profile: "stone" | "research" = "stone") => {
  const requests: { choice: string; tools: number; last: string }[] = [];
  const instance = await startInstance({
    tools: [count],
    env,
    script: (request, index) => {
      const last = request.messages.at(-1);
      requests.push({ choice: String(request.toolChoice), tools: request.tools.length, last: JSON.stringify(last) });
      return request.toolChoice === "none"
        ? say(`so far ${index}`)
        : call({ name: "search_web", input: `{"n":${index}}` });
    },
  });
  const threadId = await instance.start({ profile });
  return { ...instance, requests, threadId, live: instance.follow(threadId) };
};

test("at a limit the model answers without tools, after a notice and with the same tool list", async () => {
  const { send, threadId, live, requests } = await startCounting({ STONECHAT_MAX_STEPS: "4" });
  await send(threadId, "go");
  expect(await live.ended()).toMatchObject({ outcome: "limit", reason: { code: "limit-steps" } });
  expect(requests.map(({ choice }) => choice)).toEqual(["auto", "auto", "auto", "auto", "none"]);
  expect(new Set(requests.map(({ tools }) => tools)).size).toBe(1);
  expect(requests.map(({ last }) => last.includes("Left for this answer"))).toEqual([false, false, true, true, false]);
  expect(requests.at(-1)?.last).toContain("limit of this answer is reached");
});

test("Continue resumes the same run and message with a fresh limit", async () => {
  const { send, threadId, live, client, requests } = await startCounting({ STONECHAT_MAX_STEPS: "2" });
  await send(threadId, "go");
  const first = await live.ended();
  const before = toolParts(live).length;
  const body = { id: mintId() };
  await client.continueRun({ params: { threadId }, body });
  await client.continueRun({ params: { threadId }, body });
  const second = await live.ended(2);
  expect(second).toMatchObject({ id: first.id, messageId: first.messageId, outcome: "limit" });
  expect(toolParts(live).length).toBeGreaterThan(before);
  expect(live.view().messages).toHaveLength(2);
  expect(requests.some(({ last }) => last.includes("extended the limit"))).toBe(true);
  expect(second.usage.inputTokens).toBeGreaterThan(first.usage.inputTokens);
  expect(live.view().queue).toEqual([]);
});

test("only an answer that ended at a limit can be continued", async () => {
  const { start, send, follow, client } = await startInstance({ script: () => say("done") });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  await expect(client.continueRun({ params: { threadId }, body: { id: mintId() } })).rejects.toMatchObject({
    code: "conflict",
  });
});

test("a per-tool limit rejects only that tool and the run continues", async () => {
  const { send, threadId, live } = await startCounting({}, "research");
  await send(threadId, "go");
  await live.ended();
  const states = toolParts(live).map(({ state }) => state);
  expect(states.slice(0, 4)).toEqual(["ok", "ok", "ok", "error"]);
  expect(toolParts(live)[3]?.errorText).toContain("limit of");
});

test("the time a call waits for approval does not count toward the time limit", async () => {
  let offsetMs = 0;
  const remove = defineTool({ ...count, name: "remove", repeat: "keyed", effects: ["write", "destructive"] });
  const { start, send, follow, client } = await startInstance({
    tools: [remove],
    clock: { now: () => Date.now() + offsetMs, monotonic: () => performance.now() + offsetMs },
    script: (_, index) => (index === 0 ? call({ name: "remove", input: '{"n":1}' }) : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.until(({ run }) => run?.state === "waiting");
  offsetMs = 3_600_000;
  const partId = toolParts(live).find(({ state }) => state === "asking")?.id ?? "";
  await client.decideCall({ params: { threadId }, body: { id: mintId(), partId, decision: "once" } });
  expect(await live.ended()).toMatchObject({ outcome: "done", reason: null });
});
