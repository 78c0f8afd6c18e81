import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { closeServer, createNodeServer, listen } from "./node-server.ts";

const quiet = (): void => {};
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** The bytes that a client reads after an error on its connection. */
async function readAfterError(sent: string): Promise<string> {
  const server = createNodeServer({ listener: quiet, newId: () => "r", logger });
  onTestFinished(() => void server.close());
  const port = await listen(server, "127.0.0.1", 0);
  const accepted = once(server, "connection");
  const client = connect(port, "127.0.0.1");
  client.setEncoding("utf8");
  let read = "";
  client.on("data", (text: string) => (read += text));
  const [socket] = (await accepted) as [Socket];
  if (sent !== "") {
    client.write(sent);
    await once(socket, "data");
  }
  server.emit("clientError", Object.assign(new Error("timed out"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket);
  await once(client, "close");
  return read;
}

test("a connection that was opened in advance and never used is closed without a response", async () => {
  expect(await readAfterError("")).toBe("");
});

test("an incomplete request gets an error response", async () => {
  expect(await readAfterError("GET / HT")).toMatch(/^HTTP\/1\.1 400 .*"code":"invalid"/s);
});

test("closing does not wait for a connection that was never used, but for a response in progress", async () => {
  const responses: ServerResponse[] = [];
  const server = createNodeServer({ listener: (_, response) => responses.push(response), newId: () => "r", logger });
  const port = await listen(server, "127.0.0.1", 0);
  const unused = connect(port, "127.0.0.1");
  const used = connect(port, "127.0.0.1");
  used.setEncoding("utf8");
  let read = "";
  used.on("data", (text: string) => (read += text));
  used.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  await expect.poll(() => responses.length).toBe(1);
  let isClosed = false;
  const closed = closeServer(server, 60_000).then(() => (isClosed = true));
  await once(unused, "close");
  expect(isClosed).toBe(false);
  responses[0]?.end("done");
  await closed;
  await expect.poll(() => read).toContain("done");
});

test("a body that does not arrive in time closes the connection; that of an import may take until the response", async () => {
  const responses = new Map<string, ServerResponse>();
  const listener = (request: IncomingMessage, response: ServerResponse) =>
    void responses.set(request.url ?? "", response);
  const server = createNodeServer({ listener, newId: () => "r", logger, bodyMs: 50 });
  onTestFinished(() => closeServer(server, 0));
  const port = await listen(server, "127.0.0.1", 0);
  const open = (path: string): Socket => {
    const client = connect(port, "127.0.0.1");
    client.on("error", quiet).resume();
    client.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nsome`);
    return client;
  };
  const [long, short] = [open("/api/imports?name=a"), open("/api/threads")];
  await once(short, "close");
  expect(long.closed).toBe(false);
  responses.get("/api/imports?name=a")?.end("no");
  await once(long, "close");
});
