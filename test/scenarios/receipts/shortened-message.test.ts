import { expect, test } from "vitest";
import type { ModelRequest } from "../../../protocol/model.ts";
import { call, mintId, say, startInstance } from "../../support/instance.ts";
import { tool } from "../../support/server/loop-tools.ts";

const LONG = `Begin. ${"The lantern at the north berth was lit again. ".repeat(1_500)}End.`;

const POLICIES = ["stone", "messages", "summary", "snapshot", "replay", "transcript"] as const;

test.each(POLICIES)(
  "%s: an answer says once that the user's message did not fit, and the next answer does not",
  async (policy) => {
    const requests: ModelRequest[] = [];
    const { client, start, send, follow } = await startInstance({
      tools: [tool({ name: "look", execute: async () => ({ output: "seven" }) })],
      script: Object.assign(
        (request: ModelRequest) => {
          requests.push(request);
          return requests.length === 1 ? call({ name: "look", input: "{}" }) : say("Noted.");
        },
        { windowOf: () => 8_000 },
      ),
    });
    const threadId = await start();
    const params = { threadId };
    await client.changeThread({ params, body: { id: mintId(), policy } });
    const live = follow(threadId);
    const noticesOf = async () => {
      const answer = (await client.getThread({ params })).messages.at(-1)!;
      return answer.parts.flatMap((part) =>
        part.kind === "notice" && part.code === "message-shortened" ? [part] : [],
      );
    };
    await send(threadId, LONG);
    await live.ended(1);
    expect(requests).toHaveLength(2);
    for (const { messages } of requests) {
      expect(JSON.stringify(messages)).toMatch(/Begin\. .* characters left out .*End\./);
    }
    const notices = await noticesOf();
    expect(notices).toMatchObject([{ level: "warning", text: expect.stringMatching(/of 15,\d+ tokens is too long/) }]);
    expect(notices[0]!.text).toContain("context window of 8,000 tokens");
    await send(threadId, "And now?");
    await live.ended(2);
    expect(await noticesOf()).toEqual([]);
  },
);

test.each(POLICIES)(
  "%s: in a small window a message that fits with instructions and answer is sent whole; other content is left out",
  async (policy) => {
    const requests: ModelRequest[] = [];
    const chat = await startInstance({
      script: Object.assign(
        (request: ModelRequest) => {
          requests.push(request);
          return say(`Noted. ${"The ferry waits at the berth. ".repeat(20)}`);
        },
        { windowOf: () => 2_048 },
      ),
    });
    const threadId = await chat.start();
    const params = { threadId };
    await chat.client.changeThread({ params, body: { id: mintId(), policy } });
    const live = chat.follow(threadId);
    for (let turn = 1; turn <= 8; turn += 1) {
      const words = Array.from({ length: turn === 8 ? 180 : 120 }, (_, k) => `lantern ${turn}x${k}`).join(" ");
      await chat.send(threadId, words);
      await live.ended(turn);
      expect(JSON.stringify(requests.at(-1)!.messages)).toContain(words);
    }
    const { messages } = await chat.client.getThread({ params });
    const codes = messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "notice" ? [part.code] : [])));
    expect(codes).toContain("fewer-tools");
    expect(codes).not.toContain("message-shortened");
    const { receipts } = await chat.client.listReceipts({ params });
    for (const { id } of receipts) {
      const { receipt } = await chat.client.getReceipt({ params: { threadId, receiptId: id } });
      expect(receipt.checks).toContainEqual({ name: "within-window", ok: true });
    }
  },
);

test("the numbers in the notice add up to the context window", async () => {
  const script = Object.assign(() => say("Noted."), { windowOf: () => 2_048 });
  const { client, start, send, follow } = await startInstance({ script });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, LONG);
  await live.ended(1);
  const notices = live
    .view()
    .messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "notice" ? [part] : [])));
  const { text } = notices.find(({ code }) => code === "message-shortened")!;
  const [, window, left, beside, reserve, sent] = text
    .match(/\d[\d,]*(?= )/g)!
    .map((digits) => Number(digits.replace(",", "")));
  expect(window).toBe(2_048);
  expect(left! + beside! + reserve!).toBe(window);
  expect(sent).toBeLessThanOrEqual(left!);
  expect(sent).toBeGreaterThan(left! * 0.75);
  const [line] = (await client.listReceipts({ params: { threadId } })).receipts;
  expect(line!.promptTokens).toBe(beside! + sent!);
});
