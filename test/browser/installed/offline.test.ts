import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { say, startInstance } from "../../support/instance.ts";
import { answersOf, composerOf, noBrowser, openPage, seeText, sendMessage } from "../open-page.ts";
import { listCached, openInstalled, seeNote } from "./worker.ts";

const env = { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," };
const secret = "only for the reader";
const built = join(import.meta.dirname, "../../../dist/web");

test.skipIf(noBrowser)("the page can be installed: Chromium accepts the manifest and its icons", async () => {
  const { url } = await startInstance({ env });
  const page = await openInstalled(url, { locale: "de-DE" });
  // The page loaded its language before it had a service worker.
  await expect
    .poll(async () => (await listCached(page)).map(({ path }) => path.replace(/-.{8}\.js$/, "")))
    .toContain("/assets/de");
  const session = await page.context().newCDPSession(page);
  const { errors, data } = (await session.send("Page.getAppManifest")) as { errors: object[]; data?: string };
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? "{}")).toMatchObject({ display: "standalone", share_target: { method: "POST" } });
  const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
  // Contexts of Playwright are incognito windows, which install nothing.
  expect(installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== "in-incognito")).toEqual([]);
  for (const path of ["/icon-192.png", "/icon-512.png", "/icon-maskable-512.png", "/icon-180.png", "/badge-96.png"]) {
    const response = await fetch(url + path);
    expect({ path, type: response.headers.get("content-type"), status: response.status }).toEqual({
      ...{ path, type: "image/png", status: 200 },
    });
    expect((await response.arrayBuffer()).byteLength).toBeLessThan(30_000);
  }
});

test.skipIf(noBrowser)(
  "without the server, an open thread stays, and the page starts and says that it is offline",
  async () => {
    const instance = await startInstance({ env, script: () => say(`An answer, ${secret}.`) });
    const page = await openInstalled(instance.url, { allowErrors: true });
    await sendMessage(page, `A question, ${secret}`);
    await seeText(() => answersOf(page).innerText(), secret);
    await page.goto(instance.url);
    await composerOf(page).fill("A draft that was not sent");
    const cached = await listCached(page);
    expect(cached.filter(({ path }) => path.startsWith("/assets/")).length).toBeGreaterThan(10);
    expect(cached.filter(({ path }) => path.startsWith("/api/") || path.startsWith("/t/"))).toEqual([]);
    expect(cached.filter(({ text }) => text.includes(secret))).toEqual([]);

    await page.goBack();
    await seeText(() => answersOf(page).innerText(), secret);
    await instance.leave();
    await seeNote(page, /Reconnecting|Offline/);
    expect(await answersOf(page).innerText()).toContain(secret);

    await page.goto(`${instance.url}/settings/appearance`);
    await page.getByRole("radio", { name: "Dark" }).waitFor({ state: "attached" });
    await page.goto(instance.url);
    await seeText(() => composerOf(page).inputValue(), "A draft that was not sent");
    await seeNote(page, /Reconnecting|Offline/);
    const csp = await page.evaluate(
      `fetch("/").then((response) => response.headers.get("content-security-policy"), () => caches.match("/index.html").then((one) => one.headers.get("content-security-policy")))`,
    );
    expect(csp).toContain("script-src 'self'");
    // Never from a cache: they sign in, or are for other people.
    for (const path of [`/s/${"x".repeat(43)}`, "/invite", "/api/docs"])
      await expect(page.goto(instance.url + path)).rejects.toThrow(/ERR_CONNECTION_REFUSED/);
  },
);

/** A build of the page whose chunks all have other names, as after a change of each. */
function writeNextVersion(folder: string): void {
  const assets = join(folder, "assets");
  const names = readdirSync(assets);
  const toNext = (name: string) => name.replace(/-([\w-]{8})\.(js|css)$/, "-next$1.$2");
  const texts = [...names.filter((name) => /\.(js|css)$/.test(name)).map((name) => join(assets, name))];
  for (const file of [...texts, join(folder, "index.html"), join(folder, "service-worker.js")]) {
    let text = readFileSync(file, "utf8");
    for (const name of names) text = text.replaceAll(name, toNext(name));
    writeFileSync(file, text.replace(/version:"(\w{12})"|"version":"(\w{12})"/, '"version":"next"'));
  }
  for (const name of names) renameSync(join(assets, name), join(assets, toNext(name)));
}

test.skipIf(noBrowser)(
  "a new version is shown at the next load, and an open page keeps loading chunks of its version",
  async () => {
    const webDir = mkdtempSync(join(tmpdir(), "stonechat-web-"));
    onTestFinished(() => rmSync(webDir, { recursive: true, force: true }));
    cpSync(built, webDir, { recursive: true });
    const { url } = await startInstance({ env, webDir });
    const page = await openInstalled(url, { allowErrors: true });
    const entryOf = () => page.evaluate("document.querySelector('script[src^=\"/assets/main\"]').src");
    const before = await entryOf();
    writeNextVersion(webDir);
    await page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update())");
    await page.getByText("A new version of Stonechat is ready.").waitFor();
    expect(await entryOf()).toBe(before);
    // A chunk that this page has not loaded yet, and that the server no longer has.
    const chunk = readdirSync(join(built, "assets")).find((name) => name.startsWith("settings-page-")) ?? "";
    expect((await fetch(`${url}/assets/${chunk}`)).status).toBe(404);
    await page.keyboard.press("Control+,");
    await page.getByRole("navigation", { name: "Settings" }).waitFor();

    await page.getByRole("button", { name: "Reload" }).click();
    await expect.poll(entryOf).toContain("-next");
    await page.getByRole("navigation", { name: "Settings" }).waitFor();
    const loaded = (await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname).filter((path) => path.startsWith('/assets/'))",
    )) as string[];
    expect(loaded.length).toBeGreaterThan(2);
    expect(loaded.filter((path) => !path.includes("-next"))).toEqual([]);
    await page.context().close();
  },
);

test.skipIf(noBrowser)(
  "control: without the service worker a chunk of the previous version cannot be loaded",
  async () => {
    const webDir = mkdtempSync(join(tmpdir(), "stonechat-web-"));
    onTestFinished(() => rmSync(webDir, { recursive: true, force: true }));
    cpSync(built, webDir, { recursive: true });
    const { url } = await startInstance({ env, webDir });
    const page = await openPage(url, { allowErrors: true });
    await composerOf(page).waitFor();
    writeNextVersion(webDir);
    await page.keyboard.press("Control+,");
    await page.getByText("This part of the page could not be shown").waitFor();
    await page.getByRole("button", { name: "Reload" }).click();
    await page.getByRole("navigation", { name: "Settings" }).waitFor();
  },
);
