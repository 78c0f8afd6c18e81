import { expect, test } from "vitest";
import { z } from "zod";
import { call, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

test("a command selects its tool with preset arguments", async () => {
  const choices: unknown[] = [];
  const { start, send, follow } = await startInstance({
    tools: [
      tool({
        name: "search_web",
        input: z.object({ query: z.string(), provider: z.string().optional(), depth: z.string().optional() }),
      }),
    ],
    script: (request, index) => {
      choices.push(request.toolChoice);
      return index === 0 ? call({ name: "search_web", input: '{"query":"granite"}' }) : say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "please @BASIC granite, or write to me@basic.org");
  await live.ended();
  expect(choices).toEqual([{ tool: "search_web" }, "auto"]);
  expect(toolParts(live)[0]?.input).toEqual({ query: "granite", provider: "tavily", depth: "quick" });
});

test("two commands for one tool make two calls with separate text, provider and depth", async () => {
  const notes: string[] = [];
  const Input = z.object({ query: z.string(), provider: z.string().optional(), depth: z.string().optional() });
  const { start, send, follow } = await startInstance({
    tools: [tool({ name: "search_web", input: Input })],
    script: (request, index) => {
      const last = request.messages.at(-1);
      notes.push(last?.role === "user" ? last.text : "");
      if (index > 1) return say("done");
      const query = /“(.*)”/.exec(notes.at(-1) ?? "")?.[1] ?? "";
      return call({ name: "search_web", input: JSON.stringify({ query }), id: `call-${index}` });
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "@basic granite prices @search basalt quarries in Iceland");
  await live.ended();
  expect(notes.slice(0, 2)).toEqual([
    "[Now do only @basic, with search_web: “granite prices”.]",
    "[Now do only @search, with search_web: “basalt quarries in Iceland”.]",
  ]);
  expect(toolParts(live).map(({ input }) => input)).toEqual([
    { query: "granite prices", provider: "tavily", depth: "quick" },
    { query: "basalt quarries in Iceland", provider: "firecrawl", depth: "deep" },
  ]);
});
