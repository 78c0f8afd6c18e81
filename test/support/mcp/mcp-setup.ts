import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { systemClock } from "../../../server/lib/clock.ts";
import { createSeal } from "../../../server/lib/seal.ts";
import { createLog } from "../../../server/log/log.ts";
import { createStream } from "../../../server/net/open-stream.ts";
import type { Store } from "../../../server/store/contract.ts";
import { openStore } from "../../../server/store/open.ts";
import { openMcpServers, type McpOptions, type McpServers } from "../../../server/tools/mcp/servers.ts";
import type { Progress, Tool, ToolContext } from "../../../server/tools/tool.ts";
import { toolContext } from "../server/tool-context.ts";

/** MCP servers on a separate database, as in a running instance. Closed at the end of the test. */
export type McpSetup = {
  readonly servers: McpServers;
  readonly store: Store;
  readonly notes: string[];
  readonly folder: string;
  /** The same database with fresh connections, as after a restart. */
  readonly restart: () => Promise<McpServers>;
  readonly getTool: (tool: string, userId?: string) => Promise<Tool>;
};

type Options = {
  readonly file?: Readonly<Record<string, object>>;
  readonly more?: Partial<McpOptions>;
};

export const badServer = join(import.meta.dirname, "bad-server.ts");
export const packageFile = (name: string): string => join(import.meta.dirname, "../../../node_modules", name);

export async function openMcpSetup({ file = {}, more = {} }: Options = {}): Promise<McpSetup> {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-mcp-"));
  const path = join(folder, "mcp.json");
  writeFileSync(path, JSON.stringify({ mcpServers: file }));
  const store = await openStore({ directory: folder, databaseUrl: null });
  const notes: string[] = [];
  const log = createLog({ store, clock: systemClock, onError: (error) => notes.push(String(error)) });
  const open = (): McpServers =>
    openMcpServers({
      file: path,
      clock: systemClock,
      stream: createStream({ userAgent: "Stonechat/0", clock: systemClock, allowPrivate: ["127.0.0.1"] }),
      read: store.read,
      log,
      seal: createSeal(new Uint8Array(32)),
      callbackUrl: "http://127.0.0.1:3737/api/mcp/callback",
      onNote: (note) => notes.push(note),
      ...more,
    });
  let servers = open();
  onTestFinished(async () => {
    await servers.close();
    await log.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    get servers() {
      return servers;
    },
    store,
    notes,
    folder,
    restart: async () => {
      await servers.close();
      servers = open();
      return servers;
    },
    getTool: (tool, userId = "u") => getTool(servers, tool, userId),
  };
}

/** Waits until the tool is offered. */
export async function getTool(servers: McpServers, name: string, userId: string): Promise<Tool> {
  const found = await expect
    .poll(async () => (await servers.tools(userId)).find((tool) => tool.name === name))
    .not.toBeUndefined()
    .then(() => servers.tools(userId));
  return found.find((tool) => tool.name === name)!;
}

/** Validated like a model's call, then run. */
export async function callTool(tool: Tool, input: unknown, given: Partial<ToolContext> = {}) {
  const progress: Progress[] = [];
  const context = { ...toolContext(given), progress: (one: Progress) => void progress.push(one), ...given };
  const { output } = await tool.execute(tool.input.parse(input), context);
  return { output, kept: context.kept, progress };
}

/** Configuration entry of a bad server, and the file that it logs to. */
export function setUpBad(way: string, entry: object = {}): { readonly entry: object; readonly trace: () => string[] } {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-trace-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "trace");
  return {
    entry: { command: process.execPath, args: [badServer, way], env: { MCP_TRACE: file }, ...entry },
    trace: () => (existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : []),
  };
}

export const pidsIn = (trace: readonly string[]): readonly number[] =>
  trace.flatMap((line) => (line.startsWith("pid ") ? [Number(line.slice(4))] : []));

export function isRunning(pid: number): boolean {
  try {
    // A zombie has exited; it only waits to be reaped.
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
