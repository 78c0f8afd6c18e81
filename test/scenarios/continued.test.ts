import { expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { verifyReceipt } from "../../server/run/verify-receipt.ts";
import { createGate, createInstance, say, startInstance } from "../support/instance.ts";

/** An answer is interrupted after these events by the end of its server; `next` answers in the one that takes it up. */
async function interrupt(begun: readonly ModelEvent[], next: () => readonly ModelEvent[]) {
  const shown = createGate();
  const opened = begun.filter(({ type }) => type === "start" || type === "tool-start").length;
  const first = await createInstance({
    script: async function* (_request, _index, signal) {
      yield* begun;
      shown.open();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  });
  const threadId = await first.start();
  await first.send(threadId, "What does the tide do?");
  await shown.passed;
  await first.follow(threadId).until(({ messages }) => (messages.at(-1)?.parts.length ?? 0) >= 2 + opened);
  const dataDir = await first.leave();
  const requests: ModelRequest[] = [];
  const second = await startInstance({
    dataDir,
    script: (request) => {
      requests.push(request);
      return next();
    },
  });
  const live = second.follow(threadId);
  const run = await live.ended();
  const parts = live.view().messages.at(-1)?.parts ?? [];
  return { second, threadId, requests, run, parts, live, notice: parts.find((part) => part.kind === "notice") };
}

const text = (...deltas: readonly string[]): ModelEvent[] => [
  { type: "start", key: "t", kind: "text" },
  ...deltas.map((delta): ModelEvent => ({ type: "delta", key: "t", text: delta })),
];

test("an interrupted text is sent back to be continued, and both pieces are one answer without a seam", async () => {
  const answers = ["The tide rises twice a day, and falls again.", "You are welcome."];
  const { second, threadId, requests, run, parts, live, notice } = await interrupt(
    text("The tide rises ", "twice a d"),
    () => say(answers.shift() ?? ""),
  );
  expect(run).toMatchObject({ outcome: "done", reason: null });
  expect(requests[0]?.messages.at(-2)).toMatchObject({
    role: "assistant",
    parts: [{ kind: "text", text: "The tide rises twice a d" }],
  });
  const asked = requests[0]?.messages.at(-1);
  expect(asked?.role === "user" && asked.text).toContain("Begin with its last words, “The tide rises twice a d”");
  expect(textOf(parts)).toBe("The tide rises twice a day, and falls again.");
  expect(parts.filter((part) => part.kind === "text")).toMatchObject([
    { state: "cut", text: "The tide rises twice a d" },
    { state: "done", joined: true, text: "ay, and falls again." },
  ]);
  expect(parts.filter((part) => part.aside !== undefined)).toEqual([]);
  expect(notice).toMatchObject({ code: "interrupted", text: expect.stringContaining("continues") as string });
  await second.send(threadId, "Thank you");
  await live.ended(2);
  expect(JSON.stringify(requests[1]?.messages)).toContain('"text":"The tide rises twice a day, and falls again."');
  const { receipts } = await second.client.listReceipts({ params: { threadId }, query: {} });
  expect(receipts).toHaveLength(3);
  for (const { id } of receipts) expect(await verifyReceipt(second.server.store.read, id)).toMatchObject({ ok: true });
  const metrics = await (await fetch(`${second.url}/metrics`)).text();
  expect(metrics).toMatch(/prompt_prefix_breaks\S* 0$/m);
});

test("a continuation without another word ends the answer", async () => {
  const { run, parts } = await interrupt(text("All is ", "said."), () => [
    { type: "finish", reason: "stop", usage: null },
  ]);
  expect(run).toMatchObject({ outcome: "done", reason: null });
  expect(textOf(parts)).toBe("All is said.");
});

test.each([
  [
    "half a tool call",
    [
      ...text("I will look."),
      { type: "tool-start", key: "c", callId: "c", name: "now" },
      { type: "delta", key: "c", text: '{"zone' },
    ],
  ],
  [
    "reasoning only",
    [
      { type: "start", key: "r", kind: "reasoning" },
      { type: "delta", key: "r", text: "Let me see" },
    ],
  ],
] as const)("after %s the call is started again, and the answer says what was lost", async (_, begun) => {
  const { run, parts, requests, notice } = await interrupt(begun, () => say("It rises."));
  expect(run.outcome).toBe("done");
  expect(textOf(parts)).toBe("It rises.");
  expect(requests[0]?.messages.at(-1)).toMatchObject({ role: "user", text: "What does the tide do?" });
  expect(notice).toMatchObject({ code: "interrupted" });
  expect(notice?.text).toMatch(
    /started again\. The interrupted attempt used about [\d,]+ tokens \(about \$0\.0000\)\./,
  );
});
