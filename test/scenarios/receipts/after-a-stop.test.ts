import { expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../../protocol/model.ts";
import { call, createGate, mintId, say, startInstance } from "../../support/instance.ts";
import { tool } from "../../support/server/loop-tools.ts";

const policies = ["stone", "messages", "summary", "snapshot", "replay", "transcript"] as const;

test.each(policies)(
  "%s: after a stop the next request has the finished text and calls, and nothing else",
  async (policy) => {
    const requests: ModelRequest[] = [];
    const started = createGate();
    async function* halfAnswer(signal: AbortSignal): AsyncGenerator<ModelEvent> {
      yield { type: "start", key: "t", kind: "text" };
      yield { type: "delta", key: "t", text: "The first half of the answer. " };
      started.open();
      await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
    }
    const instance = await startInstance({
      tools: [tool({ name: "look", execute: async () => ({ output: "seven lanterns" }) })],
      script: (request, _, signal) => {
        requests.push(request);
        if (requests.length === 1) return call({ name: "look", input: "{}" });
        return requests.length === 2 ? halfAnswer(signal) : say("Next.");
      },
    });
    const { client, start, send, follow } = instance;
    const threadId = await start();
    await client.changeThread({ params: { threadId }, body: { id: mintId(), policy } });
    const live = follow(threadId);
    await send(threadId, "How many lanterns?");
    await started.passed;
    await live.until((view) => JSON.stringify(view.messages).includes("The first half"));
    await client.stopRun({ params: { threadId }, body: { id: mintId() } });
    expect((await live.ended(1)).outcome).toBe("stopped");
    await send(threadId, "Go on.");
    await live.ended(2);
    const next = JSON.stringify(requests[2]!.messages);
    expect(next).toContain("How many lanterns?");
    expect(next).toContain("The first half of the answer.");
    const { receipts } = await client.listReceipts({ params: { threadId } });
    const { receipt } = await client.getReceipt({ params: { threadId, receiptId: receipts[0]!.id } });
    const hasResult = next.includes("seven lanterns");
    const isNamed = receipt.leftOut.some(({ why, parts = [] }) => why === "text-only" || parts.length > 0);
    expect(hasResult || isNamed, JSON.stringify(receipt.leftOut)).toBe(true);
  },
);

test.each(["stone", "messages", "replay"] as const)(
  "%s: after a stop during a tool call the next request says that its outcome is unknown, and never has a result",
  async (policy) => {
    const requests: ModelRequest[] = [];
    const working = createGate();
    const slow = tool({
      name: "slow",
      repeat: "once",
      execute: (_, { signal }) =>
        new Promise((resolve) => {
          working.open();
          signal.addEventListener("abort", () => resolve({ output: "TOO LATE" }), { once: true });
        }),
    });
    const { client, start, send, follow } = await startInstance({
      tools: [slow],
      script: (request) => {
        requests.push(request);
        return requests.length === 1 ? call({ name: "slow", input: "{}" }) : say("Next.");
      },
    });
    const threadId = await start();
    await client.changeThread({ params: { threadId }, body: { id: mintId(), policy } });
    const live = follow(threadId);
    await send(threadId, "Light the lanterns.");
    await working.passed;
    await client.stopRun({ params: { threadId }, body: { id: mintId() } });
    expect((await live.ended(1)).outcome).toBe("stopped");
    await send(threadId, "Go on.");
    await live.ended(2);
    const next = JSON.stringify(requests[1]!.messages);
    expect(next).toMatch(/slow[\s\S]*(?:stopped|unknown|may or may not)/i);
    expect(next).not.toContain("TOO LATE");
  },
);
