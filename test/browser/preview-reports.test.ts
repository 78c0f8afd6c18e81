import { expect, test } from "vitest";
import { noBrowser } from "./open-page.ts";
import { chooseSide, openWorkspacePage, startWorkspace } from "./workspace/start-workspace.ts";

const REPORTS = 3_000;
const flood = `<!doctype html><html lang="en"><head><title>Flood</title></head><body><script>
for (let seq = 1; seq <= ${REPORTS}; seq += 1)
  parent.postMessage({ type: "stonechat-preview", seq, loaded: true, logs: [] }, "*");
</script></body></html>`;

test.skipIf(noBrowser)("3,000 reports of a previewed page become a few requests, and the newest arrives", async () => {
  const server = await startWorkspace({ files: { "index.html": flood } });
  const browser = await openWorkspacePage(server);
  const sent: number[] = [];
  browser.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/logs"))
      sent.push((request.postDataJSON() as { seq: number }).seq);
  });
  await chooseSide(browser, "Preview");
  await expect.poll(() => sent, { timeout: 30_000 }).toContain(REPORTS);
  expect(sent.length).toBeGreaterThan(1);
  expect(sent.length).toBeLessThan(30);
});
