import { expect, onTestFinished, test } from "vitest";
import { startServer, type ServerProcess } from "../support/server-process.ts";
import { answersOf, composerOf, noBrowser, openPage, questionsOf, seeText, sendMessage } from "./open-page.ts";

async function start(): Promise<ServerProcess> {
  const server = await startServer({ program: "main", env: { STONECHAT_LEASE_MS: "500" } });
  onTestFinished(server.close);
  return server;
}

const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index + 1}`).join(" ");

test.skipIf(noBrowser)("an answer interrupted by a killed server is completed after the restart", async () => {
  const server = await start();
  const page = await openPage(server.url, { allowErrors: true });
  await sendMessage(page, "say 120 words every 25ms");
  await seeText(() => answersOf(page).innerText(), "w20 ");
  await server.kill();
  await page.getByText("Reconnecting").waitFor();
  await server.restart();
  await page.getByRole("button", { name: "Regenerate" }).waitFor();
  await page.getByText("Reconnecting").waitFor({ state: "detached" });
  expect(await questionsOf(page).count()).toBe(1);
  const text = answersOf(page).locator(".prose").filter({ hasText: "w120", visible: true });
  expect(await text.innerText()).toBe(words(120));
  await answersOf(page)
    .getByText(/The answer continues from the text that was stored/)
    .first()
    .waitFor();
});

test.skipIf(noBrowser)("a message written while the server is down is sent once after the restart", async () => {
  const server = await start();
  const page = await openPage(server.url, { allowErrors: true });
  await sendMessage(page, "say first");
  await seeText(() => answersOf(page).innerText(), "first");
  await server.kill();
  await sendMessage(page, "say second");
  await page.getByText(/^Not sent\./).waitFor();
  const thread = page.url();
  await page.goto("about:blank");
  await server.restart();
  await page.goto(thread);
  await composerOf(page).waitFor();
  await seeText(() => answersOf(page).last().innerText(), "second");
  expect(await questionsOf(page).count()).toBe(2);
});
