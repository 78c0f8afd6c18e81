import { test } from "vitest";
import { checkAccess, devicesOf } from "../check-access.ts";
import { noBrowser, openPage } from "../open-page.ts";
import { startProject } from "./start-project.ts";

const day = 86_400_000;
const things = [
  { kind: "goal", title: "The mole stands", state: "active", endsAt: Date.now() + 40 * day },
  { kind: "milestone", title: "Foundation poured", endsAt: Date.now() - 3 * day },
  { kind: "task", title: "Order granite", priority: "urgent", endsAt: Date.now() - day, body: "- [ ] contract" },
  { kind: "task", title: "Fetch sand", state: "done", priority: "low" },
  { kind: "event", title: "Site meeting", startsAt: Date.now(), endsAt: Date.now() + 3_600_000 },
  { kind: "document", title: "Handbook", body: "# Rules\n\n| a | b |\n|---|---|\n| 1 | 2 |" },
] as const;

async function open(options: Parameters<typeof openPage>[1]) {
  const project = await startProject(things);
  const [goal = "", , task = "", , , document = ""] = project.ids;
  await project.act({ do: "link", sourceId: task, targetId: goal, relation: "supports" });
  const page = await openPage(project.toUrl(), options);
  const check = (where: string) => checkAccess(page, where);
  return { ...project, page, check, task, document };
}

// test/browser/access-all.test.ts checks the tabs.
for (const [name, options] of devicesOf(0)) {
  test.skipIf(noBrowser)(`entity, document and chips have no axe findings on ${name}`, async () => {
    const { page, check, toUrl, task, document, client, url, projectId } = await open(options);
    const found = page.getByRole("listbox").getByRole("option").first();
    await client.createThread({ body: { id: "talk", title: "Talk", projectId, focusId: task } });
    await page.goto(toUrl("tasks", task));
    await page.getByRole("textbox", { name: "Title" }).waitFor();
    await page.getByRole("button", { name: "Link", exact: true }).click();
    await found.waitFor();
    await check("task");
    await page.goto(toUrl("documents", document));
    await page.getByRole("heading", { name: "Rules" }).waitFor();
    await check("document");
    for (const mode of ["Write", "Details and links", "Versions"]) {
      await page.getByRole("button", { name: mode, exact: true }).click();
      await check(mode);
    }
    await page.goto(`${url}/p/${projectId}/new#${task}`);
    await page.getByRole("button", { name: /^Focus: Order granite/ }).waitFor();
    await check("new thread");
    await page.goto(`${url}/t/talk`);
    await page.getByRole("button", { name: /^Focus: Order granite/ }).click();
    await found.waitFor();
    await check("focus");
  });
}
