import { expect, test } from "vitest";
import { mintId, startInstance } from "../support/instance.ts";
import { noBrowser, openPage } from "./open-page.ts";

test.skipIf(noBrowser)("a memory that changed while it was edited is shown before it is overwritten", async () => {
  const { url, client } = await startInstance({ env: { STONECHAT_MODEL: "offline/stone", STONECHAT_FALLBACKS: "," } });
  const set = (field: "location" | "age", value: string) =>
    client.setMemory({ params: {}, body: { id: mintId("edit"), field, value } });
  const read = async () => (await client.getMemory({ params: {}, query: {} })).memory.location?.value;
  await set("location", "Rennes");
  const page = await openPage(url, { viewport: { width: 1440, height: 900 } });
  await page.getByRole("button", { name: "Memory" }).click();
  const rows = page.getByRole("list", { name: "Remembered" }).getByRole("listitem");
  const row = rows.filter({ hasText: "Location" });
  await row.getByRole("button", { name: "Edit location" }).click();
  await row.getByRole("textbox", { name: "Location" }).fill("Cancale");
  await set("location", "Brest");
  await set("age", "41");
  await rows.filter({ hasText: "Age" }).getByText("41").waitFor();
  await row.getByRole("button", { name: "Save" }).click();
  await row.getByRole("alert").filter({ hasText: "This was changed elsewhere to “Brest”." }).waitFor();
  expect(await read()).toBe("Brest");
  await row.getByRole("button", { name: "Save" }).click();
  await expect.poll(read).toBe("Cancale");
});
