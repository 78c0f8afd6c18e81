import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { ConfigError } from "../../config/config-error.ts";
import { readMcpFile } from "./mcp-file.ts";

const folder = mkdtempSync(join(tmpdir(), "stonechat-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "mcp.json");
const readText = (text: string) => {
  writeFileSync(file, text);
  return readMcpFile(file);
};
const read = (mcpServers: unknown) => readText(JSON.stringify({ mcpServers }));

test("reads programs and URLs and ignores keys of other programs", () => {
  expect(
    read({
      files: { command: "node", args: ["server.js"], env: { A: "1" }, cwd: "sub", autoApprove: ["x"] },
      web: { type: "http", url: "https://example.com/mcp", headers: { "x-key": "k" }, trust: true, timeoutMs: 5000 },
      off: { command: "node", disabled: true },
    }),
  ).toEqual([
    {
      kind: "stdio",
      name: "files",
      command: "node",
      args: ["server.js"],
      env: { A: "1" },
      cwd: join(folder, "sub"),
      trust: false,
      timeoutMs: 60_000,
    },
    {
      kind: "http",
      name: "web",
      url: "https://example.com/mcp",
      headers: { "x-key": "k" },
      trust: true,
      timeoutMs: 5000,
    },
  ]);
});

test.each<[string, unknown, RegExp]>([
  ["a server without a command", { a: { args: [] } }, /server "a": command/],
  ["a URL with another scheme", { a: { url: "file:///etc/passwd" } }, /server "a": url: must be an http/],
  ["a number among the arguments", { a: { command: "x", args: [1] } }, /server "a": args\.0/],
  ["no servers", undefined, /must have the form/],
])("%s is reported in a one-line error", (_, servers, message) => {
  const act = () => read(servers);
  expect(act).toThrow(ConfigError);
  expect(act).toThrow(message);
});

test("a missing or invalid file is reported without any of its values", () => {
  expect(() => readMcpFile(join(folder, "none.json"))).toThrow(/cannot be read/);
  expect(() => readText('{"mcpServers": "sk-secret')).toThrow(/is not valid JSON/);
  expect(() => read({ a: { command: "x", env: { KEY: ["sk-secret"] } } })).toThrow(/^(?!.*sk-secret)/);
});
