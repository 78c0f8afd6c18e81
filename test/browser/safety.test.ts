import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { answersOf, noBrowser, openPage, questionsOf, seeText, sendMessage } from "./open-page.ts";
import { answerWith, startWithScriptedModel } from "./scripted-model.ts";

/** Another site that records visits. It is on this machine, so that the browser can reach it. */
async function startOtherSite() {
  const visits: string[] = [];
  const server = createServer((request, response) => {
    visits.push(request.url ?? "");
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return { visits, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test.skipIf(noBrowser)("the page sends no requests to other sites, regardless of model output", async () => {
  const { voice, url } = await startWithScriptedModel();
  const site = await startOtherSite();
  const page = await openPage(url);
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await sendMessage(page, `Look at ![mine](${site.url}/question.png)`);
  await answerWith(
    voice,
    [
      `![a bird](${site.url}/image.png)`,
      `<img src="${site.url}/raw.png"><script>fetch("${site.url}/script")</script>`,
      `<iframe src="${site.url}/frame"></iframe>`,
      `[![inner](${site.url}/inner.png)](${site.url}/link)`,
      `<link rel="stylesheet" href="${site.url}/style.css"><svg><image href="${site.url}/svg.png"/></svg>`,
      "The end of it",
    ].join("\n\n"),
  );
  await seeText(() => answersOf(page).innerText(), "The end of it");
  await page.getByRole("button", { name: "Regenerate" }).waitFor();
  await answersOf(page)
    .getByRole("link", { name: /^a bird/ })
    .waitFor();
  await seeText(() => answersOf(page).innerText(), "<script>");
  expect(await questionsOf(page).innerText()).toContain("![mine]");
  expect(await page.locator("article img, article iframe, article script").count()).toBe(0);
  await page.reload();
  await seeText(() => answersOf(page).innerText(), "The end of it");
  expect(requests.filter((request) => !request.startsWith(url) && !request.startsWith("data:"))).toEqual([]);
  expect(site.visits).toEqual([]);
});

test.skipIf(noBrowser)("control: the other site records a visit", async () => {
  const { url } = await startWithScriptedModel();
  const site = await startOtherSite();
  const page = await openPage(url);
  await page.goto(`${site.url}/visit`);
  expect(site.visits).toContain("/visit");
});

test.skipIf(noBrowser)("links with executable schemes are shown as text", async () => {
  const { voice, url } = await startWithScriptedModel();
  const page = await openPage(url);
  await sendMessage(page, "links please");
  await answerWith(voice, "[run](javascript:alert(1)) [data](data:text/html,x) [page](https://example.com/) end");
  await seeText(() => answersOf(page).innerText(), "end");
  const links = answersOf(page).getByRole("link");
  await expect
    .poll(() => links.evaluateAll((all) => all.map((link) => link.getAttribute("href"))))
    .toEqual(["https://example.com/"]);
  expect(await links.first().getAttribute("rel")).toContain("noopener");
});
