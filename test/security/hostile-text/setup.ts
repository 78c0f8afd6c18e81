import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { followStream, mintId } from "../../support/instance.ts";
import { startServer, type ServerProcess } from "../../support/server-process.ts";
import { openLoopback } from "../../support/web/loopback.ts";

/** A real server in a separate process, with a web site, a search provider and an MCP server that all return the same hostile text. */
export type HostileSetup = ServerProcess & {
  readonly site: string;
  /** The text that everything outside the server returns from now on. */
  readonly give: (text: string) => void;
  /** Starts a thread, sends a message and waits until its run has ended. */
  readonly say: (text: string, thread?: Readonly<Record<string, string>>, more?: SayOptions) => Promise<string>;
};

type SayOptions = {
  /** Ids of attachments. */
  readonly attachments?: readonly string[];
  /** The user's answer to the question that the model asks. */
  readonly answer?: string;
};

export async function openHostileSetup(
  options: { readonly tools?: readonly object[]; readonly databaseUrl?: string } = {},
): Promise<HostileSetup> {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-hostile-"));
  let text = "";
  const site = await openLoopback(({ path }, response) => {
    const [type, body] =
      path === "/search"
        ? [
            "application/json",
            JSON.stringify({ results: [{ title: text.slice(0, 2000), url: `${site.url}/page`, content: text }] }),
          ]
        : path === "/robots.txt"
          ? ["text/plain", `user-agent: *\nallow: /\n${text}`]
          : path === "/page"
            ? ["text/html", `<title>${escape(text.slice(0, 2000))}</title><article><p>${escape(text)}</p></article>`]
            : ["text/plain", text];
    response.writeHead(200, { "content-type": `${type}; charset=utf-8` });
    response.end(body);
  });
  const give = (next: string): void => {
    text = next;
    writeFileSync(join(folder, "text.txt"), next);
  };
  give("nothing");
  if (options.tools) writeFileSync(join(folder, "tools.json"), JSON.stringify(options.tools));
  const hostile = {
    command: process.execPath,
    args: [join(import.meta.dirname, "../../support/mcp/hostile-server.ts"), folder],
    trust: true,
  };
  writeFileSync(join(folder, "mcp.json"), JSON.stringify({ mcpServers: { hostile } }));
  const server = await startServer({
    ...(options.databaseUrl === undefined ? {} : { databaseUrl: options.databaseUrl }),
    env: {
      STONECHAT_SECRET_KEY: Buffer.alloc(32, 7).toString("base64url"),
      STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1,search=127.0.0.1,scrape=127.0.0.1",
      STONECHAT_SEARXNG_URL: site.url,
      STONECHAT_SEARCH: "searxng",
      STONECHAT_MCP: join(folder, "mcp.json"),
    },
  });
  return {
    ...server,
    site: site.url,
    give,
    say: async (message, thread = {}, { attachments = [], answer } = {}) => {
      const threadId = mintId("thread");
      await server.client.createThread({ body: { id: threadId, ...thread } });
      const live = followStream(`${server.url}/api/threads/${threadId}/stream?after=0`);
      const params = { threadId };
      const body = { id: mintId("message"), text: message, attachments: [...attachments] };
      await server.client.sendMessage({ params, body });
      if (answer !== undefined) {
        const { messages } = await live.until(({ run }) => run?.state === "waiting");
        const asking = messages.at(-1)?.parts.find((part) => part.kind === "tool" && part.state === "asking");
        const answers = { answer };
        await server.client.answerQuestion({ params, body: { id: mintId(), partId: asking?.id ?? "", answers } });
      }
      await live.ended();
      live.close();
      return threadId;
    },
    close: async () => {
      await server.close();
      await site.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
