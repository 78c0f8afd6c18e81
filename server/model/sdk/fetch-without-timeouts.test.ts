import { createServer } from "node:http";
import { createServer as createTcpServer, type AddressInfo } from "node:net";
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { fetchWithoutTimeouts } from "./fetch-without-timeouts.ts";

test("waits for headers longer than the platform's own fetch does", async () => {
  const { promise: isImpatientGone, resolve: letGo } = Promise.withResolvers<void>();
  const server = createServer((req, res) => {
    if (req.url === "/patient") void isImpatientGone.then(() => res.end("at last"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const usual = getGlobalDispatcher();
  setGlobalDispatcher(new Agent({ headersTimeout: 50 }));
  onTestFinished(() => {
    setGlobalDispatcher(usual);
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const patient = fetchWithoutTimeouts(`${url}/patient`);
  await expect(fetch(`${url}/impatient`)).rejects.toThrow("fetch failed");
  letGo();
  expect(await (await patient).text()).toBe("at last");
});

test("ignores an abort after a response with too many encodings failed", async () => {
  const server = createTcpServer((socket) => {
    socket.on("error", () => {});
    const encodings = Array.from({ length: 8 }, () => "gzip").join(", ");
    socket.once("data", () => socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encodings}\r\n\r\n`));
    onTestFinished(() => void socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const uncaught: unknown[] = [];
  const onUncaught = (error: unknown): void => void uncaught.push(error);
  process.on("uncaughtException", onUncaught);
  onTestFinished(() => void process.off("uncaughtException", onUncaught));
  const stop = new AbortController();
  await expect(fetchWithoutTimeouts(url, { signal: stop.signal })).rejects.toThrow("fetch failed");
  stop.abort();
  await new Promise((resolve) => setImmediate(resolve));
  expect(uncaught).toEqual([]);
});

test("passes on an abort before and during the response", async () => {
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
  const server = createServer((_, res) => {
    res.write("begun");
    res.on("close", onClosed);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(fetchWithoutTimeouts(url, { signal: AbortSignal.abort() })).rejects.toThrow("aborted");
  const stop = new AbortController();
  const { body } = await fetchWithoutTimeouts(url, { signal: stop.signal });
  stop.abort();
  await closed;
  await expect(body?.getReader().read()).rejects.toThrow("aborted");
});
