import type { Page } from "playwright-core";
import { composerOf, sendMessage } from "../open-page.ts";
import * as house from "./access-servers.ts";

/** Where a view begins. `isPhone`: what stands beside things at a desk is behind a button there. */
export type Scene = {
  readonly page: Page;
  readonly url: string;
  readonly isPhone: boolean;
  readonly sharePath: string;
};

export type View = {
  readonly name: string;
  readonly house: "lived" | "fresh" | "locked";
  /** The browser writes refusals down as errors, and here there is one. */
  readonly isRefused?: boolean;
  readonly open: (scene: Scene) => Promise<void>;
};

const lived = (name: string, open: View["open"]): View => ({ name, house: "lived", open });
const refused = (name: string, open: View["open"]): View => ({ name, house: "lived", isRefused: true, open });

/** An address, and what is there once the view is. */
const at =
  (path: string, role: Parameters<Page["getByRole"]>[0], name?: string | RegExp): View["open"] =>
  async ({ page, url }) => {
    await page.goto(url + path);
    await page
      .getByRole(role, name === undefined ? {} : { name })
      .first()
      .waitFor();
  };

/** A thread that is told, and what is pressed in it. */
const toldThen =
  (then: (scene: Scene) => Promise<void>): View["open"] =>
  async (scene) => {
    await house.stubAll(scene.page, scene.url);
    await then(scene);
  };

async function openSheet({ page, isPhone }: Scene, label: string): Promise<void> {
  if (isPhone) await page.getByRole("button", { name: "Threads", exact: true }).click();
  await page.getByRole("button", { name: label, exact: true }).click();
  await page.getByRole("dialog", { name: label }).waitFor();
}

const pressIn = (label: string): View["open"] =>
  toldThen(async ({ page }) => {
    await page.getByRole("button", { name: label }).first().click();
    await page.getByRole("button", { name: "Close", exact: true }).waitFor();
  });

const inSettings = (section: string): View =>
  lived(`settings: ${section}`, async (scene) => {
    await house.stubSettings(scene.page, scene.url);
    await at(`/settings/${section}`, "navigation", "Settings")(scene);
  });

const inProject = (tab: string): View =>
  lived(`project: ${tab || "home"}`, at(`/p/${house.projectId}${tab === "" ? "" : `/${tab}`}`, "heading", "Harbour"));

/** Every view there is, once. */
export const views: readonly View[] = [
  lived("start", at("/", "heading", "What is on your mind?")),
  { name: "first run", house: "fresh", open: at("/", "list", "What this is") },
  { name: "sign-in", house: "locked", isRefused: true, open: at("/", "button", "Sign in") },
  lived("thread", at(`/t/${house.talkId}`, "table")),
  lived("long thread", at(`/t/${house.longId}`, "article", "Stonechat")),
  lived("failed answer", at(`/t/${house.failedId}`, "button", "Retry")),
  refused("thread that is gone", at("/t/no-such-thread", "heading", "This thread no longer exists")),
  refused("project that is gone", at("/p/no-such-project", "heading", "This project no longer exists")),
  refused("address without anything", at("/nothing/here", "heading", "Page not found.")),
  lived("search", async ({ page, url }) => {
    await page.goto(`${url}/search#q=Heading`);
    await page.getByRole("region", { name: "Results" }).locator("mark").first().waitFor();
  }),
  refused("search that failed", async ({ page, url }) => {
    await page.route("**/api/search?*", (route) => route.abort());
    await page.goto(`${url}/search#q=Heading`);
    await page.getByRole("button", { name: "Try again" }).waitFor();
  }),
  lived("palette", async (scene) => {
    await at(`/t/${house.talkId}`, "table")(scene);
    await scene.page.keyboard.press("Control+k");
    await scene.page.getByRole("listbox", { name: "Commands" }).waitFor();
  }),
  lived("drawer or list", async (scene) => {
    await at("/", "heading", "What is on your mind?")(scene);
    if (scene.isPhone) await scene.page.getByRole("button", { name: "Threads", exact: true }).click();
    await scene.page.getByRole("link", { name: /Stones of the coast/ }).waitFor();
  }),
  lived("temporary thread", async (scene) => {
    const { page, isPhone } = scene;
    await at("/", "heading", "What is on your mind?")(scene);
    if (isPhone) await page.getByRole("button", { name: "Threads", exact: true }).click();
    await page.getByRole("button", { name: "Other ways to begin" }).click();
    await page.getByRole("menuitem", { name: "New temporary thread" }).click();
    await page.getByText("This thread is temporary").waitFor();
    await sendMessage(page, "Between us");
    if (isPhone) await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("table").waitFor();
  }),
  lived("share dialog", async (scene) => {
    await at(`/t/${house.talkId}`, "table")(scene);
    await scene.page.keyboard.press("Control+k");
    await scene.page.getByRole("combobox", { name: "Type a command or search" }).fill("share");
    await scene.page.keyboard.press("Enter");
    await scene.page.getByRole("dialog", { name: "Share this thread" }).waitFor();
  }),
  lived("shared page", (scene) => at(scene.sharePath, "table")(scene)),
  refused("shared no more", at(`/s/${"x".repeat(43)}`, "heading", "This link leads nowhere")),
  ...["models", "tools", "profiles", "appearance", "shortcuts", "data"].map(inSettings),
  ...["", "tasks", "timeline", "documents", "graph", "activity", "settings", "notes"].map(inProject),
  lived("one thing", at(`/p/${house.projectId}/tasks#${house.taskId}`, "textbox", "Title")),
  lived("one document", at(`/p/${house.projectId}/documents#${house.documentId}`, "table")),
  lived("workspace", at(`/p/${house.projectId}/files`, "region", "Workspace")),
  lived("thread of the builder", at("/t/built", "group", "View")),
  lived(
    "cards, sources and reasoning",
    toldThen(async ({ page }) => {
      await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
    }),
  ),
  lived(
    "kept copy",
    toldThen(async ({ page }) => {
      await page
        .getByRole("button", { name: /^Source 3:/ })
        .nth(1)
        .click();
      await page.locator("mark").waitFor();
    }),
  ),
  lived("what the model saw", pressIn("What the model saw")),
  lived("context and timeline", pressIn("Context of this thread")),
  lived("summary", pressIn("Summary of this thread")),
  lived(
    "preview of the context",
    toldThen(async ({ page }) => {
      await composerOf(page).fill("And in winter?");
      await page.getByRole("button", { name: "Preview what the model would see" }).click();
      await page.getByRole("tab", { name: /^In/ }).waitFor();
    }),
  ),
  lived(
    "memory",
    toldThen((scene) => openSheet(scene, "Memory")),
  ),
  lived(
    "usage",
    toldThen((scene) => openSheet(scene, "Usage")),
  ),
];
