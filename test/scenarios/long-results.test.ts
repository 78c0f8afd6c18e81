import { expect, test } from "vitest";
import type { PromptMessage } from "../../protocol/model.ts";
import { countTokens } from "../../server/lib/tokens.ts";
import createReadArtifact from "../../server/tools/read-artifact.tool.ts";
import type { Tool } from "../../server/tools/tool.ts";
import { call, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";
import { toolDeps } from "../support/server/tool-context.ts";

const rows = Array.from({ length: 300 }, (_, at) => ({
  flight: `HAT${100 + at}`,
  seats: at,
  note: `row number ${at}`,
}));

const resultsIn = (messages: readonly PromptMessage[]): readonly string[] =>
  messages.flatMap((message) => (message.role === "tool" ? message.results.map(({ text }) => text) : []));

test("shortens a long result once, before the model reads it; the full one can be read by path", async () => {
  const prompts: (readonly PromptMessage[])[] = [];
  const search = tool({
    name: "search",
    summarize: () => "Searched.",
    execute: async () => ({ output: { found: 300, rows } }),
  });
  const { start, send, follow, client } = await startInstance({
    tools: [search, createReadArtifact(toolDeps) as Tool],
    script: ({ messages }, index) => {
      prompts.push(messages);
      if (index < 2) return call({ name: "search", input: "{}" });
      if (index === 2) return call({ name: "read_artifact", input: '{"ref":1,"path":"rows[150].flight"}' });
      return say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "which flights?");
  await live.ended();
  await send(threadId, "and now?");
  await live.ended();

  const [first, again, opened] = toolParts(live);
  expect(first).toMatchObject({ state: "ok", output: { found: 300, rows }, gist: "Searched." });
  const told = first?.digest ?? "";
  expect(countTokens(told)).toBeLessThanOrEqual(600);
  expect(JSON.parse(told)).toMatchObject({ found: 300, _cut: expect.stringContaining("ref 1") });
  expect(again).toMatchObject({ digest: told, note: expect.stringContaining("made earlier") });
  expect(opened?.output).toMatchObject({ path: "rows[150].flight", passages: [{ text: "HAT250" }] });

  expect(resultsIn(prompts[1] ?? [])).toEqual([told]);
  for (const prompt of prompts.slice(2)) {
    expect(resultsIn(prompt)[0]).toBe(told);
    expect(countTokens(resultsIn(prompt)[1] ?? "")).toBeLessThanOrEqual(640);
  }
  const kept = await client.getArtifact({ params: { threadId, ref: 1 } });
  expect(kept).toMatchObject({ kind: "result", type: "application/json" });
  expect(JSON.parse(kept.text)).toEqual({ found: 300, rows });
});

test("does not store an artifact twice and leaves a short result unchanged", async () => {
  const page = "Granite is hard. ".repeat(900);
  const read = tool({
    name: "read",
    execute: async (_, { saveArtifact }) => {
      const { ref } = saveArtifact({ kind: "page", title: "Stone", type: "text/plain", text: page });
      return { output: { pages: [{ ref, text: page }] } };
    },
  });
  const { start, send, follow, client } = await startInstance({
    tools: [read, tool({ name: "short", execute: async () => ({ output: { answer: 42 } }) })],
    script: (_, index) => (index < 2 ? call({ name: index === 0 ? "read" : "short", input: "{}" }) : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "read it");
  await live.ended();
  const [long, short] = toolParts(live);
  expect(JSON.parse(long?.digest ?? "")).toMatchObject({
    pages: [{ ref: 1, text: expect.stringContaining("left out") }],
  });
  expect(short?.digest).toBeUndefined();
  await expect(client.getArtifact({ params: { threadId, ref: 2 } })).rejects.toThrow();
});

test("shortens a long error message", async () => {
  const fails = tool({ name: "fails", execute: () => Promise.reject(new Error("no such place. ".repeat(600))) });
  const { start, send, follow } = await startInstance({
    tools: [fails],
    script: (_, index) => (index === 0 ? call({ name: "fails", input: "{}" }) : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  const [part] = toolParts(live);
  expect(part?.state).toBe("error");
  expect(countTokens(part?.errorText ?? "")).toBeLessThanOrEqual(600);
});
