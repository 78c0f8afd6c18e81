import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";

const root = join(import.meta.dirname, "../..");

async function tell(dataDir: string, ...args: readonly string[]) {
  const env = { ...process.env, STONECHAT_DATA: dataDir };
  const child = spawn(process.execPath, ["server/main.ts", "receipt", ...args], { cwd: root, env });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: code as number, out, err };
}

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
