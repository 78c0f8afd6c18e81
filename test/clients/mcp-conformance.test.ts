import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startInstance } from "../support/instance.ts";
import { packageFile } from "../support/mcp/mcp-setup.ts";

/** The official conformance tests, which cover the specifications of 2025. They write their results to a folder. */
async function conform(...args: readonly string[]): Promise<string> {
  const cwd = mkdtempSync(join(tmpdir(), "stonechat-conformance-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const program = packageFile("@modelcontextprotocol/conformance/dist/index.js");
  const child = spawn(process.execPath, [program, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (chunk: Buffer) => void (text += chunk.toString()));
  await once(child, "close");
  return text;
}

/** The other scenarios call tools, resources and prompts of the suite's own example server. */
test("our server passes every scenario that does not need example tools", async () => {
  const { url } = await startInstance();
  const text = await conform("server", "--url", `${url}/mcp`);
  const passed = [...text.matchAll(/^✓ ([\w-]+): [1-9]\d* passed, 0 failed/gm)].map(([, name]) => name);
  expect(passed, text).toEqual([
    "server-initialize",
    "ping",
    "tools-list",
    "resources-list",
    "dns-rebinding-protection",
  ]);
});

const isDeep = process.env["STONECHAT_DEEP"] === "1";
/** `sse-retry` measures time, which a busy machine does not keep. */
const core = ["initialize", "tools_call", "elicitation-sep1034-client-defaults", ...(isDeep ? ["sse-retry"] : [])];
const auth = ["metadata-default", "scope-step-up", "scope-retry-limit", "resource-mismatch"];
/**
 * Not passed: `basic-cimd` (a client id that is a URL needs a public address), `pre-registration` (no client ids entered by hand),
 * `2025-03-26-oauth-metadata-backcompat` (its metadata names another issuer, which the SDK refuses).
 */
const deepAuth = [
  ...["metadata-var1", "metadata-var2", "metadata-var3", "scope-from-www-authenticate", "scope-from-scopes-supported"],
  ...["scope-omitted-when-undefined", "token-endpoint-auth-basic", "token-endpoint-auth-post"],
  ...["token-endpoint-auth-none", "2025-03-26-oauth-endpoint-fallback"],
];
const all = [...auth, ...(isDeep ? deepAuth : [])];
const command = `${process.execPath} ${join(import.meta.dirname, "../support/mcp/conformance-client.ts")}`;

test.each([...core, ...all.map((name) => `auth/${name}`)])("our client passes %s", async (scenario) => {
  const text = await conform("client", "--command", command, "--scenario", scenario, "--timeout", "60000");
  expect(text).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/);
});
