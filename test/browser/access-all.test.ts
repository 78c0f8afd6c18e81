import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAccessServers, type AccessServers } from "./access/access-servers.ts";
import { views, type View } from "./access/views.ts";
import { devices, devicesOf, findBarriers, type Device } from "./check-access.ts";
import { createPage, noBrowser } from "./open-page.ts";

let servers: AccessServers | undefined;
/** One page per device for all views, because a page that is loaded from the cache needs a third of the time. */
let pages: readonly ({ readonly device: Device[0] } & Awaited<ReturnType<typeof createPage>>)[] = [];
beforeAll(async () => {
  if (noBrowser) return;
  servers = await startAccessServers();
  pages = await Promise.all(devices.map(async ([device, options]) => ({ device, ...(await createPage(options)) })));
});
afterAll(async () => {
  await Promise.all(pages.map(({ page }) => page.context().close()));
  await servers?.close();
});

/** Removes routes and stored state of the view before. */
async function reset(page: Page): Promise<void> {
  if (page.url().startsWith("http")) await page.evaluate("localStorage.clear()");
  await page.goto("about:blank");
  await page.unrouteAll({ behavior: "ignoreErrors" });
  await page.context().clearCookies();
}

async function findIn(page: Page, ...about: [where: string, themes?: ["dark", "light"]]): Promise<readonly string[]> {
  const isTooWide = (await page.evaluate("document.documentElement.scrollWidth <= innerWidth")) !== true;
  return [...(await findBarriers(page, ...about)), ...(isTooWide ? [`${about[0]}: wider than the screen`] : [])];
}

async function findInView(view: View, all: AccessServers): Promise<readonly string[]> {
  const { url } = all[view.server];
  const chosen = devicesOf(views.indexOf(view)).map(([device]) => device);
  const found = await Promise.all(
    pages
      .filter(({ device }) => chosen.includes(device))
      .map(async ({ device, page, errors }) => {
        await reset(page);
        errors.length = 0;
        // The page itself is loaded by the view.
        await view.open({ page, url, isPhone: device === "phone", sharePath: all.filled.sharePath });
        const barriers = await findIn(page, `${view.name} on ${device}`);
        return [...barriers, ...(view.hasFailedRequest ? [] : errors)];
      }),
  );
  return found.flat();
}

test.skipIf(noBrowser)("a page with barriers is reported (control)", async () => {
  const [{ page } = expect.fail("no page")] = pages;
  await reset(page);
  await page.setContent('<main><img src="data:,"><p style="color: #ccc; background: #fff">pale</p></main>');
  const found = await findIn(page, "control", ["dark", "light"]);
  for (const scheme of ["dark", "light"])
    for (const rule of ["color-contrast", "image-alt"])
      expect(found).toContainEqual(expect.stringContaining(`control, ${scheme}: ${rule}`));
});

test.skipIf(noBrowser).each(views.map((view) => [view.name, view] as const))(
  "%s is accessible and fits the screen",
  async (_, view) => {
    expect(await findInView(view, servers as AccessServers)).toEqual([]);
  },
);
