import { expect, test } from "vitest";
import { z } from "zod";
import type { ModelRequest } from "../../protocol/model.ts";
import { call, mintId, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

const names = ["plan_research", "search_web", "scrape_webpage"] as const;

test("a research message may have 10,000 characters; one more is rejected and nothing is stored", async () => {
  const { start, send, follow, client } = await startInstance({ script: () => say("Read.") });
  const threadId = await start({ profile: "research" });
  await expect(send(threadId, "r".repeat(10_001))).rejects.toMatchObject({
    code: "too-large",
    message: expect.stringContaining("10,000"),
  });
  expect((await client.getThread({ params: { threadId } })).messages).toEqual([]);
  await send(threadId, "r".repeat(10_000));
  expect(await follow(threadId).ended()).toMatchObject({ outcome: "done" });
});

test("one research answer plans once, searches three times, reads four pages and has steps left to answer", async () => {
  const wanted = names.flatMap((name, index) => Array.from({ length: [2, 4, 5][index] ?? 0 }, () => name));
  const requests: ModelRequest[] = [];
  const { start, send, follow } = await startInstance({
    tools: names.map((name) => tool({ name, input: z.object({ n: z.number() }) })),
    script: (request) => {
      const name = wanted[requests.push(request) - 1];
      return name === undefined ? say("Answer.") : call({ name, input: `{"n":${requests.length}}` });
    },
  });
  const threadId = await start({ profile: "research" });
  const live = follow(threadId);
  await send(threadId, "How old is the lighthouse?");
  expect(await live.ended()).toMatchObject({ outcome: "done" });
  expect(requests).toHaveLength(12);
  const { messages } = live.view();
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(messages[1]?.parts.filter(({ kind }) => kind === "step")).toHaveLength(12);
  const done = (name: string) => toolParts(live).flatMap((part) => (part.name === name ? [part.state] : []));
  expect(done("plan_research")).toEqual(["ok", "error"]);
  expect(done("search_web")).toEqual(["ok", "ok", "ok", "error"]);
  expect(done("scrape_webpage")).toEqual(["ok", "ok", "ok", "ok", "error"]);
  expect(requests.map(({ toolChoice }) => toolChoice)).not.toContain("none");
});

test("transcript: the next request has the earlier texts with speakers and the question apart, no results and no sources", async () => {
  const requests: ModelRequest[] = [];
  const { start, send, follow, client } = await startInstance({
    tools: [
      tool({
        name: "search_web",
        execute: async (_, { addSource }) => {
          addSource({ url: "https://low.example/", title: "Low tide", status: "found", relevance: 0.2 });
          return { output: { results: [{ text: "RAW RESULT", relevance: 0.2, markedLowRelevance: true }] } };
        },
      }),
    ],
    script: (request) => {
      requests.push(request);
      return requests.length === 1 ? call({ name: "search_web", input: "{}" }) : say("It was built in 1870.");
    },
  });
  const threadId = await start({ profile: "research" });
  await client.changeThread({ params: { threadId }, body: { id: mintId(), policy: "transcript" } });
  const live = follow(threadId);
  await send(threadId, "How old is the lighthouse?");
  await live.ended();
  const [first, second] = requests;
  expect(first?.messages).toHaveLength(1);
  expect(JSON.stringify(second?.messages)).toContain("RAW RESULT");
  await send(threadId, "And the pier?");
  await live.ended(2);
  const texts = requests[2]!.messages.map((message) => ("text" in message ? message.text : ""));
  expect(texts).toHaveLength(2);
  expect(texts[0]).toContain("User: How old is the lighthouse?\nAssistant: It was built in 1870.");
  expect(texts[0]).not.toContain("And the pier?");
  expect(texts[1]).toContain("And the pier?");
  expect(texts.join("\n")).not.toMatch(/RAW RESULT|low\.example|Low tide|relevance/i);
  const stored = (await client.getThread({ params: { threadId } })).messages[1]!;
  expect(stored.parts.find(({ kind }) => kind === "source")).toMatchObject({ relevance: 0.2, status: "found" });
});
