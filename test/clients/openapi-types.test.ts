import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { say, startInstance } from "../support/instance.ts";

const root = join(import.meta.dirname, "../..");
const inModules = (path: string): string => join(root, "node_modules", path);
const runNode = (args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, [...args], { cwd, env: { ...process.env, ...env } }).catch(
    (error: { stdout: string; stderr: string; message: string }) =>
      Promise.reject(new Error(`${error.message}\n${error.stdout}\n${error.stderr}`)),
  );

/** The generator needs the API of TypeScript 5, which another package contains. TypeScript 7 has none yet. */
const hooks = `import { registerHooks } from "node:module";
const typescript = new URL("./typescript.mjs", import.meta.url).href;
registerHooks({
  resolve: (name, context, next) => (name === "typescript" ? { url: typescript, shortCircuit: true } : next(name, context)),
});`;
const typescript = 'import { ts } from "@ts-morph/common";\nexport default ts;';

const program = `import createClient from "openapi-fetch";
import type { components, operations, paths } from "./api.d.ts";

const client = createClient<paths>({
  baseUrl: process.env["STONECHAT_URL"]!,
  headers: { authorization: \`Bearer \${process.env["STONECHAT_KEY"]}\` },
});
const created = await client.POST("/api/threads", { body: { id: "t", profile: "stone" } });
if (created.error) throw new Error(created.error.error.message);
const title: string = created.data.title;
const message: operations["sendMessage"]["requestBody"]["content"]["application/json"] = {
  id: "m",
  text: "Hello?",
  mode: "queue",
};
const path = { threadId: created.data.id };
await client.POST("/api/threads/{threadId}/messages", { params: { path }, body: message });
let run: { state: string } | null | undefined;
while (run?.state !== "ended") {
  const { data } = await client.GET("/api/threads/{threadId}", { params: { path, query: { limit: 10 } } });
  run = data?.run;
  for (const part of data?.messages.at(-1)?.parts ?? [])
    if (run?.state === "ended" && part.kind === "text") console.log(part.text);
}
const event = { type: "keys-changed" } satisfies components["schemas"]["LogEvent"];
const refused = await client.DELETE("/api/keys/{keyId}", { params: { path: { keyId: "k" } } });
console.log(event.type, title.length, refused.response.status, refused.error?.error.code);

// @ts-expect-error: the id is missing
await client.POST("/api/threads", { body: { title: "x" } }).catch(() => {});
// @ts-expect-error: there is no such path
export const wrong: keyof paths = "/api/nothing";
`;

test("a client generated from the OpenAPI description compiles, sends a message and reads the answer", async () => {
  const instance = await startInstance({ script: () => say("Hello to you.") });
  const { token } = await instance.client.createKey({ body: { id: "k", name: "k", scopes: ["read", "chat"] } });
  const folder = mkdtempSync(join(tmpdir(), "stonechat-openapi-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  symlinkSync(inModules("."), join(folder, "node_modules"));
  const files = {
    "hooks.mjs": hooks,
    "typescript.mjs": typescript,
    "program.ts": program,
    "package.json": '{ "type": "module" }',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);

  const url = `${instance.url}/api/openapi.json`;
  const generator = inModules("openapi-typescript/bin/cli.js");
  await runNode(["--import", "./hooks.mjs", generator, url, "--output", "api.d.ts"], folder);
  const flags = ["--strict", "--module", "nodenext", "--target", "es2024", "--types", "node", "--noEmit"];
  await runNode([inModules("typescript/bin/tsc"), ...flags, "--allowImportingTsExtensions", "program.ts"], folder);

  const env = { STONECHAT_URL: instance.url, STONECHAT_KEY: token };
  const { stdout } = await runNode(["program.ts"], folder, env);
  expect(stdout).toBe("Hello to you.\nkeys-changed 0 403 forbidden\n");
});
