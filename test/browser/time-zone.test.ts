import { expect, test } from "vitest";
import { createClient } from "../../protocol/client.ts";
import { startInstance } from "../support/instance.ts";
import { answersOf, noBrowser, openPage, seeText, sendMessage } from "./open-page.ts";

test.skipIf(noBrowser)("the server learns the browser's time zone, and answers in it", async () => {
  const { url } = await startInstance({ env: { STONECHAT_MODEL: "offline/stone" } });
  const page = await openPage(url, { timezoneId: "Pacific/Kiritimati" });
  const client = createClient({ baseUrl: url });
  await expect.poll(async () => (await client.getMe({})).timeZone).toBe("Pacific/Kiritimati");
  await sendMessage(page, "What time is it?");
  const format = new Intl.DateTimeFormat("en-GB", { dateStyle: "full", timeZone: "Pacific/Kiritimati" });
  await seeText(() => answersOf(page).innerText(), format.format(Date.now()));
  await seeText(() => answersOf(page).innerText(), "GMT+14");
});
