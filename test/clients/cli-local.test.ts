import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../support/clients/cli.ts";
import { startServer } from "../support/server-process.ts";

const createFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-local-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
};

test("with --data a command uses the data in a folder without a running server, and leaves none running", async () => {
  const data = join(createFolder(), "data");
  // Neither the server of STONECHAT_URL nor its key is used.
  const env = { STONECHAT_URL: "http://127.0.0.1:9", STONECHAT_KEY: "sc_of_another_server" };
  const asked = await runCli(["ask", "What is granite?", "--data", data], env).finish();
  expect(asked).toMatchObject({ code: 0 });
  expect(asked.out).toContain("I do not know.");
  // The first server has released the folder, and the token of this environment is used for its own server.
  const token = { STONECHAT_TOKEN: "a-token-of-32-characters-or-more" };
  const listed = await runCli(["threads", "--data", data, "--json"], token).finish();
  expect(listed).toMatchObject({ code: 0, err: "" });
  expect(listed.out.trim().split("\n")).toHaveLength(1);
});

test("a folder that a server uses is left alone, and the problem is named", async () => {
  const server = await startServer();
  onTestFinished(server.close);
  const { code, err } = await runCli(["threads", "--data", server.dataDir]).finish();
  expect(code).toBe(1);
  expect(err).toMatch(/is in use by process \d+/);
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
});

test("the server of a command that is killed stops in order", async () => {
  const data = createFolder();
  const chat = runCli(["chat", "--data", data], { STONECHAT_OFFLINE_PACE_MS: "100" });
  await chat.until("err", "/exit leaves");
  chat.type("What is granite?");
  await chat.until("out", "I do");
  chat.child.kill("SIGKILL");
  await chat.ended;
  await expect
    .poll(() => runCli(["threads", "--data", data]).finish(), { timeout: 20_000 })
    .toMatchObject({ code: 0, out: expect.stringContaining("What is granite?") });
});

test("--data and --url together are wrong usage, and a wrong command starts no server", async () => {
  const data = join(createFolder(), "data");
  expect(await runCli(["threads", "--data", data, "--url", "http://127.0.0.1:9"]).finish()).toMatchObject({ code: 2 });
  expect(await runCli(["thread", "--data", data]).finish()).toMatchObject({ code: 2 });
  expect(existsSync(data)).toBe(false);
  const file = join(createFolder(), "file");
  writeFileSync(file, "");
  expect(await runCli(["threads", "--data", file]).finish()).toMatchObject({
    code: 1,
    err: expect.stringContaining("cannot start"),
  });
});
