import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { openThreadClient } from "../../test/support/server/thread-client.ts";
import { readConfig } from "../config/config.ts";
import { serve, type Server } from "../serve.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-deliver-"));
let server: Server;
beforeAll(async () => {
  server = await serve(
    readConfig({ STONECHAT_DATA: folder, STONECHAT_PORT: "0", STONECHAT_SCRIPTED: "1", STONECHAT_LOG: "error" }),
  );
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a delivered regeneration is removed from the queue in stream clients", async () => {
  const client = createClient({ baseUrl: server.url });
  const talk = await openThreadClient({ url: server.url, client });
  const first = await talk.answered(await talk.send("say one"));
  const params = { threadId: talk.threadId, messageId: first.message.id };
  await client.regenerateMessage({ params, body: { id: "again" } });
  const view = await talk.follower.until(
    ({ run, queue }) => run?.id !== first.run.id && run?.state === "ended" && queue.length === 0,
  );
  expect(view.messages.at(-1)?.variants).toEqual([first.message.id, "again"]);
  talk.close();
});
