import { expect, test } from "vitest";
import { ResponseError } from "../../protocol/client.ts";
import { writeThread } from "../support/context/long-thread.ts";
import { mintId, say, startInstance } from "../support/instance.ts";

test("finds a message on the active path by id, with the messages before it", async () => {
  const { client, start, server } = await startInstance({ script: () => say("Yes.") });
  const threadId = await start();
  await writeThread(server.store, threadId, 300, (depth) => `message ${depth}`);
  const params = { threadId };
  const { messages } = await client.listMessages({ params, query: { at: `${threadId}-120`, limit: 3 } });
  expect(messages.map(({ depth }) => depth)).toEqual([118, 119, 120]);

  const refused = (query: { at: string }) =>
    client.listMessages({ params, query }).then(
      () => 200,
      (error: unknown) => (error instanceof ResponseError ? error.status : error),
    );
  expect(await refused({ at: "nobody" })).toBe(404);
  const newest = await client.listMessages({ params, query: { limit: 2 } });
  expect(newest.messages.map(({ depth }) => depth)).toEqual([299, 300]);
});

test("does not find a message of another branch or thread", async () => {
  const { client, start, send, follow } = await startInstance({
    script: () => say("Yes."),
    env: { STONECHAT_MODEL: "scripted/script" },
  });
  const threadId = await start();
  const live = follow(threadId);
  const first = await send(threadId, "first");
  await live.ended(1);
  await client.editMessage({ params: { threadId, messageId: first }, body: { id: mintId(), text: "otherwise" } });
  await live.ended(2);
  const find = (id: string, at: string) =>
    client.listMessages({ params: { threadId: id }, query: { at, limit: 1 } }).then(
      ({ messages }) => messages.at(-1)?.id,
      (error: unknown) => (error instanceof ResponseError ? error.status : error),
    );
  const current = live.view().messages[0]?.id ?? "";
  expect(await find(threadId, current)).toBe(current);
  expect(await find(threadId, first)).toBe(404);
  const other = await start();
  expect(await find(other, current)).toBe(404);
});
