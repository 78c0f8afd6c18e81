import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { createCatalog } from "../../server/tools/catalog.ts";
import { callTool, openMcpSetup, packageFile } from "../support/mcp/mcp-setup.ts";

/** The two reference servers from npm, started with this Node. */
const everything = packageFile("@modelcontextprotocol/server-everything/dist/index.js");
const filesystem = packageFile("@modelcontextprotocol/server-filesystem/dist/index.js");
const run = (...args: string[]): object => ({ command: process.execPath, args });

/** A temporary folder that is deleted after the test. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("passes on every tool with the schema of its server", async () => {
  const folder = makeFolder();
  const entries = { everything: [everything, "stdio"], files: [filesystem, folder] };
  const setup = await openMcpSetup({
    file: Object.fromEntries(Object.entries(entries).map(([name, args]) => [name, run(...args)])),
  });
  await setup.getTool("mcp__everything__echo");
  await setup.getTool("mcp__files__read_text_file");
  const { specs } = createCatalog(await setup.servers.tools("u"));
  let compared = 0;
  for (const [name, args] of Object.entries(entries)) {
    const client = new Client({ name: "test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
    onTestFinished(() => client.close());
    const { tools } = await client.listTools();
    for (const tool of tools.filter(({ execution }) => execution?.taskSupport !== "required")) {
      const { $schema: _, ...inputSchema } = tool.inputSchema;
      const spec = specs.find((one) => one.name === `mcp__${name}__${tool.name}`);
      expect(spec).toEqual({ name: `mcp__${name}__${tool.name}`, description: tool.description, inputSchema });
      compared += 1;
    }
  }
  const own = specs.filter(({ name }) => name.endsWith("__read_resource"));
  expect(own.map(({ name }) => name)).toEqual(["mcp__everything__read_resource"]);
  expect(compared).toBe(specs.length - own.length);
  expect(compared).toBeGreaterThan(20);
});

test("reads all kinds of results of the everything server", async () => {
  const setup = await openMcpSetup({ file: { everything: run(everything, "stdio") } });
  const call = async (name: string, input: object = {}) =>
    callTool(await setup.getTool(`mcp__everything__${name}`), input);
  expect(await call("echo", { message: "hello" })).toMatchObject({ output: "Echo: hello" });
  expect((await call("get-sum", { a: 2, b: 3 })).output).toContain("5");
  expect((await call("get-structured-content", { location: "Chicago" })).output).toEqual(
    expect.objectContaining({ temperature: expect.any(Number), humidity: expect.any(Number) }),
  );
  const image = await call("get-tiny-image");
  expect(image.output).toContain("stored as [1]");
  expect(image.kept).toMatchObject([{ kind: "file", type: "image/png", meta: { encoding: "base64" } }]);
  expect(Buffer.from(image.kept[0]!.text, "base64").subarray(1, 4).toString()).toBe("PNG");
  expect((await call("get-resource-reference", { resourceType: "Text", resourceId: 1 })).output).toContain(
    "This is a plaintext resource",
  );
  expect((await call("get-resource-reference", { resourceType: "Blob", resourceId: 1 })).kept).toHaveLength(1);
  expect((await call("get-resource-links", { count: 2 })).output).toContain("demo://resource/");
  const long = await call("trigger-long-running-operation", { duration: 0.2, steps: 2 });
  expect(long.progress.at(-1)).toMatchObject({ done: 2, of: 2 });
});

test("lists and reads the resources and prompts of the everything server", async () => {
  const setup = await openMcpSetup({ file: { everything: run(everything, "stdio") } });
  const read = await setup.getTool("mcp__everything__read_resource");
  const { output } = await callTool(read, {});
  const list = output as { resources: { uri: string }[]; templates: { uri: string }[] };
  expect(list.resources.length + list.templates.length).toBeGreaterThan(1);
  const uri = list.templates[0]?.uri.replace(/\{\w+\}/, "1") ?? "";
  expect((await callTool(read, { uri })).output).toContain("resource");
  await expect(callTool(read, { uri: "demo://nowhere" })).rejects.toThrow(/everything: /);
  expect(read).toMatchObject({ repeat: "once", untrusted: expect.any(Function) });

  const prompts = await setup.servers.listPrompts("u");
  const withArguments = prompts.find((prompt) => prompt.arguments.some(({ name }) => name === "city"));
  expect(prompts.length).toBeGreaterThan(1);
  const values = { city: "Chicago", state: "Illinois" };
  const text = await setup.servers.fillPrompt("u", "everything", {
    name: withArguments?.name ?? "",
    arguments: values,
  });
  expect(text).toContain("Chicago");
  const missing = setup.servers.fillPrompt("u", "everything", { name: "no-such-prompt", arguments: {} });
  await expect(missing).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringContaining("everything: "),
  });
});

test("does not offer a tool that can only run as a task, and reports it in the server's status", async () => {
  const setup = await openMcpSetup({ file: { everything: run(everything, "stdio") } });
  await setup.getTool("mcp__everything__echo");
  const names = (await setup.servers.tools("u")).map(({ name }) => name);
  expect(names).not.toContain("mcp__everything__simulate-research-query");
  const [status] = await setup.servers.status("u");
  expect(status?.problems).toEqual([expect.stringContaining("simulate-research-query")]);
});

test("reads and writes files in the server's folder, and returns its refusal as the tool's error", async () => {
  const folder = makeFolder();
  writeFileSync(join(folder, "a.txt"), "granite");
  const setup = await openMcpSetup({ file: { files: run(filesystem, folder) } });
  const read = await setup.getTool("mcp__files__read_text_file");
  const write = await setup.getTool("mcp__files__write_file");
  expect((await callTool(read, { path: join(folder, "a.txt") })).output).toBe("granite");
  await callTool(write, { path: join(folder, "b.txt"), content: "chalk" });
  expect(readFileSync(join(folder, "b.txt"), "utf8")).toBe("chalk");
  await expect(callTool(read, { path: "/etc/hostname" })).rejects.toThrow(/Access denied/);
  await expect(callTool(read, { path: join(folder, "none.txt") })).rejects.toThrow(/ENOENT|no such file/);
  await expect(callTool(read, {})).rejects.toThrow(/is missing/);
});

test("tool annotations add approvals, and remove them only for a trusted server", async () => {
  const folder = makeFolder();
  const setup = await openMcpSetup({
    file: { strange: run(filesystem, folder), trusted: { ...run(filesystem, folder), trust: true } },
  });
  const classOf = async (name: string) => {
    const { repeat, effects, untrusted } = await setup.getTool(name);
    return { repeat, effects, untrusted };
  };
  const writing = { repeat: "once", effects: ["write", "egress", "destructive"], untrusted: expect.any(Function) };
  expect(await classOf("mcp__strange__write_file")).toEqual(writing);
  expect(await classOf("mcp__trusted__write_file")).toEqual(writing);
  expect(await classOf("mcp__strange__read_text_file")).toMatchObject({ repeat: "once", effects: ["write", "egress"] });
  expect(await classOf("mcp__trusted__read_text_file")).toMatchObject({ repeat: "pure", effects: ["read"] });
  expect(await classOf("mcp__strange__create_directory")).toMatchObject({
    repeat: "once",
    effects: ["write", "egress"],
  });
  expect(await classOf("mcp__trusted__create_directory")).toMatchObject({ repeat: "keyed" });
});

test("shows the beginning of a result above 12,000 characters and stores all of it", async () => {
  const folder = makeFolder();
  const text = "a line of the file\n".repeat(5000);
  writeFileSync(join(folder, "long.txt"), text);
  const setup = await openMcpSetup({ file: { files: run(filesystem, folder) } });
  const read = await setup.getTool("mcp__files__read_text_file");
  const { output, kept } = await callTool(read, { path: join(folder, "long.txt") });
  expect(output).toMatchObject({ ref: 1, more: expect.stringContaining("read_artifact") });
  expect((output as { text: string }).text).toHaveLength(12_000);
  expect(kept).toMatchObject([{ kind: "result", type: "text/plain", text }]);
});

test("reports progress over HTTP, with one session for each user that is closed at the end", async () => {
  const port = await findPort();
  const child = spawn(process.execPath, [everything, "streamableHttp"], {
    env: { PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "close");
  });
  let said = "";
  for (const pipe of [child.stdout, child.stderr]) pipe.on("data", (chunk: Buffer) => void (said += chunk.toString()));
  await expect.poll(() => said).toContain("listening on port");
  const setup = await openMcpSetup({ file: { everything: { url: `http://127.0.0.1:${port}/mcp` } } });
  const tool = await setup.getTool("mcp__everything__trigger-long-running-operation", "ann");
  const { progress } = await callTool(tool, { duration: 0.2, steps: 2 });
  expect(progress).toMatchObject([{ done: 1 }, { done: 2 }]);
  const echo = await setup.getTool("mcp__everything__echo", "ben");
  expect(await callTool(echo, { message: "hello" })).toMatchObject({ output: "Echo: hello" });
  const sessions = () => new Set(said.match(/Session initialized with ID:? *\S+/g)).size;
  expect(sessions()).toBe(2);
  await setup.servers.close();
  await expect.poll(() => said.match(/session termination/gi)?.length ?? 0).toBeGreaterThanOrEqual(2);
});

async function findPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
