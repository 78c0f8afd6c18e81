import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../../server/lib/clock.ts";
import { createSeal } from "../../../server/lib/seal.ts";
import { createLog } from "../../../server/log/log.ts";
import { createStream } from "../../../server/net/open-stream.ts";
import { openStore } from "../../../server/store/open.ts";
import { openMcpServers, type McpServers } from "../../../server/tools/mcp/servers.ts";
import type { Tool, ToolResult } from "../../../server/tools/tool.ts";
import { toolContext } from "../server/tool-context.ts";

/**
 * Our MCP client as a program for the official conformance tests: connects to the URL in its last argument, signs in if asked to,
 * and calls every tool once. A question of the server is accepted with its defaults.
 */
const url = process.argv.at(-1) ?? "";
const folder = mkdtempSync(join(tmpdir(), "stonechat-conformance-"));
const file = join(folder, "mcp.json");
writeFileSync(file, JSON.stringify({ mcpServers: { tested: { url } } }));
const store = await openStore({ directory: folder, databaseUrl: null });
const log = createLog({ store, clock: systemClock, onError: console.error });
const servers = openMcpServers({
  file,
  clock: systemClock,
  stream: createStream({
    userAgent: "Stonechat/0",
    clock: systemClock,
    allowPrivate: ["127.0.0.1", "localhost", "::1"],
  }),
  read: store.read,
  log,
  seal: createSeal(new Uint8Array(32)),
  callbackUrl: "http://127.0.0.1:3737/api/mcp/callback",
  onNote: console.error,
});

let signInCount = 0;
for (const tool of await listTools(servers)) {
  const input = tool.name.endsWith("add_numbers") ? { a: 5, b: 3 } : {};
  console.log(
    tool.name,
    JSON.stringify(await run(tool, input).catch((error: unknown) => callAgain(error, tool.name, input))),
  );
}
await servers.close();
await log.close();
await store.close();

async function listTools({ tools, status }: McpServers): Promise<readonly Tool[]> {
  for (let tries = 0; ; tries += 1) {
    const found = await tools("u");
    const [state] = await status("u");
    if (found.length > 0 || tries > 20) return found;
    if (state?.state === "signed-out") await signIn();
    else await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The authorization servers of the tests agree at once and redirect to our callback, which does not run. */
async function signIn(): Promise<void> {
  // As a user would do.
  if ((signInCount += 1) > 2) throw new Error("The server still asks for a sign-in.");
  const address = await servers.signIn("u", "tested");
  const response = await fetch(address, { redirect: "manual" });
  const { searchParams } = new URL(response.headers.get("location") ?? "");
  const iss = searchParams.get("iss") ?? undefined;
  const answer = { state: searchParams.get("state") ?? "", code: searchParams.get("code") ?? "" };
  await servers.finishSignIn("u", { ...answer, ...(iss === undefined ? {} : { iss }) });
}

/** A call may need more rights than the list. */
async function callAgain(error: unknown, name: string, input: object): Promise<ToolResult> {
  console.error(error);
  await signIn();
  const tool = (await listTools(servers)).find((one) => one.name === name);
  if (!tool) throw error;
  return run(tool, input);
}

async function run(tool: Tool, input: object): Promise<ToolResult> {
  const context = toolContext({});
  const first = await tool.execute(tool.input.parse(input), context);
  if (!first.asks) return first;
  return tool.execute(tool.input.parse(input), { ...context, answered: { resume: first.asks.resume, answers: {} } });
}
