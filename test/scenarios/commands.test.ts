import { expect, test } from "vitest";
import { z } from "zod";
import { call, say, startInstance } from "../support/instance.ts";
import { tool, toolParts } from "../support/server/loop-tools.ts";

test("a command chooses its tool and the arguments that come with it", async () => {
  const choices: unknown[] = [];
  const { start, send, follow } = await startInstance({
    tools: [tool({ name: "search_web", input: z.object({ query: z.string(), provider: z.string().optional() }) })],
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
  expect(toolParts(live)[0]?.input).toEqual({ query: "granite", provider: "tavily" });
});
