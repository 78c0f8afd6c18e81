import { expect, test } from "vitest";
import { accountsOn, join, setUp } from "../../support/accounts/accounts-instance.ts";
import { startInstance } from "../../support/instance.ts";
import { checkAccess } from "../check-access.ts";
import { composerOf, noBrowser } from "../open-page.ts";
import { openAs } from "./open-as.ts";

test.skipIf(noBrowser)("with accounts, the start page tells an admin how to allow a local model server", async () => {
  const instance = await startInstance({ env: { ...accountsOn, STONECHAT_SCRIPTED: "0" } });
  const ada = await setUp(instance);
  const bob = await join(instance.url, ada, { email: "bob@example.com", name: "Bob" });
  const page = await openAs(instance.url, ada);
  const hint = page.getByRole("complementary", { name: "About the demo model" });
  await hint.getByText("STONECHAT_ALLOW_PRIVATE=model=127.0.0.1:11434").waitFor();
  expect(await hint.innerText()).not.toContain("No model server was found");
  await checkAccess(page, "a hint about local model servers");
  const bobs = await openAs(instance.url, bob);
  await composerOf(bobs).waitFor();
  await bobs.getByText("An admin can connect a real model.").waitFor();
  expect(await bobs.getByText("STONECHAT_ALLOW_PRIVATE").count()).toBe(0);
});
