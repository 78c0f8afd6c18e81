import { expect, test } from "vitest";
import { toSpine } from "../../support/model/encode.ts";
import { startRecordedInstance } from "../../support/model/recording-provider.ts";
import { tool } from "../../support/server/loop-tools.ts";

/** Requirements, the last list: 8 (cache), 12 (own writes). */
const look = tool({ name: "look", execute: async () => ({ output: { found: "a red buoy" } }) });

test.each(["anthropic", "compatible"] as const)(
  "every request to %s begins with the bytes of the one before it, and the system text never changes",
  async (provider) => {
    const chat = await startRecordedInstance({
      provider,
      tools: [look],
      reply: (_, index) =>
        index % 3 === 0 ? { calls: [{ name: "look", input: { q: `${index}` } }] } : `Answer ${index}.`,
    });
    const threadId = await chat.start();
    const live = chat.follow(threadId);
    for (let turn = 1; turn <= 8; turn += 1) {
      if (turn === 4) await chat.client.setMemory({ params: {}, body: { id: "edit", field: "name", value: "Ada" } });
      await chat.send(threadId, `Question ${turn}: what is out there?`);
      await live.ended(turn);
    }
    const spines = chat.sent().map(({ text }) => toSpine(text));
    expect(spines.length).toBeGreaterThan(10);
    for (const [at, spine] of spines.entries()) {
      const before = spines[at - 1] ?? "";
      expect(spine.startsWith(before), `request ${at}\n${before}\n${spine}`).toBe(true);
    }
    const systems = chat.sent().map(({ body }) => JSON.stringify(body.system ?? body.messages[0]));
    const plain = systems.map((one) => one.replace(/,"cache_control":\{[^}]*\}/, ""));
    expect(new Set(plain).size).toBe(1);
    expect(plain[0]).not.toMatch(/20\d\d|Ada/);
  },
);

test("after a restart the next request begins with the bytes of the last one before it", async () => {
  const reply = (_: unknown, index: number) =>
    index === 0 ? { calls: [{ name: "look", input: { q: "buoy" } }] } : `Answer ${index}.`;
  const before = await startRecordedInstance({ tools: [look], reply });
  const threadId = await before.start();
  const live = before.follow(threadId);
  await before.send(threadId, "What is out there?");
  await live.ended(1);
  live.close();
  const after = await startRecordedInstance({ tools: [look], reply: () => "The same.", dataDir: await before.leave() });
  const again = after.follow(threadId);
  await after.send(threadId, "Is it still there?");
  await again.ended(2);
  const [last, next] = [before.sent().at(-1)?.text ?? "", after.sent()[0]?.text ?? ""];
  expect(last).toContain("red buoy");
  expect(toSpine(next).startsWith(toSpine(last))).toBe(true);
});

test("changes by the user are in the next request, after the unchanged prefix", async () => {
  const chat = await startRecordedInstance({ reply: () => "Hello." });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  await chat.client.setMemory({ params: {}, body: { id: "edit-1", field: "location", value: "Bergen" } });
  await chat.send(threadId, "Hi");
  await live.ended(1);
  expect(chat.sent()[0]?.text).toContain("Bergen");
  await chat.client.setMemory({ params: {}, body: { id: "edit-2", field: "location", value: "Tromsø" } });
  await chat.send(threadId, "And now?");
  await live.ended(2);
  const { text } = chat.sent()[1]!;
  expect(text).toContain("Tromsø");
  expect(text.lastIndexOf("Tromsø")).toBeGreaterThan(text.lastIndexOf("Bergen"));
});

test("memory written by the model is in its next step and in other threads", async () => {
  const chat = await startRecordedInstance({
    reply: (_, index) =>
      index === 0 ? { calls: [{ name: "working_memory", input: remember("location", "Svolvær") }] } : "Noted.",
  });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  await chat.send(threadId, "Remember that I live in Svolvær, please.");
  await live.ended(1);
  const other = await chat.start();
  const there = chat.follow(other);
  await chat.send(other, "Where do I live?");
  await there.ended(1);
  expect(chat.sent().at(-1)?.text).toContain("Svolvær");
});

const remember = (field: string, value: string) => ({
  changes: [{ field, op: "replace", value, reason: "they said so" }],
});
