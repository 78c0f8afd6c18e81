import { expect, test } from "vitest";
import { call, say, startInstance } from "../../support/instance.ts";
import { toolParts } from "../../support/server/loop-tools.ts";

const overviewOf = (output: unknown): string => (output as { overview: string }).overview;

test("@summarize starts a summary, and its card shows the topic at once", async () => {
  const choices: unknown[] = [];
  const { client, start, send, follow } = await startInstance({
    script: (request) => {
      choices.push(request.toolChoice);
      return typeof request.toolChoice === "object"
        ? call({ name: "summarize", input: "{}" })
        : say("The hut costs 180 euros.");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  for (const [turn, text] of ["We decided to hike from Finse on 2026-07-04.", "Who books the hut?"].entries()) {
    await send(threadId, text);
    await live.ended(turn + 1);
  }
  await send(threadId, "@summarize");
  await live.ended(3);
  expect(choices).toEqual(["auto", "auto", { tool: "summarize" }, "auto"]);
  const [part] = toolParts(live);
  expect(part).toMatchObject({ name: "summarize", state: "ok", title: "Summarize this thread" });
  expect(part?.output).toMatchObject({ messages: 4 });
  expect(overviewOf(part?.output)).toContain("2026-07-04");
  const { summaryId } = part!.output as { summaryId: string };
  await live.until(() => live.rows.filter(({ event }) => event.type === "context-changed").length >= 2);
  const { summaries } = await client.listSummaries({ params: { threadId } });
  expect(summaries).toMatchObject([{ id: summaryId, trigger: "manual", fromDepth: 1, toDepth: 4, status: "partial" }]);
  expect(JSON.stringify(summaries[0]?.fields)).toContain("2026-07-04");
});

test("@summarize works with the offline model, and the card reports too few messages", async () => {
  const { start, send, follow } = await startInstance({
    env: { STONECHAT_MODEL: "offline/stone", STONECHAT_OFFLINE_PACE_MS: "0" },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "@summarize");
  await live.ended(1);
  expect(toolParts(live)[0]).toMatchObject({
    state: "error",
    errorText: expect.stringContaining("at least 4 messages"),
  });
  await send(threadId, "The budget is 2400 euros.");
  await live.ended(2);
  await send(threadId, "@summarize");
  await live.ended(3);
  expect(toolParts(live)[1]).toMatchObject({ state: "ok" });
});
