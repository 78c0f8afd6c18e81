import { createServer, type Server, type Socket } from "node:net";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../server/lib/clock.ts";
import { createFetch, NetError, decodeDocument, type FetchInit, type FetchOptions } from "../../server/net/fetch.ts";
import { createBombs, sendGzipBomb, toZstdFrame, type Bomb } from "./outbound-bombs.ts";
import { listen } from "./outbound-fixture.ts";

/** Every hostile response ends the call with a specific code, bounded memory and a closed connection. */
const MEGABYTE = 1024 * 1024;
const MAX_BYTES = 4 * MEGABYTE;
/** Most bytes that buffers of the system may have accepted before a connection is closed. */
const MOST_SENT_BYTES = 32 * MEGABYTE;
const MOST_RISE_BYTES = 64 * MEGABYTE;

let server: Server;
let url = "";
let send: Bomb["send"] = (socket) => void socket.end();
const open = new Set<Socket>();
let connections = 0;
let sentBytes = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    connections += 1;
    open.add(socket);
    socket.on("error", () => {});
    socket.once("close", () => {
      sentBytes += socket.bytesWritten;
      open.delete(socket);
    });
    socket.once("data", () => {
      socket.resume();
      send(socket);
    });
  });
  url = `http://127.0.0.1:${await listen(server)}/bomb`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

const create = (more?: Partial<FetchOptions>) =>
  createFetch({ userAgent: "Stonechat/0", clock: systemClock, allowPrivate: ["127.0.0.1"], spacingMs: 0, ...more });
const patient = create();
const impatient = create({ idleMs: 100 });

/**
 * The largest rise of memory while something runs. The resident set alone does not rise when buffers
 * take memory that was freed before.
 */
const watchMemory = async (run: () => Promise<unknown>): Promise<number> => {
  const read = () => [process.memoryUsage.rss(), process.memoryUsage().arrayBuffers] as const;
  const before = read();
  let riseBytes = 0;
  const look = (): number =>
    (riseBytes = Math.max(riseBytes, ...read().map((bytes, index) => bytes - (before[index] ?? 0))));
  const timer = setInterval(look, 2);
  await run();
  clearInterval(timer);
  return look();
};

test("every bomb ends with its code, within limits, and leaves no connection", async () => {
  const bombs = await createBombs();
  expect(bombs.length).toBeGreaterThanOrEqual(40);
  for (const bomb of bombs) {
    [connections, sentBytes, send] = [0, 0, bomb.send];
    const fetch = bomb.isSilent ? impatient : patient;
    const init: FetchInit = { maxBytes: MAX_BYTES, ...bomb.init };
    let outcome: unknown;
    const riseBytes = await watchMemory(() =>
      fetch(url, init).then(
        ({ status, body }) => (outcome = `status ${status}, ${body.length} bytes`),
        (error: unknown) => (outcome = error),
      ),
    );
    expect(outcome, `${bomb.name}: ${String(outcome)}`).toBeInstanceOf(NetError);
    expect((outcome as NetError).code, bomb.name).toBe(bomb.code);
    await expect.poll(() => open.size, { message: bomb.name }).toBe(0);
    expect(connections, bomb.name).toBe(bomb.code === "too-many-redirects" ? 6 : 1);
    expect(sentBytes / connections, bomb.name).toBeLessThan(MOST_SENT_BYTES);
    expect(riseBytes, bomb.name).toBeLessThan(MOST_RISE_BYTES);
  }
});

test("without the limit the same bomb does go off", async () => {
  send = (socket) => sendGzipBomb(socket, 160);
  let size = 0;
  const riseBytes = await watchMemory(async () => {
    size = (await patient(url, { maxBytes: 1024 * MEGABYTE })).body.length;
  });
  expect(size).toBe(160 * MEGABYTE);
  expect(riseBytes).toBeGreaterThan(MOST_RISE_BYTES);
});

test("a window of a usual size is read", async () => {
  send = (socket) =>
    void socket.end(Buffer.concat([Buffer.from("HTTP/1.1 200 OK\r\ncontent-encoding: zstd\r\n\r\n"), toZstdFrame(20)]));
  expect((await patient(url)).body).toHaveLength(1000);
});

test("a body that is longer than it says is read as long as it says", async () => {
  send = (socket) =>
    void socket.end("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nwords and more HTTP/1.1 200 OK\r\n\r\n");
  expect(decodeDocument(await patient(url))).toBe("words");
});

test("a body of exactly the limit is read, and one byte more is not", async () => {
  for (const encoding of ["identity", "gzip"]) {
    const body = Buffer.alloc(1000, 7);
    const encoded = encoding === "gzip" ? gzipSync(body) : body;
    send = (socket) =>
      void socket.end(
        Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\ncontent-encoding: ${encoding}\r\n\r\n`), encoded]),
      );
    expect((await patient(url, { maxBytes: 1000 })).body, encoding).toHaveLength(1000);
    await expect(patient(url, { maxBytes: 999 }), encoding).rejects.toMatchObject({ code: "too-large" });
  }
});

test("a robots.txt without end is read as far as it is useful", async () => {
  send = (socket) => {
    if (open.size > 1) return;
    const rule = "User-agent: *\nDisallow: /bomb\n";
    socket.write(`HTTP/1.1 200 OK\r\n\r\n${rule}`);
    const pour = (): void => {
      while (!socket.destroyed && socket.write("# ".padEnd(10_000, "-") + "\n"));
      if (!socket.destroyed) socket.once("drain", pour);
    };
    pour();
  };
  await expect(patient(url, { robots: true })).rejects.toMatchObject({ code: "robots" });
  await expect.poll(() => open.size).toBe(0);
});
