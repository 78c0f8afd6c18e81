import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Part } from "../../../protocol/parts.ts";
import { followStream, mintId } from "../../support/instance.ts";
import { startServer, type ServerProcess } from "../../support/server-process.ts";

/** A real server in a separate process. All its outbound requests get the current bomb as response. */
export type BombFixture = ServerProcess & {
  readonly site: string;
  /** Bombs that were delivered to a connection. */
  readonly sent: () => number;
  readonly give: (send: (socket: Socket) => void) => void;
  /** The result of the MCP server. */
  readonly giveText: (text: string) => void;
  /** Sends a message, waits for the end of its run, and returns the parts of the answer. */
  readonly say: (text: string, thread?: Readonly<Record<string, string>>) => Promise<readonly Part[]>;
  readonly measure: (work: () => Promise<unknown>) => Promise<Measurement>;
};

export type Measurement = {
  /** The server's own process. */
  readonly riseMb: number;
  /** The processes that read pages and files, together. */
  readonly readersMb: number;
  readonly ms: number;
  readonly cpuMs: number;
  readonly p99Ms: number;
};

/** One model per bomb, because a failed model is not called again for a while. */
const MODELS = 12;

export async function openBombFixture(): Promise<BombFixture> {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-bombs-"));
  let give: (socket: Socket) => void = (socket) => void socket.end();
  let sent = 0;
  const site = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (head) => {
      socket.resume();
      if (head.toString("latin1").startsWith("GET /robots.txt"))
        return void socket.end("HTTP/1.1 404 Not Found\r\n\r\n");
      sent += 1;
      return give(socket);
    });
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  writeFileSync(join(folder, "text.txt"), "nothing");
  const program = join(import.meta.dirname, "../../support/mcp/hostile-server.ts");
  const hostile = { command: process.execPath, args: [program, folder], trust: true };
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { hostile } }));
  const server = await startServer({
    env: {
      STONECHAT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64url"),
      STONECHAT_ALLOW_PRIVATE: ["model", "mcp", "search", "scrape"].map((name) => `${name}=127.0.0.1`).join(","),
      STONECHAT_SEARXNG_URL: url,
      STONECHAT_SEARCH: "searxng",
      STONECHAT_MCP: join(folder, "mcp.json"),
      STONECHAT_COMPATIBLE_URL: `${url}/v1`,
      STONECHAT_COMPATIBLE_MODELS: Array.from({ length: MODELS }, (_, n) => `bomb-${n}`).join(","),
    },
  });
  return {
    ...server,
    site: url,
    sent: () => sent,
    give: (next) => void (give = next),
    giveText: (text) => writeFileSync(join(folder, "text.txt"), text),
    say: async (text, thread = {}) => {
      const threadId = mintId("thread");
      await server.client.createThread({ body: { id: threadId, ...thread } });
      const live = followStream(`${server.url}/api/threads/${threadId}/stream?after=0`);
      await server.client.sendMessage({ params: { threadId }, body: { id: mintId("message"), text } });
      await live.ended();
      live.close();
      return (await server.client.getThread({ params: { threadId } })).messages.at(-1)?.parts ?? [];
    },
    measure: async (work) => {
      const pid = server.pid();
      const before = toKb(pid, "VmRSS");
      // Resets the peak memory.
      writeFileSync(`/proc/${pid}/clear_refs`, "5");
      let readersKb = 0;
      const look = setInterval(() => {
        readersKb = Math.max(
          readersKb,
          readersOf(pid).reduce((sum, reader) => sum + toKb(reader, "VmRSS"), 0),
        );
      }, 20);
      await server.loopDelay();
      const startedAt = performance.now();
      await work();
      const ms = Math.round(performance.now() - startedAt);
      clearInterval(look);
      const { cpuMs, p99Ms } = await server.loopDelay();
      const riseMb = Math.round((toKb(pid, "VmHWM") - before) / 1024);
      return { riseMb, readersMb: Math.round(readersKb / 1024), ms, cpuMs, p99Ms };
    },
    close: async () => {
      await server.close();
      await new Promise((resolve) => site.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function toKb(pid: number, name: "VmRSS" | "VmHWM"): number {
  try {
    return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Child processes of the server that have limits. */
const readersOf = (pid: number): readonly number[] => {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean);
  return children.map(Number).filter((child) => {
    try {
      return readFileSync(`/proc/${child}/cmdline`, "utf8").includes("-process.ts");
    } catch {
      return false;
    }
  });
};
