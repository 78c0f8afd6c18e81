import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";

test("what is remembered of the person is told ahead of their words, once, and never in the system text", async () => {
  const prompts: string[][] = [];
  const systems: string[] = [];
  const { start, send, follow, client } = await startInstance({
    script: (request) => {
      systems.push(request.system);
      prompts.push(request.messages.flatMap((message) => (message.role === "user" ? [message.text] : [])));
      return say("hello");
    },
  });
  const remember = (id: string, value: string) => client.setMemory({ params: {}, body: { id, field: "name", value } });
  await remember("edit-1", "Ada");
  const threadId = await start({ profile: "assistant" });
  const live = follow(threadId);
  for (const [turn, text] of ["hi", "again", "and now"].entries()) {
    if (turn === 2) await remember("edit-2", "Grace");
    await send(threadId, text);
    await live.ended(turn + 1);
  }
  expect(systems.join()).not.toContain("Ada");
  expect(prompts[0]?.[0]).toContain('name: "Ada"');
  expect(prompts[1]?.slice(1)).toEqual(["hi", "again"]);
  expect(prompts[2]?.slice(0, 3)).toEqual(prompts[1]);
  expect(prompts[2]?.[3]).toContain('name: "Grace"');
});
