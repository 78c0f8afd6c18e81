import { expect, test } from "vitest";
import { startServer } from "../support/server-process.ts";
import { readEffects } from "../support/server/effects.ts";
import { openThreadClient } from "../support/server/thread-client.ts";
import { noBrowser, openPage, seeText } from "./open-page.ts";

test.skipIf(noBrowser)("a parked answer shows the reason; Retry runs it again and Discard ends it", async () => {
  const server = await startServer({ spare: true, env: { STONECHAT_LEASE_MS: "500" } });
  const thread = await openThreadClient(server);
  void thread.send('say one then call effect_exit {"token":"t","times":6} then say two').catch(() => {});
  const crash = async () => {
    for (let crashes = 0; crashes < 3; crashes += 1) {
      await server.exited();
      await server.restart();
    }
    await thread.follower.until(({ run }) => run?.state === "parked");
  };
  await crash();
  const page = await openPage(`${server.url}/t/${thread.threadId}`, { allowErrors: true });
  const parked = page.getByRole("group", { name: "Parked answer" });
  await seeText(() => parked.innerText(), /The server stopped three times while running `effect_exit`/);
  const screenshotPath = process.env["STONECHAT_PICTURE"];
  if (screenshotPath !== undefined) await page.screenshot({ path: screenshotPath });
  await parked.getByRole("button", { name: "Retry" }).click();
  await crash();
  expect(readEffects(server.dataDir)).toHaveLength(6);
  await parked.waitFor();
  await parked.getByRole("button", { name: "Discard" }).click();
  await thread.follower.until(({ run }) => run?.outcome === "stopped");
  await parked.waitFor({ state: "detached" });
  expect(readEffects(server.dataDir)).toHaveLength(6);
  thread.close();
  await server.close();
});
