import { expect, test } from "vitest";
import type { RecallReads } from "../recall/recall.ts";
import { toolContext, toolDeps } from "../../test/support/server/tool-context.ts";
import create from "./recall.tool.ts";
import type { Tool, ToolContext } from "./tool.ts";

const tool = create(toolDeps) as Tool;
const said = [
  "The spare key lies under the third flower pot.",
  "Noted.",
  "Now to the taxes.",
  "Go on.",
  "Where is the key?",
  "",
];
const messages = said.map((text, n) => ({
  thread: "t",
  id: `m${n + 1}`,
  branch: "main",
  depth: n + 1,
  role: n % 2 ? ("assistant" as const) : ("user" as const),
  run: null,
  created_at: Date.UTC(2026, 4, 1),
  author: null,
  author_name: null,
  text,
}));

const toBody = (text: string): string =>
  JSON.stringify({ id: "p", v: 1, n: 0, step: 0, kind: "text", state: "done", text });

/** A thread without any indexed messages. */
const index: RecallReads = {
  partsOf: async () => [],
  segments: async ({ upTo }) => [{ branch: "main", parent: null, from: 0, to: Math.min(upTo, said.length) }],
  recallStates: async () => [],
  recallDocs: async () => [],
  recallPostings: async () => [],
  recallMessages: async ({ above, upTo }) => messages.filter(({ depth }) => depth > above && depth <= upTo),
  recallTexts: async (_thread, _branch, depths) =>
    messages
      .filter(({ depth }) => depths.includes(depth))
      .map(({ id: message, depth, role, created_at: at, text }) => ({
        message,
        depth,
        role,
        at,
        n: 0,
        v: 1,
        body: toBody(text),
      })),
  recallParts: async (_thread, ids) =>
    messages
      .filter(({ id }) => ids.includes(id))
      .map(({ id, text }) => ({
        message: id,
        n: 0,
        v: 1,
        kind: "text",
        body: toBody(text),
      })),
  recallArtifacts: async () => [],
};

const context = toolContext({
  runId: "r",
  read: {
    ...index,
    thread: async () => ({ branch: "main" }),
    run: async () => ({ message: "m6" }),
    message: async () => messages[5],
    artifactLines: async () => [],
  } as unknown as ToolContext["read"],
});

test("returns older messages with date and short id, without the message being answered", async () => {
  const { output } = await tool.execute({ query: "Where is the spare key?" }, context);
  const { passages, messages: count } = tool.output!.parse(output) as { passages: string; messages: number };
  expect(passages).toMatch(/^2026-05-01\nm1> The spare key lies under the third flower pot\./);
  expect(passages).not.toContain("m5>");
  expect(count).toBe(passages.split("\n").length - 1);
});

test("returns nothing for a topic the thread never mentioned", async () => {
  const { output } = await tool.execute({ query: "quarterly zeppelin maintenance" }, context);
  expect(output).toEqual({ passages: "", messages: 0 });
});

test("is pure and records the untrusted sources of the messages it finds", async () => {
  expect(tool).toMatchObject({ repeat: "pure", effects: ["read"] });
  const text = { id: "m1.1", v: 1, n: 1, step: 1, kind: "text", state: "done", text: "", untrusted: ["evil.example"] };
  const labeled = toolContext({
    runId: "r",
    read: { ...context.read, partsOf: async () => [{ message: "m1", v: 1, body: JSON.stringify(text) }] } as never,
  });
  await tool.execute({ query: "Where is the spare key?" }, labeled);
  expect(labeled.untrustedRead).toEqual(["evil.example"]);
});
