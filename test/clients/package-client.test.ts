import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createApiClient, ResponseError } from "../../protocol/api-client.ts";
import { applyEvent, emptyThreadView, textOf } from "../../protocol/fold.ts";
import { aliasRoutes } from "../../protocol/surfaces/alias-routes.ts";
import { routes } from "../../protocol/routes.ts";
import { accountsOn } from "../support/accounts/accounts-instance.ts";
import { shareProject } from "../support/accounts/shared-project.ts";
import { createGate, say, startInstance } from "../support/instance.ts";

const root = join(import.meta.dirname, "../..");
const tsc = join(root, "node_modules/typescript/bin/tsc");
const runNode = (args: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) =>
  promisify(execFile)(process.execPath, [...args], { cwd, env: { ...process.env, ...env } }).catch(
    (error: { stdout: string; stderr: string; message: string }) =>
      Promise.reject(new Error(`${error.message}\n${error.stdout}\n${error.stderr}`)),
  );

/** A project that has installed the package, as far as its client needs it. */
async function createProject(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-package-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const home = join(folder, "node_modules/stonechat");
  mkdirSync(home, { recursive: true });
  cpSync(join(root, "package.json"), join(home, "package.json"));
  symlinkSync(join(root, "node_modules/zod"), join(folder, "node_modules/zod"));
  symlinkSync(join(root, "node_modules/@types"), join(folder, "node_modules/@types"));
  symlinkSync(join(root, "node_modules/undici-types"), join(folder, "node_modules/undici-types"));
  await runNode([tsc, "-p", "protocol/tsconfig.client.json", "--outDir", join(home, "dist/client")], root);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  return folder;
}

test("the example of docs/api.md compiles against the package and prints an answer", async () => {
  const [, example = ""] =
    /## Typed client[^]*?```ts\n([^]*?)```/.exec(readFileSync(join(root, "docs/api.md"), "utf8")) ?? [];
  expect(example).toContain('from "stonechat/client"');
  const folder = await createProject();
  writeFileSync(join(folder, "example.ts"), example);
  const wrong = `
// @ts-expect-error: an id is a string
await client.createThread({ body: { id: 5 } });
// @ts-expect-error: the thread is missing
await client.getThread({ params: {} });`;
  writeFileSync(join(folder, "checked.ts"), `${example}${wrong}`);
  const flags = ["--strict", "--module", "nodenext", "--target", "es2024", "--types", "node", "--noEmit"];
  await runNode([tsc, ...flags, "checked.ts"], folder);

  const instance = await startInstance({ script: () => say("Because of scattering.") });
  const { token } = await instance.client.createKey({ body: { id: "k", name: "k", scopes: ["read", "chat"] } });
  const env = { STONECHAT_URL: instance.url, STONECHAT_KEY: token };
  const { stdout } = await runNode(["example.ts"], folder, env);
  expect(stdout).toBe("done Because of scattering.\n");
});

test("the examples of docs/api.md for groups, presence and storage compile against the package and run", async () => {
  const guide = readFileSync(join(root, "docs/api.md"), "utf8");
  const examples = ["Groups", "Presence", "Storage"].map((heading) => {
    const [, example = ""] = new RegExp(`## ${heading}\\n[^]*?\`\`\`ts\\n([^]*?)\`\`\``).exec(guide) ?? [];
    expect(example).toContain("await client.");
    // Each has its own names.
    return `{\n${example}}\n`;
  });
  const start = `import { createApiClient } from "stonechat/client";
const client = createApiClient({ baseUrl: process.env.STONECHAT_URL, key: process.env.STONECHAT_KEY });
const threadId: string = "shared";\n`;
  const folder = await createProject();
  writeFileSync(join(folder, "examples.ts"), start + examples.join(""));
  const flags = ["--strict", "--module", "nodenext", "--target", "es2024", "--types", "node", "--noEmit"];
  await runNode([tsc, ...flags, "examples.ts"], folder);

  const instance = await startInstance({ env: accountsOn });
  const { ada, projectId } = await shareProject(instance);
  await ada.client.createThread({ body: { id: "shared", projectId } });
  const { token } = await ada.client.createKey({ body: { id: "k", name: "k", scopes: ["read", "chat", "admin"] } });
  const env = { STONECHAT_URL: instance.url, STONECHAT_KEY: token };
  const { stdout } = await runNode(["examples.ts"], folder, env);
  expect(stdout).toMatch(/^Research: 4\nAda is typing\n\d+ Threads are never deleted automatically\.\n$/);
});

