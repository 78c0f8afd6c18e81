import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createApiClient } from "../../protocol/api-client.ts";
import { findFreePort } from "../support/free-port.ts";
import { parseDockerfile, performSteps, toCommand, toVariables } from "../support/release/dockerfile.ts";
import { copyClone } from "../support/release/earlier-package.ts";
import { createFolder, root, run, runWell, startProgram } from "../support/release/packed.ts";

/** Without a container engine: the same steps in folders, with this machine's Node. The registry of npm is needed. */
test("the steps of the Dockerfile make a server that starts, is healthy, stops on SIGTERM and keeps its data", async () => {
  const folder = createFolder(true);
  const stages = parseDockerfile(readFileSync(join(root, "deploy/Dockerfile"), "utf8"));
  // A container has only what is committed or new, not the clone's node_modules.
  const context = join(folder, "context");
  await copyClone(context);
  const startedAt = Date.now();
  const image = await performSteps(stages, context, folder);
  const size = (await runWell("du", ["-sm", image.root])).split("\t")[0];
  console.log(`Dockerfile: ${Math.round((Date.now() - startedAt) / 1000)} s, ${size} MB without Node.`);
  expect(Number(size)).toBeLessThan(250);
  expect(readdirSync(image.workdir).toSorted()).toEqual([
    "LICENSE",
    "bin",
    "dist",
    "node_modules",
    "package.json",
    "scripts",
  ]);

  const last = stages.at(-1)!;
  const find = (wanted: string) => toCommand(last.instructions.find(({ name }) => name === wanted)?.rest ?? "");
  const port = String(await findFreePort());
  const given = toVariables(last);
  const env = {
    ...given,
    PATH: `${join(image.workdir, "bin")}:${process.env["PATH"]}`,
    HOME: "/nonexistent",
    STONECHAT_DATA: join(image.root, given["STONECHAT_DATA"] ?? ""),
    STONECHAT_PORT: port,
  };
  const options = { cwd: image.workdir, env };
  const [program = "", ...args] = find("ENTRYPOINT");
  const [check = "", ...checks] = find("HEALTHCHECK");
  expect((await run(check, checks, options)).code).toBe(1);
  const first = await startProgram(program, args, options);
  expect((await run(check, checks, options)).code).toBe(0);
  // 0.0.0.0 means accounts.
  const url = `http://127.0.0.1:${port}`;
  const [, token = ""] = /Create the first admin: \S+#(\S+)/.exec(first.output()) ?? [];
  const made = await fetch(`${url}/api/setup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token, name: "Ada", email: "ada@example.com", password: "a password for tests" }),
  });
  expect(made.status).toBe(200);
  const cookie = made.headers.get("set-cookie")?.split(";")[0] ?? "";
  const key = await fetch(`${url}/api/keys`, {
    method: "POST",
    headers: { "content-type": "application/json", cookie },
    body: JSON.stringify({ id: "k", name: "k", scopes: ["read", "chat"] }),
  });
  const { token: apiKey } = (await key.json()) as { token: string };
  const asked = await run("stonechat", ["ask", "What is 6 * 7?"], {
    ...options,
    env: { ...env, STONECHAT_KEY: apiKey },
  });
  expect(asked).toMatchObject({ code: 0, out: expect.stringContaining("42") });
  expect(await first.stop()).toBe(0);
  const second = await startProgram(program, args, options);
  const client = createApiClient({ baseUrl: url, key: apiKey });
  expect((await client.listThreads({})).threads).toHaveLength(1);
  expect(await second.stop()).toBe(0);
});
