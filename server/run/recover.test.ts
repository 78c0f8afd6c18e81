import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { textOf, type ThreadView } from "../../protocol/fold.ts";
import { createEffects, readEffects } from "../../test/support/server/effects.ts";
import { followThread } from "../../test/support/server/event-stream.ts";
import { openThreadClient } from "../../test/support/server/thread-client.ts";
import { until } from "../../test/support/server/until.ts";
import { readConfig } from "../config/config.ts";
import { DAY_MS } from "../lib/clock.ts";
import { serve } from "../serve.ts";
import { openConnection } from "../store/sqlite/connection.ts";
import type { RunState } from "./state.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stonechat-recover-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function start() {
  const settings = {
    STONECHAT_PORT: "0",
    STONECHAT_SCRIPTED: "1",
    STONECHAT_LOG: "error",
    STONECHAT_GRACE_SECONDS: "0",
  };
  const { url, close } = await serve(readConfig({ ...settings, STONECHAT_DATA: folder }), {
    tools: createEffects(folder) as never,
  });
  return { url, close, client: createClient({ baseUrl: url }) };
}

const runs = ({ messages }: ThreadView): boolean =>
  messages.at(-1)?.parts.some((part) => part.kind === "tool" && part.state === "running") ?? false;

test("a tool call repeated after a restart is the same in the replayed stream and in the loaded thread", async () => {
  const first = await start();
  const talk = await openThreadClient(first);
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

test("a pure call made through use_tool is repeated after a restart, other calls are not", async () => {
  const first = await start();
  const talk = await openThreadClient(first);
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

const listRuns = "select id, body from runs where ended = 0";

function changeStoredRun(change: Partial<RunState>): void {
  const db = openConnection({ file: join(folder, "stonechat.db") });
  const [row] = db.prepare<[], { id: string; body: string }>(listRuns).all();
  const body = JSON.stringify({ ...JSON.parse(row?.body ?? "{}"), ...change });
  db.prepare("update runs set body = ?, handed_over = 0 where id = ?").run(body, row?.id);
  db.close();
}

function readStoredRun(): RunState {
  const db = openConnection({ file: join(folder, "stonechat.db") });
  const [row] = db.prepare<[], { body: string }>(listRuns).all();
  db.close();
  return JSON.parse(row?.body ?? "{}") as RunState;
}

/** Simulates a third crash while the step was being settled. */
const countThreeCrashes = (): void => changeStoredRun({ crashes: 3 });

test("Retry restarts the time limit of a run that was parked long ago", async () => {
  const first = await start();
  const client = await openThreadClient(first);
  await client.send("say 3 words then hang");
  await client.follower.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []).includes("w3"));
  client.close();
  await first.close();
  countThreeCrashes();
  const { threadId } = client;
  const second = await start();
  const isParked = async () => (await second.client.getThread({ params: { threadId } })).run?.state === "parked";
  await until("it is parked", isParked);
  await second.close();
  changeStoredRun({ countedFrom: Date.now() - DAY_MS });
  const third = await start();
  await third.client.retryRun({ params: { threadId }, body: { id: "retry-later" } });
  const load = () => third.client.getThread({ params: { threadId } });
  await until("it runs again", async () => (await load()).run?.state === "running");
  const { countedFrom } = readStoredRun();
  await third.close();
  expect(Date.now() - countedFrom).toBeLessThan(DAY_MS / 2);
});

test.each(["Retry", "Discard"])("%s keeps the text of a step that was parked unsettled", async (choice) => {
  const first = await start();
  const talk = await openThreadClient(first);
  await talk.send("say 3 words then hang");
  await talk.follower.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []).includes("w3"));
  talk.close();
  await first.close();
  countThreeCrashes();
  const second = await start();
  const { threadId } = talk;
  const load = () => second.client.getThread({ params: { threadId } });
  await until("it is parked", async () => (await load()).run?.state === "parked");
  expect(textOf((await load()).messages.at(-1)?.parts ?? [])).toContain("w1 w2 w3");
  if (choice === "Retry") await second.client.retryRun({ params: { threadId }, body: { id: "retry" } });
  else await second.client.stopRun({ params: { threadId }, body: { id: "stop" } });
  const isThere = ({ run, messages }: Awaited<ReturnType<typeof load>>): boolean =>
    run?.state === (choice === "Retry" ? "running" : "ended") &&
    (messages.at(-1)?.parts ?? []).some(
      (part) => part.kind === "text" && part.state === "cut" && part.text === "w1 w2 w3",
    );
  await until("its text is settled", async () => isThere(await load()));
  await second.close();
});
