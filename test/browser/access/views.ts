import type { Page } from "playwright-core";
import { composerOf, sendMessage } from "../open-page.ts";
import * as servers from "./access-servers.ts";

/** The start of a view. `isPhone`: the sidebar is behind a button. */
export type Scene = {
  readonly page: Page;
  readonly url: string;
  readonly isPhone: boolean;
  readonly sharePath: string;
};

export type View = {
  readonly name: string;
  readonly server: "filled" | "fresh" | "locked";
  /** A request fails in this view, which the browser logs as an error. */
  readonly hasFailedRequest?: boolean;
  readonly open: (scene: Scene) => Promise<void>;
};

const filled = (name: string, open: View["open"]): View => ({ name, server: "filled", open });
const failing = (name: string, open: View["open"]): View => ({
  name,
  server: "filled",
  hasFailedRequest: true,
  open,
});

/** A path, and an element that shows that the view is ready. */
const at =
  (path: string, role: Parameters<Page["getByRole"]>[0], name?: string | RegExp): View["open"] =>
  async ({ page, url }) => {
    await page.goto(url + path);
    await page
      .getByRole(role, name === undefined ? {} : { name })
      .first()
      .waitFor();
  };

/** A stubbed thread, and actions in it. */
const stubbedThen =
  (then: (scene: Scene) => Promise<void>): View["open"] =>
  async (scene) => {
    await servers.stubAll(scene.page, scene.url);
    await then(scene);
  };

async function openSheet({ page, isPhone }: Scene, label: string): Promise<void> {
  if (isPhone) await page.getByRole("button", { name: "Threads", exact: true }).click();
  await page.getByRole("button", { name: label, exact: true }).click();
  await page.getByRole("dialog", { name: label }).waitFor();
}

const pressButton = (label: string): View["open"] =>
  stubbedThen(async ({ page }) => {
    await page.getByRole("button", { name: label }).first().click();
    await page.getByRole("button", { name: "Close", exact: true }).waitFor();
  });

const inSettings = (section: string): View =>
  filled(`settings: ${section}`, async (scene) => {
    await servers.stubSettings(scene.page, scene.url);
    await at(`/settings/${section}`, "navigation", "Settings")(scene);
  });

const inProject = (tab: string): View =>
  filled(
    `project: ${tab || "home"}`,
    at(`/p/${servers.projectId}${tab === "" ? "" : `/${tab}`}`, "heading", "Harbour"),
  );

/** All views of the page. */
export const views: readonly View[] = [
  filled("start", at("/", "heading", "What is on your mind?")),
  { name: "first run", server: "fresh", open: at("/", "list", "About Stonechat") },
  { name: "sign-in", server: "locked", hasFailedRequest: true, open: at("/", "button", "Sign in") },
  filled("thread", at(`/t/${servers.threadId}`, "table")),
  filled("long thread", at(`/t/${servers.longId}`, "article", "Stonechat")),
  filled("failed answer", at(`/t/${servers.failedId}`, "button", "Retry")),
  failing("missing thread", at("/t/no-such-thread", "heading", "This thread no longer exists")),
  failing("missing project", at("/p/no-such-project", "heading", "This project no longer exists")),
  failing("unknown path", at("/nothing/here", "heading", "Page not found.")),
  filled("search", async ({ page, url }) => {
    await page.goto(`${url}/search#q=Heading`);
    await page.getByRole("region", { name: "Results" }).locator("mark").first().waitFor();
  }),
  failing("failed search", async ({ page, url }) => {
    await page.route("**/api/search?*", (route) => route.abort());
    await page.goto(`${url}/search#q=Heading`);
    await page.getByRole("button", { name: "Retry" }).waitFor();
  }),
  filled("palette", async (scene) => {
    await at(`/t/${servers.threadId}`, "table")(scene);
    await scene.page.keyboard.press("Control+k");
    await scene.page.getByRole("listbox", { name: "Commands" }).waitFor();
  }),
  filled("drawer or list", async (scene) => {
    await at("/", "heading", "What is on your mind?")(scene);
    if (scene.isPhone) await scene.page.getByRole("button", { name: "Threads", exact: true }).click();
    await scene.page.getByRole("link", { name: /Stones of the coast/ }).waitFor();
  }),
  filled("temporary thread", async (scene) => {
    const { page, isPhone } = scene;
    await at("/", "heading", "What is on your mind?")(scene);
    if (isPhone) await page.getByRole("button", { name: "Threads", exact: true }).click();
    await page.getByRole("button", { name: "More ways to start" }).click();
    await page.getByRole("menuitem", { name: "New temporary thread" }).click();
    await page.getByText("This thread is temporary").waitFor();
    await sendMessage(page, "Between us");
    if (isPhone) await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("table").waitFor();
  }),
  filled("share dialog", async (scene) => {
    await at(`/t/${servers.threadId}`, "table")(scene);
    await scene.page.keyboard.press("Control+k");
    await scene.page.getByRole("combobox", { name: "Type a command or search" }).fill("share");
    await scene.page.keyboard.press("Enter");
    await scene.page.getByRole("dialog", { name: "Share this thread" }).waitFor();
  }),
  filled("shared page", (scene) => at(scene.sharePath, "table")(scene)),
  failing("expired share link", at(`/s/${"x".repeat(43)}`, "heading", "This link is no longer shared")),
  ...["models", "tools", "profiles", "keys", "notifications", "appearance", "shortcuts", "data"].map(inSettings),
  ...["", "tasks", "timeline", "documents", "graph", "activity", "settings", "notes"].map(inProject),
  filled("entity", at(`/p/${servers.projectId}/tasks#${servers.taskId}`, "textbox", "Title")),
  filled("document", at(`/p/${servers.projectId}/documents#${servers.documentId}`, "table")),
  filled("workspace", at(`/p/${servers.projectId}/files`, "region", "Workspace")),
  filled("builder thread", at("/t/built", "group", "View")),
  filled(
    "cards, sources and reasoning",
    stubbedThen(async ({ page }) => {
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    }),
  ),
  filled(
    "artifact",
    stubbedThen(async ({ page }) => {
      await page
        .getByRole("button", { name: /^Source 3:/ })
        .nth(1)
        .click();
      await page.locator("mark").waitFor();
    }),
  ),
  filled("what the model saw", pressButton("What the model saw")),
  filled("context and timeline", pressButton("Context of this thread")),
  filled("summary", pressButton("Summary of this thread")),
  filled(
    "preview of the context",
    stubbedThen(async ({ page }) => {
      await composerOf(page).fill("And in winter?");
      await page.getByRole("button", { name: "Preview what the model would see" }).click();
      await page.getByRole("tab", { name: /^In/ }).waitFor();
    }),
  ),
  filled(
    "memory",
    stubbedThen((scene) => openSheet(scene, "Memory")),
  ),
  filled(
    "usage",
    stubbedThen((scene) => openSheet(scene, "Usage")),
  ),
];
