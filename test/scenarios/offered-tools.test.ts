import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";

test("the tools of a thread stay the same from turn to turn, and all of them can be reached", async () => {
  const offered: string[] = [];
  const { start, send, follow } = await startInstance({
    script: (request) => {
      offered.push(request.tools.map(({ name }) => name).join());
      return say("yes");
    },
  });
  const threadId = await start({ profile: "research" });
  const live = follow(threadId);
  for (const [index, text] of ["hello", "what is the weather in Rome?", "remember my name"].entries()) {
    await send(threadId, text);
    await live.ended(index + 1);
  }
  expect(new Set(offered).size).toBe(1);
  expect(offered[0]).toBe("find_tools,plan_research,read_artifact,scrape_webpage,search_web,use_tool");
});
