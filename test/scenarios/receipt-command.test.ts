import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";
import { runCommand } from "../support/server/run-command.ts";

const tell = (dataDir: string, ...args: readonly string[]) =>
  runCommand(["receipt", ...args], { STONECHAT_DATA: dataDir });

test("a receipt is verified from the command line while the server runs, and a changed part is reported", async () => {
  const { client, start, send, follow, server, dataDir } = await startInstance({ script: () => say("an answer") });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "a question");
  await live.ended(1);
  const [line] = (await client.listReceipts({ params: { threadId } })).receipts;
  const good = await tell(dataDir, line!.id, "--verify");
  expect(good).toMatchObject({ code: 0, out: expect.stringContaining("verified: the stored parts") });
  const [question] = (await client.getThread({ params: { threadId } })).messages;
  const [row] = await server.store.read.partsOf(threadId, [question!.id]);
  const set = { body: row!.body.replace("a question", "another question") };
  const where = { thread: threadId, message: row!.message, n: row!.n };
  await server.store.commit([{ events: [], writes: [{ do: "update", table: "parts", set, where }] }]);
  expect(await tell(dataDir, line!.id, "--verify")).toMatchObject({
    code: 1,
    out: expect.stringContaining("NOT verified"),
  });
  expect(await tell(dataDir, "nothing", "--verify")).toMatchObject({
    code: 1,
    out: expect.stringContaining("Receipt nothing was not found"),
  });
});
