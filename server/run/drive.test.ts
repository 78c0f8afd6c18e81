import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createClient, type Client } from "../../protocol/client.ts";
import { textOf } from "../../protocol/fold.ts";
import { openTalk } from "../../test/support/server/talk.ts";
import { readConfig } from "../config/config.ts";
import { serve, type Server } from "../serve.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-drive-"));
let server: Server;
let client: Client;
beforeAll(async () => {
  server = await serve(
    readConfig({ STONECHAT_DATA: folder, STONECHAT_PORT: "0", STONECHAT_SCRIPTED: "1", STONECHAT_LOG: "error" }),
  );
  client = createClient({ baseUrl: server.url });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("a reload in the middle of an answer shows what was said, however far the list's own stream is ahead", async () => {
  for (let n = 0; n < 50; n += 1) await client.createThread({ body: { id: `other-${n}` } });
  const talk = await openTalk({ url: server.url, client });
  await talk.send("say one two three then hang");
  const shown = await talk.follower.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []) === "one two three");
  const reloaded = await client.getThread({ params: { threadId: talk.threadId } });
  expect(reloaded.messages).toEqual(shown.messages);
  await talk.stop();
  talk.close();
});
