import { test } from "vitest";
import { checkAccess, devicesOf } from "./check-access.ts";
import { composerOf, noBrowser, openPage } from "./open-page.ts";
import { stubThread } from "./stub-thread.ts";
import * as stub from "./stub-parts.ts";
import { startWithScriptedModel } from "./scripted-model.ts";

const asking = stub.tool(9, "delete_file", {
  state: "asking",
  title: "Delete notes/tides.md",
  input: { path: "notes/tides.md" },
  asks: { code: "destroys", text: "It deletes something." },
});
const running = stub.tool(8, "scrape_webpage", {
  state: "running",
  input: { urls: ["https://a.example/", "https://b.example/"] },
  progress: { text: "Reading b.example", done: 1, of: 2 },
});
const others = [
  stub.tool(5, "calculate", { title: "12 * 3", output: { result: "36", exact: true, read: "12 × 3" } }),
  stub.tool(6, "mcp__files__read", { output: "[secret:token:0a1b2c3d]", redacted: 1 }),
  stub.tool(7, "pay", {
    state: "unknown",
    errorText: "The tool returned no result within 30 s. The call may have taken effect.",
  }),
];

for (const [name, options] of devicesOf(1)) {
  test.skipIf(noBrowser)(`cards, approvals and sources are accessible on ${name}`, async () => {
    const { url } = await startWithScriptedModel();
    const page = await openPage("about:blank", options);
    const parts = [stub.plan, stub.search, stub.pages, stub.memory, ...others, running, asking];
    const thread = await stubThread(page, url, { parts, artifacts: [stub.artifact] });
    await page.getByRole("button", { name: "Allow once" }).waitFor();
    await checkAccess(page, "asking");

    thread.settle({ ...running, ...stub.pages, id: running.id, n: running.n });
    thread.settle({ ...asking, state: "denied" });
    thread.settle(...stub.sources, stub.text(30, stub.answer), stub.citations);
    thread.setRun({
      state: "ended",
      outcome: "limit",
      reason: { code: "limit-steps", text: "This answer reached its limit of 8 steps." },
      endedAt: stub.at,
    });
    await page.getByText(/^Read 2 pages, 1 search/).click();
    for (const summary of await page
      .getByRole("group", { name: /^Tool / })
      .locator("summary")
      .all()) {
      await summary.evaluate((element) => element.closest("details")?.setAttribute("open", ""));
    }
    await page.getByRole("button", { name: "Reveal" }).click();
    await page.getByText("hunter2-the-secret").waitFor();
    await checkAccess(page, "answered");

    await page
      .getByRole("button", { name: /^Source 3:/ })
      .nth(1)
      .click();
    await page.locator("mark").waitFor();
    await checkAccess(page, "artifact");
    await page.getByRole("button", { name: "Close" }).click();

    await page.route("**/api/tools", (route) =>
      route.fulfill({ json: { commands: [{ command: "@basic", tool: "search_web", about: "Quick" }], tools: [] } }),
    );
    await composerOf(page).fill("@");
    await page.getByRole("listbox").waitFor();
    await checkAccess(page, "commands");
  });
}
