import { expect, test } from "vitest";
import { startServer } from "../support/server-process.ts";
import { readEffects } from "../support/server/effects.ts";
import { openThreadClient } from "../support/server/thread-client.ts";
import { noBrowser, openPage, seeText } from "./open-page.ts";

test.skipIf(noBrowser)("a parked answer says what happened; Retry runs it again, Discard ends it", async () => {
  const server = await startServer({ spare: true, env: { STONECHAT_LEASE_MS: "500" } });
  const talk = await openThreadClient(server);
  void talk.send('say one then call effect_exit {"token":"t","times":6} then say two').catch(() => {});
  const crash = async () => {
    for (let deaths = 0; deaths < 3; deaths += 1) {
      await server.exited();
      await server.restart();
    }
    await talk.follower.until(({ run }) => run?.state === "parked");
  };
  await crash();
  const page = await openPage(`${server.url}/t/${talk.threadId}`, { allowErrors: true });
  const parked = page.getByRole("group", { name: "Parked answer" });
  await seeText(() => parked.innerText(), /The server stopped three times while running `effect_exit`/);
  const picture = process.env["STONECHAT_PICTURE"];
  if (picture !== undefined) await page.screenshot({ path: picture });
  await parked.getByRole("button", { name: "Retry" }).click();
  await crash();
  expect(readEffects(server.dataDir)).toHaveLength(6);
  await parked.waitFor({ timeout: 60_000 });
  await parked.getByRole("button", { name: "Discard" }).click();
  await talk.follower.until(({ run }) => run?.outcome === "stopped");
  await parked.waitFor({ state: "detached" });
  expect(readEffects(server.dataDir)).toHaveLength(6);
  talk.close();
  await server.close();
});
