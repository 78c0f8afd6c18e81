import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import type { ThreadView } from "../../protocol/fold.ts";
import { createEffects, readEffects } from "../../test/support/server/effects.ts";
import { followThread } from "../../test/support/server/event-stream.ts";
import { openTalk } from "../../test/support/server/talk.ts";
import { until } from "../../test/support/server/until.ts";
import { readConfig } from "../config/config.ts";
import { serve } from "../serve.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stonechat-recover-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function start() {
  const settings = { STONECHAT_PORT: "0", STONECHAT_SCRIPTED: "1", STONECHAT_LOG: "error", STONECHAT_DATA: folder };
  const { url, close } = await serve(readConfig(settings), { tools: createEffects(folder) as never });
  return { url, close, client: createClient({ baseUrl: url }) };
}

const runs = ({ messages }: ThreadView): boolean =>
  messages.at(-1)?.parts.some((part) => part.kind === "tool" && part.state === "running") ?? false;

test("a call that is run again after a restart is there for who follows from the beginning, as for who loads", async () => {
  const first = await start();
  const talk = await openTalk(first);
  await talk.send('call effect_pure {"token":"t","afterMs":50000} and call effect_once {"token":"u","afterMs":50000}');
  await talk.follower.until(runs);
  await until("both have begun", async () => readEffects(folder).length === 2);
  talk.close();
  await first.close();
  const second = await start();
  await until("it was run again", async () => readEffects(folder).length === 3);
  const { threadId } = talk;
  const loaded = await second.client.getThread({ params: { threadId } });
  const follower = followThread({ url: second.url, threadId });
  const followed = await follower.until(({ seq }) => seq >= loaded.seq);
  follower.close();
  await second.close();
  expect(followed.messages).toEqual(loaded.messages);
  expect(loaded.messages.at(-1)?.parts).toMatchObject([
    { kind: "context" },
    { kind: "step" },
    { kind: "tool", name: "effect_pure", state: "running" },
    { kind: "tool", name: "effect_once", state: "unknown" },
  ]);
});

test("a pure call made through use_tool is run again after a restart, another is not", async () => {
  const first = await start();
  const talk = await openTalk(first);
  const use = (name: string, token: string) =>
    `call use_tool ${JSON.stringify({ name, input: { token, afterMs: 50_000 } })}`;
  await talk.send(`${use("effect_pure", "t")} and ${use("effect_once", "u")}`);
  await talk.follower.until(runs);
  await until("both have begun", async () => readEffects(folder).length === 2);
  talk.close();
  await first.close();
  const second = await start();
  await until("it was run again", async () => readEffects(folder).length === 3);
  const { messages } = await second.client.getThread({ params: { threadId: talk.threadId } });
  await second.close();
  expect(
    readEffects(folder)
      .map(({ token }) => token)
      .toSorted(),
  ).toEqual(["t", "t", "u"]);
  expect(messages.at(-1)?.parts.filter(({ kind }) => kind === "tool")).toMatchObject([
    { name: "use_tool", state: "running" },
    { name: "use_tool", state: "unknown" },
  ]);
});
