import { once } from "node:events";
import { connect, type Socket } from "node:net";
import type { Server } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { createNodeServer, listen } from "./node-server.ts";
import type { ConnectionLimits, Listener } from "./limit-connections.ts";

const quiet = (): void => {};
const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
const request = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
/** More than the system buffers for a connection whose client does not read. */
const large = Buffer.alloc(32 * 1024 * 1024);

async function open(listener: Listener, limits: Partial<ConnectionLimits>) {
  const server: Server = createNodeServer({ listener, newId: () => "r", logger, limits });
  const port = await listen(server, "127.0.0.1", 0);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return Object.assign((): Socket => connect(port, "127.0.0.1").on("error", quiet), { server });
}

test("pipelined requests are handled one after another, in order", async () => {
  let [running, most] = [0, 0];
  const paths: string[] = [];
  const connectTo = await open((incoming, response) => {
    running += 1;
    most = Math.max(most, running);
    paths.push(incoming.url ?? "");
    setImmediate(() => {
      running -= 1;
      response.end(incoming.url);
    });
  }, {});
  const client = connectTo().setEncoding("utf8");
  let text = "";
  client.on("data", (chunk: string) => (text += chunk));
  const wanted = Array.from({ length: 40 }, (_, n) => `/${n}`);
  client.write(wanted.map(request).join(""));
  await expect.poll(() => text).toMatch(/\r\n\/39$/);
  expect(paths).toEqual(wanted);
  expect(most).toBe(1);
});

test("a connection with too many waiting requests is closed, and other connections are served", async () => {
  let handled = 0;
  const connectTo = await open(
    (incoming, response) => {
      handled += 1;
      if (incoming.url === "/other") response.end("other");
    },
    { waiting: 8 },
  );
  const [greedy, other] = [connectTo(), connectTo().setEncoding("utf8")];
  greedy.write(request("/").repeat(10));
  await once(greedy, "close");
  expect(handled).toBe(1);
  other.write(request("/other"));
  expect(String((await once(other, "data"))[0])).toContain("200 OK");
});

test("a client that reads nothing of its response is disconnected; a slow handler and a slow client are not", async () => {
  let finish = quiet;
  const connectTo = await open(
    (incoming, response) => {
      if (incoming.url === "/large") response.end(large);
      else finish = () => void response.end("late");
    },
    { stalledMs: 300 },
  );
  const stalled = connectTo().pause();
  const [accepted] = (await once(connectTo.server, "connection")) as [Socket];
  const cut = once(accepted, "close");
  const [reader, patient] = [connectTo(), connectTo().setEncoding("utf8")];
  stalled.write(request("/large"));
  patient.write(request("/slow"));
  reader.write(request("/large"));
  let size = 0;
  reader.on("data", (chunk) => (size += chunk.length));
  await cut;
  await expect.poll(() => size).toBeGreaterThan(large.length);
  finish();
  expect(String((await once(patient, "data"))[0])).toContain("late");
});

test("connections beyond the limit are closed", async () => {
  const connectTo = await open((_, response) => response.end("here"), { connections: 2 });
  const clients = [connectTo(), connectTo()];
  await Promise.all(clients.map((client) => once(client, "connect")));
  clients[0]?.write(request("/"));
  await once(clients[0] as Socket, "data");
  const third = connectTo();
  await once(third, "close");
  clients[1]?.write(request("/"));
  await once(clients[1] as Socket, "data");
});

test.each(["close", "keep-alive"])(
  "a client that sends its whole body first reads the refusal, with connection: %s",
  async (kind) => {
    const connectTo = await open((_, response) => {
      response.writeHead(413, { "content-length": 7 });
      response.end("refused");
    }, {});
    const client = connectTo().setEncoding("utf8");
    const codes: unknown[] = [];
    client.on("error", (error: NodeJS.ErrnoException) => codes.push(error.code));
    const head = `POST / HTTP/1.1\r\nhost: a\r\nconnection: ${kind}\r\ncontent-length: ${large.length}\r\n\r\n`;
    // Reads nothing before everything is written, as simple clients and proxies do.
    client.pause();
    client.write(head);
    await new Promise((resolve) => client.write(large, resolve));
    let text = "";
    client.on("data", (chunk: string) => (text += chunk)).resume();
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 413 .*refused$/s);
    await expect.poll(() => kind !== "close" || client.closed).toBe(true);
    expect(codes).toEqual([]);
  },
);
