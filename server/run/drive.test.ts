import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { textOf, type ThreadView } from "../../protocol/fold.ts";
import { followThread } from "../../test/support/server/event-stream.ts";
import { openThreadClient } from "../../test/support/server/thread-client.ts";
import { readConfig } from "../config/config.ts";
import { serve } from "../serve.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stonechat-drive-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function start() {
  const settings = { STONECHAT_PORT: "0", STONECHAT_SCRIPTED: "1", STONECHAT_LOG: "error" };
  const { url, close } = await serve(readConfig({ ...settings, STONECHAT_DATA: folder }));
  return { url, close, client: createClient({ baseUrl: url }) };
}

const said = ({ messages }: ThreadView): string => textOf(messages.at(-1)?.parts ?? []);

test("a reload in the middle of an answer shows the streamed text although the user stream has higher seqs", async () => {
  const server = await start();
  for (let n = 0; n < 50; n += 1) await server.client.createThread({ body: { id: `other-${n}` } });
  const talk = await openThreadClient(server);
  await talk.send("say one two three then hang");
  const shown = await talk.follower.until((view) => said(view) === "one two three");
  const reloaded = await server.client.getThread({ params: { threadId: talk.threadId } });
  talk.close();
  await server.close();
  expect(reloaded.messages).toEqual(shown.messages);
});

test("closing the server interrupts a running answer, and the next start continues it", async () => {
  const first = await start();
  const talk = await openThreadClient(first);
  await talk.send("say one then hang");
  await talk.follower.until((view) => said(view) === "one");
  talk.close();
  await first.close();
  const second = await start();
  const again = followThread({ url: second.url, threadId: talk.threadId });
  const view = await again.until((next) => said(next) === "one" && next.messages.at(-1)!.parts.length > 4);
  again.close();
  await second.close();
  expect(view.run?.state).toBe("running");
  expect(view.messages.at(-1)?.parts).toMatchObject([
    { kind: "context" },
    { kind: "step", attempt: 1 },
    { kind: "text", state: "cut", text: "one" },
    { kind: "notice", code: "interrupted" },
    { kind: "step", attempt: 2 },
  ]);
});
