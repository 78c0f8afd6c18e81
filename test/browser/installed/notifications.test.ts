import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createGate, say, startInstance } from "../../support/instance.ts";
import { decryptMessage } from "../../support/push/decrypt.ts";
import { openPushServer, type PushBrowser } from "../../support/push/push-server.ts";
import { checkAccess } from "../check-access.ts";
import { composerOf, noBrowser, openPage, sendMessage } from "../open-page.ts";
import { openInstalled } from "./worker.ts";

const env = { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," };

/** Chromium cannot reach the push service of its vendor here, so subscriptions are made by the test's service. */
const withService = ({ endpoint, p256dh, auth }: PushBrowser): string => `
  let current = null;
  const make = (options) => ({
    endpoint: ${JSON.stringify(endpoint)},
    options: { applicationServerKey: Uint8Array.from(atob(options.applicationServerKey.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)).buffer },
    toJSON: () => (${JSON.stringify({ endpoint, keys: { p256dh, auth } })}),
    unsubscribe: async () => { current = null; sessionStorage.removeItem("push-options"); return true; },
  });
  PushManager.prototype.subscribe = async (options) => { sessionStorage.setItem("push-options", JSON.stringify(options)); return (current = make(options)); };
  PushManager.prototype.getSubscription = async () => {
    const options = sessionStorage.getItem("push-options");
    return current ?? (options ? (current = make(JSON.parse(options))) : null);
  };`;

/** Returns a function that hands a message to the service worker, as the browser does with one of its push service. */
async function openDelivery(page: Page, origin: string): Promise<(data: string) => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  const { promise, resolve } = Promise.withResolvers<string>();
  session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
    const found = registrations.find(({ scopeURL }) => scopeURL === `${origin}/`);
    if (found) resolve(found.registrationId);
  });
  await session.send("ServiceWorker.enable");
  const registrationId = await promise;
  return async (data) =>
    void (await session.send("ServiceWorker.deliverPushMessage", { origin, registrationId, data }));
}

const shown = (page: Page): Promise<readonly { title: string; body: string; tag: string }[]> =>
  page.evaluate(`navigator.serviceWorker.ready
    .then((one) => one.getNotifications())
    .then((all) => all.map(({ title, body, tag }) => ({ title, body, tag })))`);

test.skipIf(noBrowser)(
  "a click turns notifications on in this browser, and the service worker shows them in the language of the page",
  async () => {
    const service = await openPushServer();
    const browser = service.subscribe("/chromium");
    const { url, client } = await startInstance({
      env: { ...env, ...service.env },
      pushCa: service.ca,
      script: () => say("An answer."),
    });
    const page = await openInstalled(url, { permissions: ["notifications"], locale: "de-DE" });
    await page.addInitScript(withService(browser));
    await page.goto(`${url}/settings/notifications`);
    await page.getByRole("button", { name: "Benachrichtigungen einschalten" }).waitFor();
    await checkAccess(page, "notifications off");
    expect((await client.listPush({})).subscriptions).toEqual([]);
    await page.getByRole("button", { name: "Benachrichtigungen einschalten" }).click();
    await page.getByText("Benachrichtigungen sind in diesem Browser eingeschaltet.").waitFor();
    await page.getByText("Dieser Browser", { exact: true }).waitFor();
    await checkAccess(page, "notifications on");
    await page.getByRole("button", { name: "Test senden" }).click();
    await service.received(1);
    await page.getByRole("switch", { name: "Titel des Chats anzeigen" }).click();
    await expect
      .poll(async () => (await client.listPush({})).subscriptions.map(({ titles }) => titles))
      .toEqual([true]);

    await client.createThread({ body: { id: "asked" } });
    await client.sendMessage({ params: { threadId: "asked" }, body: { id: "m", text: "How deep is the sea?" } });
    await service.received(2);
    const deliver = await openDelivery(page, url);
    const [test, answered] = service.requests.map(({ body }) => decryptMessage(body, browser.receiver));
    await deliver(test ?? "");
    await expect
      .poll(() => shown(page))
      .toContainEqual({ title: "Benachrichtigungen funktionieren", body: "Das ist ein Test.", tag: "test" });
    await deliver(answered ?? "");
    await expect
      .poll(() => shown(page))
      .toContainEqual({ title: "Deine Antwort ist fertig", body: "How deep is the sea?", tag: "asked" });

    await page.getByRole("button", { name: "Ausschalten" }).click();
    await page.getByRole("button", { name: "Benachrichtigungen einschalten" }).waitFor();
    expect((await client.listPush({})).subscriptions).toEqual([]);
  },
);

test.skipIf(noBrowser)("nothing asks for a permission before a click, and a refusal is explained", async () => {
  const { url } = await startInstance({ env });
  const page = await openPage("about:blank", { serviceWorkers: "allow" });
  await page.addInitScript(
    "window.asked = 0; const ask = Notification.requestPermission.bind(Notification); Notification.requestPermission = () => { window.asked += 1; return ask(); };",
  );
  await page.goto(`${url}/settings/notifications`);
  // Headless Chromium refuses permissions that were not granted.
  await page
    .getByText(/Notifications are blocked for this site|Turn on notifications/)
    .first()
    .waitFor();
  expect(await page.evaluate("window.asked")).toBe(0);
  await page.goto(url);
  await composerOf(page).waitFor();
  expect(await page.evaluate("window.asked")).toBe(0);
});

test.skipIf(noBrowser)(
  "an answer in another thread is announced in the page, and counted in the title and on the icon",
  async () => {
    const gate = createGate();
    const { url, client } = await startInstance({
      env,
      script: async function* () {
        await gate.passed;
        yield* say("An answer.");
      },
    });
    const page = await openPage("about:blank");
    await page.addInitScript(
      "window.badges = []; navigator.setAppBadge = async (count) => { window.badges.push(count); };",
    );
    await page.goto(url);
    await sendMessage(page, "How deep is the sea?");
    await expect.poll(async () => (await client.listThreads({})).threads[0]?.status).toBe("streaming");
    await page.getByRole("link", { name: "New thread" }).first().click();
    await composerOf(page).waitFor();
    await expect.poll(() => page.title()).toBe("Stonechat");
    gate.open();
    await page.getByText("Answer ready: How deep is the sea?").waitFor();
    await expect.poll(() => page.title()).toBe("(1) Stonechat");
    expect(await page.evaluate("window.badges.at(-1)")).toBe(1);
    await page.getByRole("link", { name: "Open", exact: true }).click();
    await expect.poll(() => page.title()).toBe("How deep is the sea? · Stonechat");
    await expect.poll(() => page.evaluate("window.badges.at(-1)")).toBe(0);
  },
);
