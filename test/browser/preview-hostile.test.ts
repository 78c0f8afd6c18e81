import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { startBareProxy } from "./preview/bare-proxy.ts";
import { noBrowser, openPage } from "./open-page.ts";
import { listAttacks, startCanary, type Attack } from "./preview/attacks.ts";
import { tryAll } from "./preview/try-all.ts";
import { framePreview, writeWorkspace, type Sources } from "./preview/write-workspace.ts";

async function openPreview(files: Sources) {
  const instance = await startInstance();
  await writeWorkspace(instance.server.store, "p", files);
  const { url } = await instance.client.openPreview({ params: { projectId: "p" }, body: {} });
  return { instance, address: url };
}

const toPages = (attacks: ReturnType<typeof listAttacks>): Sources =>
  Object.fromEntries(attacks.map(({ name, page }) => [`${name}.html`, page]));

/** Runs all attacks in a few pages. A page is replaced if an attack could navigate it away or crashes it. */
async function attackAll(url: string, attacks: readonly Attack[], attack: (page: Page, one: Attack) => Promise<void>) {
  const waiting = [...attacks];
  const work = async () => {
    let page: Page | undefined;
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      page ??= await openPage(url, { allowErrors: true });
      const here = page;
      const ended = new Promise<"ended">((resolve) => here.once("crash", () => resolve("ended")));
      const outcome = await Promise.race([attack(here, one), ended]);
      if (outcome !== "ended" && !/^(top|parent|form-top|window)/.test(one.name)) continue;
      page = undefined;
      await here.close();
    }
  };
  await Promise.all(Array.from({ length: 3 }, work));
}

test.skipIf(noBrowser)("a hostile page connects only to its own preview", { timeout: 240_000 }, async () => {
  const canary = await startCanary();
  const attacks = listAttacks(canary);
  const { instance, address } = await openPreview(toPages(attacks));
  let tried = 0;
  await attackAll(instance.url, attacks, async (page, { name }) => {
    tried += 1;
    await framePreview(page, "p", `${address}${name}.html`);
    // More round trips through the browser than any attack needs.
    for (let turn = 0; turn < 5; turn++) await page.evaluate("fetch('/healthz').then((answer) => answer.text())");
    expect(page.url(), name).toBe(`${instance.url}/`);
    expect(page.context().pages().length, name).toBe(1);
  });
  expect(tried).toBeGreaterThan(35);
  expect([...canary.seen.paths]).toEqual([]);
  expect(canary.seen).toMatchObject({ connections: 0, datagrams: 0 });
});

test.skipIf(noBrowser)("control: without the policies every attack succeeds", { timeout: 240_000 }, async () => {
  const canary = await startCanary();
  const attacks = listAttacks(canary);
  const { instance, address } = await openPreview(toPages(attacks));
  const bare = await startBareProxy(instance.url);
  await attackAll(bare.url, attacks, async (page, { name, leaves }) => {
    const src = JSON.stringify(`${address}${name}.html`);
    await page.evaluate(`void document.body.append(Object.assign(document.createElement("iframe"), { src: ${src} }))`);
    await expect.poll(() => leaves(canary.seen), { message: name }).toBe(true);
  });
});

test.skipIf(noBrowser)("a hostile page cannot read or change data of the app", async () => {
  const { instance, address } = await openPreview({ "index.html": "<p>hello</p>", "sw.js": "" });
  const threadId = await instance.start();
  const page = await openPage(instance.url, { allowErrors: true });
  await page.evaluate("localStorage.setItem('secret', 'ours')");
  const frame = await framePreview(page, "p", address);
  await frame.getByText("hello").waitFor();
  const outcomes = await tryAll(frame, threadId);
  const { "own storage": own, ...others } = outcomes;
  // It has its own storage, which is empty.
  expect(own).toBe("got null");
  expect(Object.entries(others).filter(([, outcome]) => outcome.startsWith("got"))).toEqual([]);
  expect(Object.keys(others)).toHaveLength(13);
  expect((await instance.client.listThreads({})).threads.map(({ id }) => id)).toContain(threadId);
});

test.skipIf(noBrowser)("control: without the sandbox and the policies it reads everything", async () => {
  const { instance, address } = await openPreview({ "index.html": "<p>hello</p>", "sw.js": "" });
  const threadId = await instance.start();
  const bare = await startBareProxy(instance.url);
  const page = await openPage(bare.url, { allowErrors: true });
  await page.evaluate("localStorage.setItem('secret', 'ours')");
  const frame = await framePreview(page, "p", address, false);
  await frame.getByText("hello").waitFor();
  const outcomes = await tryAll(frame, threadId);
  expect(Object.entries(outcomes).filter(([, outcome]) => !outcome.startsWith("got"))).toEqual([]);
  expect(outcomes["parent storage"]).toBe("got ours");
  expect((await instance.client.listThreads({})).threads.map(({ id }) => id)).not.toContain(threadId);
});

test.skipIf(noBrowser)("the server rejects requests from an opaque origin even without the policy", async () => {
  const { instance, address } = await openPreview({ "index.html": "<p>hello</p>" });
  const threadId = await instance.start();
  const bare = await startBareProxy(instance.url);
  const page = await openPage(bare.url, { allowErrors: true });
  const frame = await framePreview(page, "p", address);
  await frame.getByText("hello").waitFor();
  const outcomes = await tryAll(frame, threadId);
  for (const name of ["read, with credentials", "read, without", "delete, with credentials", "delete, without"]) {
    expect(outcomes[name], name).toBe("TypeError");
  }
  const refused = bare.passed.filter(({ path, origin }) => path.startsWith("/api/") && origin === "null");
  expect(refused.length).toBeGreaterThanOrEqual(4);
  expect(refused.filter(({ status }) => status !== 403)).toEqual([]);
  expect((await instance.client.listThreads({})).threads.map(({ id }) => id)).toContain(threadId);
});

test.skipIf(noBrowser)("opened in a separate tab, the preview runs in a sandboxed frame", async () => {
  const canary = await startCanary();
  const { instance, address } = await openPreview({
    "index.html": "<p>hello</p>",
    "away.html": `<p>going</p><script>location = "${canary.url}/away"</script>`,
  });
  const page = await openPage(instance.url + address, { allowErrors: true });
  const frame = page.frames()[1];
  await frame?.getByText("hello").waitFor();
  expect(await frame?.evaluate("self.origin")).toBe("null");
  await page.goto(`${instance.url}${address}away.html`);
  for (let turn = 0; turn < 5; turn++) await fetch(`${instance.url}/healthz`);
  expect(page.url()).toBe(`${instance.url}${address}away.html`);
  expect(canary.seen).toMatchObject({ connections: 0 });
});
