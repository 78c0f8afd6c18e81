import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";

test("what is remembered of the person stands in the prompt", async () => {
  const systems: string[] = [];
  const { start, send, follow, client } = await startInstance({
    script: (request) => {
      systems.push(request.system);
      return say("hello");
    },
  });
  await client.setMemory({ params: {}, body: { id: "edit-1", field: "name", value: "Ada" } });
  const threadId = await start({ profile: "assistant" });
  const live = follow(threadId);
  await send(threadId, "hi");
  await live.ended();
  expect(systems[0]).toContain('name: "Ada"');
});
