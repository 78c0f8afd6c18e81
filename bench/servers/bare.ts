import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { play } from "../load/play.ts";
import { readScript } from "../load/script.ts";
import { announce } from "./control.ts";

/** The baseline: only `node:http`, with a frame for each delta in our format; no model, store or router. */
const server = createServer((request, response) => void answer(request, response));
server.listen(0, "127.0.0.1", () => announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));

const head =
  '{"type":"text-delta","messageId":"019a8f00-0000-7000-8000-000000000000",' +
  '"partId":"019a8f00-0000-7000-8000-000000000000.1","kind":"text","n":1,"step":1,"text":"';

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const { messages } = JSON.parse(body) as { messages: { parts: { text: string }[] }[] };
  const { next, take } = play(readScript(messages.at(-1)?.parts.at(-1)?.text ?? ""));
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.on("error", () => {});
  let seq = 0;
  const give = (): void => {
    for (let waitMs = next(); ; waitMs = next()) {
      if (waitMs === null) return void response.end();
      if (waitMs > 0) return void setTimeout(giveOne, waitMs);
      write();
    }
  };
  const giveOne = (): void => {
    write();
    give();
  };
  const write = (): void => {
    response.write(`id: ${(seq += 1)}\ndata: ${head}${take()}"}\n\n`);
  };
  give();
}
