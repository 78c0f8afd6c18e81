import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { uiMessageChunkSchema } from "ai";
import { expect, test } from "vitest";
import type { Part } from "../../protocol/parts.ts";
import { noUsage, type RunView } from "../../protocol/run.ts";
import { createAnswerChunks } from "../../server/surfaces/ai-sdk/answer.ts";
import { createChatStream } from "../../server/surfaces/ai-sdk/chat-stream.ts";
import type { Chunk } from "../../server/surfaces/ai-sdk/chunks.ts";

/** Every type of the union; the compiler finds one that is missing here or does not exist. */
const types: Readonly<Record<Exclude<Chunk["type"], `data-${string}`>, true>> = {
  ...{ start: true, finish: true, abort: true, error: true, file: true, "message-metadata": true },
  ...{ "start-step": true, "finish-step": true, "reset-step": true },
  ...{ "text-start": true, "text-delta": true, "text-end": true },
  ...{ "reasoning-start": true, "reasoning-delta": true, "reasoning-end": true },
  ...{ "tool-input-start": true, "tool-input-delta": true, "tool-input-available": true, "tool-input-error": true },
  ...{ "tool-approval-request": true, "tool-approval-response": true },
  ...{ "tool-output-available": true, "tool-output-error": true, "tool-output-denied": true },
  ...{ "source-url": true, "source-document": true },
};
/** Types of data that the code names; a data part of an answer is sent under its own name. */
const folder = join(import.meta.dirname, "../../server/surfaces/ai-sdk");
const source = readdirSync(folder)
  .map((name) => readFileSync(join(folder, name), "utf8"))
  .join("\n");
const dataTypes = [...new Set([...source.matchAll(/"(data-[a-z]+)"/g)].map(([, name = ""]) => name))];

const base = { v: 1, step: 1 } as const;
const toPart = (part: object): Part => ({ ...base, ...part }) as unknown as Part;
const run = (more: Partial<RunView>): RunView => ({
  ...{ id: "r", threadId: "t", messageId: "m", state: "ended", outcome: "done", reason: null, step: 1, model: "x/y" },
  ...{ usage: noUsage, costUsd: null, startedAt: 1, endedAt: 2, ...more },
});
const head = { id: "m", runId: "r", createdAt: 1, threadId: "t" } as const;
const step = (n: number) => toPart({ id: `step-${n}`, n, kind: "step" });
const tool = (n: number, state: string, more: object = {}) =>
  toPart({ id: `tool-${n}`, n, kind: "tool", callId: `c-${n}`, name: "look", state, input: { q: "a" }, ...more });
const text = (n: number, of: string, kind = "text") => toPart({ id: `text-${n}`, n, kind, state: "done", text: of });

/** Answers that together have every kind of part, in every state, and every end. */
const answers: readonly ((chunks: ReturnType<typeof createAnswerChunks>) => void)[] = [
  (answer) => {
    answer.open(head, [step(0), text(1, "Let me think.", "reasoning")]);
    answer.inputDelta({ partId: "tool-2", n: 2, step: 1, callId: "c-2", name: "look", text: '{"q":' } as never);
    answer.part(tool(2, "running", { progress: { text: "Half", done: 1, of: 2 } }));
    answer.part(tool(2, "ok", { output: "found" }));
    answer.part(tool(3, "error", { errorText: "It broke." }));
    answer.part(
      toPart({ id: "tool-4", n: 4, kind: "tool", callId: "c", name: "look", state: "error", inputText: "{" }),
    );
    answer.part(tool(5, "denied", { errorText: "The user denied this call: no" }));
    answer.part(step(6));
    answer.part(toPart({ id: "file", n: 7, kind: "file", mediaType: "image/png", content: "AAAA" }));
    answer.part(toPart({ id: "notice", n: 8, kind: "notice", level: "info", code: "note", text: "A notice." }));
    answer.part(toPart({ id: "data", n: 9, kind: "data", name: "citations", value: [1] }));
    answer.part(toPart({ id: "s1", n: 10, kind: "source", sourceType: "url", url: "https://a.example/", ref: 1 }));
    answer.part(toPart({ id: "s2", n: 11, kind: "source", sourceType: "document", title: "Notes" }));
    answer.part(text(12, "An answer."));
    answer.run(run({ state: "running", outcome: null, endedAt: null, waitingFor: "The model is loading." }));
    answer.run(run({}));
  },
  (answer) => {
    answer.open(head, [step(0), tool(1, "asking", { asks: { code: "sends", text: "It sends." } })]);
    answer.run(run({ state: "waiting", outcome: null, endedAt: null }));
  },
  (answer) => {
    const asks = { code: "question", text: "Which?", round: 1, question: { questions: [] } };
    answer.open(head, [step(0), tool(1, "asking", { asks })]);
    answer.run(run({ state: "waiting", outcome: null, endedAt: null }));
  },
  (answer) => {
    // A part that arrives late and belongs before another one.
    answer.open(head, [step(0), text(2, "Second."), text(1, "First.")]);
    answer.run(run({ outcome: "failed", reason: { code: "x", text: "It failed." } }));
  },
  (answer) => {
    answer.open(head, [step(0)]);
    answer.run(run({ outcome: "stopped" }));
  },
];

test("every type of chunk that can be sent is sent here, and the schema of the package accepts each", async () => {
  const chunks: unknown[] = [];
  for (const write of answers) write(createAnswerChunks((chunk) => void chunks.push(chunk)));
  const stream = createChatStream("t", 0, { inputId: "i" });
  const renamed = JSON.stringify({ type: "thread-changed", patch: { title: "A title" } });
  const sent = stream
    .toText([{ body: renamed }] as never)
    .split("\n\n")
    .filter((one) => one.startsWith("data: {"));
  chunks.push(...sent.map((one) => JSON.parse(one.slice("data: ".length)) as unknown));

  const seen = new Set<string>();
  for (const chunk of JSON.parse(JSON.stringify(chunks)) as { readonly type: string }[]) {
    const checked = await uiMessageChunkSchema().validate?.(chunk);
    expect(checked?.success, JSON.stringify(chunk)).toBe(true);
    seen.add(chunk.type);
  }
  expect(dataTypes.length).toBeGreaterThanOrEqual(4);
  expect([...seen].toSorted()).toEqual([...Object.keys(types), ...dataTypes, "data-citations"].toSorted());
  // The control: the schema rejects an unknown chunk.
  expect((await uiMessageChunkSchema().validate?.({ type: "source-page", sourceId: "s" }))?.success).toBe(false);
});
