import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, constants } from "node:zlib";
import { build } from "esbuild";
import { halt, play } from "../../load/play.ts";
import { readScript } from "../../load/script.ts";
import { toText } from "../../seed.ts";

/** Serves the peer's page: its script compressed like ours, threads of the same texts, and answers from the same scripts. */
export type Peer = {
  readonly url: string;
  readonly halt: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const style = `
  body { margin: 0; font: 16px/1.6 system-ui, sans-serif }
  #root { display: flex; height: 100vh }
  nav { width: 280px; display: flex; flex-direction: column; gap: 8px; padding: 16px }
  .thread { flex: 1; min-width: 0; display: flex; flex-direction: column }
  .viewport { flex: 1; overflow-y: auto }
  article { max-width: 720px; margin: 0 auto 16px; overflow-wrap: anywhere }
  .asked { background: #eee; border-radius: 16px; padding: 8px 16px; white-space: pre-wrap }
  .composer { display: flex; max-width: 720px; width: 100%; margin: 0 auto; padding: 12px }
  textarea { flex: 1; font: inherit }
  pre { overflow-x: auto }
`;

export async function servePeer(lengths: readonly number[]): Promise<Peer> {
  const script = brotliCompressSync(await bundle(), { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Peer</title><link rel="icon" href="data:,">
<style>${style}</style><script type="module" src="/page.js"></script></head>
<body data-lengths="${lengths.join(",")}"><div id="root"></div></body></html>`;
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    if (path === "/chat") return void answer(request, response);
    if (path === "/page.js") {
      response.writeHead(200, { "content-type": "text/javascript", "content-encoding": "br" });
      return void response.end(script);
    }
    const length = /^\/threads\/(\d+)$/.exec(path)?.[1];
    response.writeHead(200, { "content-type": length ? "application/json" : "text/html" });
    response.end(length ? JSON.stringify(toMessages(Number(length))) : page);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    halt: () => Promise.resolve(halt()),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function bundle(): Promise<Uint8Array> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, "page.tsx")],
    bundle: true,
    write: false,
    minify: true,
    format: "esm",
    target: "es2023",
    jsx: "automatic",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const [file] = outputFiles;
  if (!file) throw new Error("The peer's page could not be built.");
  return file.contents;
}

const toMessages = (length: number) =>
  Array.from({ length }, (_, index) => ({ role: index % 2 ? "assistant" : "user", content: toText(index + 1) }));

/** A line of JSON for each delta, at its time in the script. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { next, take } = play(readScript(await readText(request)));
  response.writeHead(200, { "content-type": "application/x-ndjson" });
  for (let waitMs = next(); waitMs !== null && !response.destroyed; waitMs = next()) {
    if (waitMs > 0) await sleep(waitMs);
    response.write(`${JSON.stringify(take())}\n`);
  }
  response.end();
}
