import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { startHttpServer } from "../support/mcp/http-server.ts";
import { noBrowser, openPage, seeText } from "./open-page.ts";
import { findFreePort } from "../support/free-port.ts";

const token = "a-token-for-tests-only";

test.skipIf(noBrowser)("a sign-in to an MCP server is completed by a redirect from another site", async () => {
  const mcp = await startHttpServer({ signIn: true, name: "localhost" });
  const { url } = await startInstance({
    env: {
      STONECHAT_PORT: String(await findFreePort()),
      STONECHAT_TOKEN: token,
      STONECHAT_ALLOW_PRIVATE: "mcp=localhost",
    },
  });
  const added = await fetch(`${url}/api/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "notes", url: mcp.url }),
  });
  expect(added.status).toBe(200);
  const page = await openPage(`${url}/settings/tools`, { allowErrors: true });
  await page.getByLabel("Access token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  const card = page.getByRole("listitem", { name: "notes" });
  await seeText(() => card.innerText(), "Sign-in required");

  const callbacks: { readonly site: string | undefined; readonly hasCookie: boolean; readonly status: number }[] = [];
  page.context().on("response", (response) => {
    if (!response.url().includes("/api/mcp/callback")) return;
    void response
      .request()
      .allHeaders()
      .then((headers) =>
        callbacks.push({ site: headers["sec-fetch-site"], hasCookie: "cookie" in headers, status: response.status() }),
      );
  });
  const opening = page.context().waitForEvent("page");
  await card.getByRole("button", { name: "Sign in to notes" }).click();
  const opened = await opening;
  await seeText(() => opened.locator("main").innerText(), "You are signed in. You can close this tab.");
  await expect
    .poll(() => callbacks)
    .toEqual([
      { site: "cross-site", hasCookie: false, status: 200 },
      { site: "same-origin", hasCookie: true, status: 200 },
    ]);
  const used = opened.url();
  await opened.goto(used);
  await seeText(() => opened.locator("main").innerText(), "This sign-in has expired");
  await opened.close();
  await page.bringToFront();
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await seeText(() => card.innerText(), "1 tool");
});