test("has a method for every route, file and stream of the OpenAPI description", async () => {
  const { url } = await startInstance();
  const client = createApiClient({ baseUrl: url });
  const { paths } = (await (await fetch(`${url}/api/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods).map((one) => one.operationId));
  expect(operations).toEqual(expect.arrayContaining(Object.keys(routes)));
  // Programs that speak another protocol have other clients.
  const others = new Set([...Object.keys(aliasRoutes), "postChat", "resumeChat", "mcp"]);
  const own = operations.filter((name) => !others.has(name) && !name.startsWith("openAi"));
  expect(own.filter((name) => !(name in client))).toEqual([]);
  expect(Object.keys(client).filter((name) => !operations.includes(name))).toEqual(["watchThread"]);
});

test("uploads and downloads files, and throws the server's errors", async () => {
  const { url } = await startInstance();
  const client = createApiClient({ baseUrl: url });
  const bytes = new TextEncoder().encode("Notes about larks.");
  const { id: attachmentId } = await client.uploadAttachment({ query: { name: "notes.txt" }, body: bytes });
  expect(await client.getAttachmentFile({ params: { attachmentId } })).toEqual(bytes);
  await client.createProject({ body: { id: "p", name: "P" } });
  const added = await client.uploadToProject({
    params: { projectId: "p" },
    query: { name: "notes.txt", as: "file" },
    body: bytes,
  });
  expect(added).toMatchObject({ as: "file", name: "notes.txt" });
  const archive = await client.getArchive({ params: { projectId: "p" } });
  expect(new TextDecoder().decode(archive.slice(0, 2))).toBe("PK");
  const missing = client.getAttachmentFile({ params: { attachmentId: "none" } });
  await expect(missing).rejects.toThrow(ResponseError);
  await expect(missing).rejects.toMatchObject({ status: 404, code: "not-found" });
  const refused = client.streamThread({ params: { threadId: "none" } }).next();
  await expect(refused).rejects.toMatchObject({ status: 404 });
});

test("a stream that is cut continues after its last event, and ends with an error when its key is revoked", async () => {
  const gate = createGate();
  onTestFinished(gate.open);
  const instance = await startInstance({
    script: async function* () {
      yield* say("First half, ").slice(0, 2);
      await gate.passed;
      yield* say("second half.").slice(1);
    },
  });
  const { token } = await instance.client.createKey({ body: { id: "k", name: "k", scopes: ["read"] } });
  const cuts: AbortController[] = [];
  const client = createApiClient({
    baseUrl: instance.url,
    key: token,
    fetch: (target, init) => {
      const cut = new AbortController();
      cuts.push(cut);
      return fetch(target, { ...init, signal: AbortSignal.any([cut.signal, ...(init?.signal ? [init.signal] : [])]) });
    },
  });
  const threadId = await instance.start();
  await instance.send(threadId, "Go on");
  const seqs: number[] = [];
  let view = emptyThreadView;
  for await (const { seq, event } of client.streamThread({ params: { threadId } })) {
    seqs.push(seq);
    view = applyEvent(view, seq, event);
    if (event.type === "text-delta") {
      if (cuts.length === 1) cuts[0]?.abort();
      gate.open();
    }
    if (event.type === "run-ended") break;
  }
  expect(cuts).toHaveLength(2);
  // Deltas are deleted when their part settles, so the second connection may get the whole part.
  expect(textOf(view.messages.at(-1)?.parts ?? [])).toBe("First half, second half.");
  expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));

  const reading = (async () => {
    for await (const _ of client.streamThread({ params: { threadId } })) {
      if (_.seq === seqs.at(-1)) await instance.client.revokeKey({ params: { keyId: "k" } });
    }
  })();
  await expect(reading).rejects.toMatchObject({ status: 401 });
});
