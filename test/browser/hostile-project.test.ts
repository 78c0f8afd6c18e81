import { expect, test } from "vitest";
import type { EntityOp } from "../../protocol/project/project.ts";
import { tryAttach } from "../support/attachments/attach.ts";
import { mintId, say, startInstance } from "../support/instance.ts";
import { inBatches, isDeep, listPayloads, takeEvery } from "./hostile/payloads.ts";
import { inBlocks, inLine, markOf } from "./hostile/stub-payloads.ts";
import { expectQuiet, seeMarks, settle, unfold, watch } from "./hostile/watch.ts";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, seeText } from "./open-page.ts";
import { startCanary } from "./preview/attacks.ts";

const env = { STONECHAT_MODEL: "scripted/script", STONECHAT_FALLBACKS: "," };
const tall = { viewport: { width: 1440, height: 3000 } };
const kinds = ["task", "goal", "milestone", "event", "note", "document"] as const;
const longTitle = 200;

/** Writes the payloads through the real server, so that only accepted ones are rendered. */
async function startWith(payloads: readonly string[]) {
  const instance = await startInstance({ env, script: () => say(payloads.map(inBlocks).join("\n\n")) });
  const { client } = instance;
  const params = { projectId: "hostile" };
  await client.createProject({
    body: { id: params.projectId, name: (payloads[0] ?? "x").slice(0, 60).toWellFormed() },
  });
  const usable = payloads.map((payload) => payload.replaceAll("\u0000", "").toWellFormed());
  const ops = usable.map((payload, index): EntityOp => ({
    do: "create",
    id: `thing-${index}`,
    parentId: null,
    kind: kinds[index % kinds.length] ?? "task",
    title: inLine(payload, index).slice(0, longTitle).toWellFormed(),
    body: inBlocks(payload, index),
    ...(index % 2 ? { startsAt: Date.now(), endsAt: Date.now() + 86_400_000 } : {}),
  }));
  const whole: EntityOp = {
    ...{ do: "create", id: "whole", parentId: null, kind: "document", title: "All of them" },
    body: usable.map(inBlocks).join("\n\n"),
  };
  await client.act({ params, body: { id: mintId("act"), ops: [...ops, whole] } });
  const taken: string[] = [];
  for (const [index, payload] of usable.entries()) {
    const path = `src/${index}-${payload.replaceAll(/[/\\\s]/g, "").slice(0, 60)}.html`;
    const op = { do: "write" as const, path, was: null, text: inBlocks(payload, index) };
    await client.writeFiles({ params, body: { id: mintId("act"), ops: [op] } }).then(
      () => taken.push(path),
      () => undefined,
    );
  }
  return { ...instance, taken, projectUrl: `${instance.url}/p/${params.projectId}` };
}

test.skipIf(noBrowser)(
  "hostile text in a project, its documents and files runs no scripts and sends no requests",
  { timeout: 60 * 60_000 },
  async () => {
    const canary = await startCanary();
    const all = listPayloads(canary.url);
    for (const payloads of inBatches(isDeep ? all : takeEvery(all, 2), 60)) {
      const { url, projectUrl, taken, client } = await startWith(payloads);
      const page = await openPage("about:blank", tall);
      const seen = await watch(page, url);
      const marks = payloads.map((_, index) => markOf(index));
      const marksOf = (kind: string) => marks.filter((_, index) => kinds[index % kinds.length] === kind);
      const quiet = (where: string) => expectQuiet(page, seen, canary, where);
      const shown: Readonly<Record<string, readonly string[]>> = {
        "": [],
        tasks: marksOf("task").slice(0, 5),
        timeline: marksOf("event").slice(1, 2),
        documents: marksOf("document").slice(0, 5),
        graph: [],
        activity: [],
        notes: marksOf("note").slice(0, 5),
        settings: [],
      };
      for (const [tab, expected] of Object.entries(shown)) {
        await page.goto(tab === "" ? projectUrl : `${projectUrl}/${tab}`);
        await page.getByRole("heading", { level: 1 }).waitFor();
        await seeMarks(page, expected, tab);
        await unfold(page);
        await quiet(tab);
      }
      await page.goto(`${projectUrl}/documents#whole`);
      await seeMarks(page, marks.slice(0, 3), "document");
      await quiet("document");
      for (const mode of ["Write", "Details and links", "Versions"]) {
        await page.getByRole("button", { name: mode, exact: true }).click();
        await settle(page);
        await quiet(mode);
      }
      for (const path of takeEvery(taken, isDeep ? 1 : 12)) {
        await page.goto(`${projectUrl}/files#${new URLSearchParams({ file: path })}`);
        await page.reload();
        await page.getByRole("textbox", { name: `Text of ${path}` }).waitFor();
      }
      await quiet("files");

      await client.createThread({ body: { id: "in-it", projectId: "hostile", focusId: "thing-0" } });
      await page.goto(`${url}/t/in-it`);
      await composerOf(page).focus();
      await page.keyboard.type("@m1");
      await page.getByRole("listbox", { name: "Suggestions" }).waitFor();
      await quiet("mentions");
      await page.goto(`${url}/search#q=m1`);
      await page.getByRole("region", { name: "Results" }).locator("mark").first().waitFor();
      await quiet("search in it");
      await page.context().close();
    }
  },
);

test.skipIf(noBrowser)(
  "hostile names and contents of attachments run no scripts and send no requests",
  { timeout: 60 * 60_000 },
  async () => {
    const canary = await startCanary();
    const all = listPayloads(canary.url, 200);
    let taken = 0;
    for (const payloads of inBatches(isDeep ? all : takeEvery(all, 6), 8)) {
      const { url } = await startInstance({ env, script: () => say("Seen.") });
      const marks: string[] = [];
      for (const [index, payload] of payloads.entries()) {
        // Only the last segment of a path is used as a name.
        const name = `${inLine(payload.replaceAll(/[/\\]/g, " "), index)}.svg`;
        const bytes = `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${inLine(payload, index)}</svg>`;
        if ("attachment" in (await tryAttach(url, { name, bytes }))) marks.push(markOf(index));
      }
      taken += marks.length;
      // Binary files are rejected and never rendered.
      if (marks.length === 0) continue;
      const page = await openPage("about:blank", tall);
      const seen = await watch(page, url);
      await page.goto(url);
      const tray = page.getByRole("list", { name: "Attached files" });
      await seeText(() => tray.innerText(), marks[0] ?? "");
      await expectQuiet(page, seen, canary, "tray");
      await composerOf(page).fill("What is in them?");
      await page.getByRole("button", { name: "Send", exact: true }).click();
      await seeText(() => answersOf(page).innerText(), "Seen.");
      const opened = questionsOf(page).getByRole("button", { name: /^Open / });
      for (let index = 0; index < (await opened.count()); index++) {
        await opened.nth(index).click();
        await page.getByRole("complementary", { name: "Saved copy" }).waitFor();
        await settle(page);
      }
      await expectQuiet(page, seen, canary, "files of a message");
      await page.context().close();
    }
    console.log(`${taken} hostile files: 0 scripts, 0 requests, 0 CSP reports`);
    expect(taken).toBeGreaterThan(12);
  },
);
