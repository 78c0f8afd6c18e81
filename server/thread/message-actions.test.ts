import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock as clock } from "../lib/clock.ts";
import { systemIds as ids } from "../lib/ids.ts";
import { createLog } from "../log/log.ts";
import { createModels } from "../model/registry.ts";
import { openSqlite } from "../store/sqlite/open.ts";
import { createThreads } from "./threads.ts";
import { createUserActions } from "./user-actions.ts";

const me = { userId: "local" };

/** Thread modules without a runner: messages stay queued. */
async function openThread() {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-actions-"));
  const store = await openSqlite({ file: join(folder, "x.db") });
  const log = createLog({ store, clock, onError: () => {} });
  const models = createModels({ config: { keys: {}, scripted: () => [] }, clock });
  const threads = createThreads({ store, log, models, clock, ids });
  const admit = createUserActions({ store, log, threads, models, clock });
  onTestFinished(async () => {
    await log.close();
    await store.close();
    rmSync(folder, { recursive: true });
  });
  await threads.addUser("local");
  await threads.create(me, { id: "t", model: "scripted/script", profile: "stone" });
  const ask = async (id: string) => {
    const { branch, message_count, status } = await threads.get(me, "t");
    const expected = { branch, message_count, status };
    const message = { id, text: "Hi", target: null, model: "scripted/script", attachments: [], writes: [], expected };
    await admit.ask(me, "t", message);
  };
  const status = async () => (await threads.get(me, "t")).status;
  return { admit, ask, status };
}

test("a thread is idle again when the last message of a program is withdrawn before it was delivered", async () => {
  const { admit, ask, status } = await openThread();
  await ask("first");
  await ask("second");
  expect(await status()).toBe("streaming");
  await admit.withdraw(me, "t", "first");
  expect(await status()).toBe("streaming");
  await admit.withdraw(me, "t", "second");
  expect(await status()).toBe("idle");
});
