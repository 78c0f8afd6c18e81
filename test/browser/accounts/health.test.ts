import { expect, test } from "vitest";
import { accountsOn, join, setUp } from "../../support/accounts/accounts-instance.ts";
import { startInstance } from "../../support/instance.ts";
import { findRefusedUrl } from "../../support/provider-server.ts";
import { checkAccess, devicesOf } from "../check-access.ts";
import { noBrowser } from "../open-page.ts";
import { openAs } from "./open-as.ts";

for (const [name, options] of devicesOf(1))
  test.skipIf(noBrowser)(`an admin sees the state of the server and its problems on ${name}`, async () => {
    const env = { ...accountsOn, OPENROUTER_BASE_URL: await findRefusedUrl() };
    const instance = await startInstance({ env });
    const ada = await setUp(instance);
    const bob = await join(instance.url, ada, { email: "bob@example.com", name: "Bob" });
    const page = await openAs(instance.url, ada, "/settings/health", options);
    await page.getByText("The server makes no backups.").waitFor();
    await page.getByText("Set STONECHAT_BACKUP_FOLDER").waitFor();
    await page.getByText("SQLite", { exact: true }).waitFor();
    await checkAccess(page, "health");

    const params = { provider: "openrouter" } as const;
    await ada.client.setProviderKey({ params, body: { key: "sk-or-v1-0123456789abcdef" } });
    await ada.client.testProvider({ params, body: {} });
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The last test of OpenRouter failed.").waitFor();
    await checkAccess(page, "health with a failing provider");

    const members = await openAs(instance.url, bob, "/settings/health", { ...options, allowErrors: true });
    await members.getByText("Only an admin can change this.").waitFor();
    expect(await members.getByText("SQLite", { exact: true }).count()).toBe(0);
  });
