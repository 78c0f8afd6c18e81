import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A site on loopback. It replies as configured and records requests; closing it closes hung connections too. */
export type ReceivedRequest = {
  readonly method: string;
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
};
export type Respond = (asked: ReceivedRequest, response: ServerResponse) => void;
export type Loopback = {
  readonly url: string;
  readonly asked: readonly ReceivedRequest[];
  readonly close: () => Promise<void>;
};

export async function openLoopback(respond: Respond): Promise<Loopback> {
  const asked: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("error", () => {});
    response.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.once("end", () => {
      const url = new URL(request.url ?? "/", "http://loopback");
      const one: ReceivedRequest = {
        method: request.method ?? "",
        path: url.pathname,
        params: Object.fromEntries(url.searchParams),
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8"),
      };
      asked.push(one);
      respond(one, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export const sendJson =
  (body: unknown, status = 200): Respond =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json; charset=utf-8" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };

export const send =
  (type: string, body: string | Uint8Array, status = 200): Respond =>
  (_, response) => {
    response.writeHead(status, { "content-type": type });
    response.end(body);
  };
