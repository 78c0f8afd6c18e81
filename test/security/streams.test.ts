import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { listenTestApp, type TestApp, type FakeWatcher } from "./test-app.ts";

type Listening = TestApp & { readonly url: string; readonly port: number };
const doors: Listening[] = [];
const open = async (options: Parameters<typeof listenTestApp>[0] = {}): Promise<Listening> => {
  const door = await listenTestApp(options);
  doors.push(door);
  return door;
};
afterEach(() => Promise.all(doors.splice(0).map(({ app }) => app.close(0))));

const get = (
  door: Listening,
  path: string,
  headers: Record<string, string> = {},
): Promise<[IncomingMessage, ClientRequest]> =>
  new Promise((resolve, reject) => {
    const sent = request({ port: door.port, host: "127.0.0.1", path, headers }, (response) =>
      resolve([response, sent]),
    );
    sent.on("error", reject);
    sent.end();
  });

/** Reads until the text holds what is waited for. */
async function readUntil(response: IncomingMessage, needle: string): Promise<string> {
  const chunks: Buffer[] = [];
  let tail = "";
  for await (const chunk of response.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    tail = tail.slice(-needle.length) + String(chunk);
    if (tail.includes(needle)) break;
  }
  return Buffer.concat(chunks).toString();
}
const closed = (watcher: FakeWatcher | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (watcher === undefined || watcher.closed > 0) resolve();
    else watcher.onClose = resolve;
  });

describe("a stream", () => {
  test("begins after its cursor and sends each batch as it comes, under its seq", async () => {
    const door = await open();
    const [response] = await get(door, "/api/threads/t-1/stream?after=4", { "last-event-id": "6" });
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache, no-store, no-transform",
      "x-accel-buffering": "no",
    });
    expect(door.watchers[0]).toMatchObject({ stream: "thread:t-1", after: 6 });
    const accepted = door.watchers[0]?.sink.rows([
      { seq: 7, body: '{"type":"a"}' },
      { seq: 8, body: '{"type":"ü"}' },
    ]);
    expect(accepted).toBe(true);
    expect(await readUntil(response, "id: 8")).toBe(': \n\nid: 7\ndata: {"type":"a"}\n\nid: 8\ndata: {"type":"ü"}\n\n');
  });

  test("sends keep-alives while idle", async () => {
    const door = await open({ heartbeatMs: 20 });
    const [response] = await get(door, "/api/stream");
    expect(await readUntil(response, ": \n\n: \n\n: \n\n")).toMatch(/^(: \n\n)+$/);
  });

  test("rejects HEAD and POST", async () => {
    const door = await open();
    expect((await fetch(`${door.url}/api/stream`, { method: "HEAD" })).status).toBe(404);
    expect((await fetch(`${door.url}/api/stream`, { method: "POST" })).status).toBe(404);
    expect(door.watchers).toHaveLength(0);
  });

  test.each([
    ["/api/stream?after=-1", 400],
    ["/api/stream?after=1e5", 400],
    ["/api/threads/a%0d%0aid:1/stream", 400],
    ["/api/threads/..%2f/stream", 400],
    [`/api/threads/${"x".repeat(200)}/stream`, 400],
  ])("%s is refused with the usual error body", async (path, status) => {
    const door = await open();
    const response = await fetch(door.url + path);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error: { code: "invalid" } });
    expect(door.watchers).toHaveLength(0);
  });

  test("a cursor ahead of the stream is refused where the head is known", async () => {
    const door = await open({ head: async () => 10 });
    expect((await fetch(`${door.url}/api/stream?after=11`)).status).toBe(400);
    const [response] = await get(door, "/api/stream?after=10");
    expect(response.statusCode).toBe(200);
  });

  test("limits streams per user, and closing one frees a slot", async () => {
    const door = await open({ streamsPerUser: 2 });
    const [, first] = await get(door, "/api/stream");
    await get(door, "/api/stream");
    expect((await fetch(`${door.url}/api/stream`)).status).toBe(429);
    first.destroy();
    await closed(door.watchers[0]);
    expect((await get(door, "/api/stream"))[0].statusCode).toBe(200);
  });

  test("a log that fails to watch ends the stream, is logged, and leaves nothing open", async () => {
    const door = await open({
      watch: () => {
        throw new Error("the log is closed");
      },
    });
    await expect(get(door, "/api/stream")).rejects.toThrow("socket hang up");
    expect(door.app.streams().open).toBe(0);
    expect(door.lines.join()).toContain("the log is closed");
  });
});

describe("leaving", () => {
  test("each watcher is closed exactly once, regardless of which side closes first", async () => {
    const door = await open();
    const clients = await Promise.all(
      Array.from({ length: 60 }, (_, n) => get(door, n % 2 ? "/api/stream" : "/api/threads/t-1/stream")),
    );
    expect(door.app.streams()).toMatchObject({ open: 60, opened: 60 });
    const leaving = clients.slice(0, 30).map(([, sent]) => sent);
    for (const [at, sent] of leaving.entries()) {
      if (at % 2) sent.destroy();
      else sent.socket?.resetAndDestroy();
      sent.on("error", () => {});
    }
    const gone = new Promise<void>((resolve) => {
      let left = leaving.length;
      for (const watcher of door.watchers) watcher.onClose = () => --left === 0 && resolve();
    });
    await gone;
    expect(door.app.streams().open).toBe(30);
    expect(door.watchers.filter(({ closed: times }) => times === 1)).toHaveLength(30);

    const ended = clients.slice(30).map(([response]) => readUntil(response, "never"));
    await door.app.close();
    await Promise.all(ended);
    expect(door.app.streams().open).toBe(0);
    expect(door.watchers.every(({ closed: times }) => times === 1)).toBe(true);
  });

  test("a row for a reader that has left is not written", async () => {
    const door = await open();
    const [, sent] = await get(door, "/api/stream");
    sent.destroy();
    await closed(door.watchers[0]);
    expect(door.watchers[0]?.sink.rows([{ seq: 1, body: "{}" }])).toBe(false);
  });

  test("once the server closes, no stream and no request is begun", async () => {
    const door = await open();
    const [response] = await get(door, "/api/stream");
    const closing = door.app.close();
    expect(door.watchers[0]?.sink.rows([{ seq: 1, body: "{}" }])).toBe(false);
    expect(await readUntil(response, "never")).toBe(": \n\n");
    await closing;
    const refused = await door.app.fetch(new Request("http://localhost:3737/api/me"));
    expect(refused.status).toBe(503);
    await expect(fetch(`${door.url}/healthz`)).rejects.toThrow("fetch failed");
  });
});

describe("a reader that does not read", () => {
  const body = JSON.stringify({ text: "x".repeat(10_000) });
  const total = 6_400;

  /** Gives rows for as long as they are taken, as the log does. */
  function feed(watcher: FakeWatcher | undefined): { given: () => number } {
    let seq = 0;
    const give = () => {
      while (seq < total && watcher?.sink.rows([{ seq: ++seq, body }])) continue;
    };
    if (watcher) watcher.onResume = give;
    give();
    return { given: () => seq };
  }

  test("gets little data and is disconnected", async () => {
    const door = await open({ stalledMs: 100 });
    const socket = connect(door.port, "127.0.0.1");
    socket.pause();
    socket.write(`GET /api/stream HTTP/1.1\r\nhost: localhost:${door.port}\r\n\r\n`);
    await expect.poll(() => door.watchers.length).toBe(1);
    const [watcher] = door.watchers;
    const { given } = feed(watcher);
    await closed(watcher);
    expect(given() * body.length).toBeLessThan(20_000_000);
    expect(door.app.streams()).toMatchObject({ open: 0, cut: 1 });
    expect(watcher?.closed).toBe(1);
    socket.destroy();
  });

  test("that resumes later gets every row once and in order", async () => {
    const door = await open({ stalledMs: 60_000 });
    const [response] = await get(door, "/api/stream");
    response.pause();
    const [watcher] = door.watchers;
    const { given } = feed(watcher);
    expect(given()).toBeLessThan(total);
    const text = await readUntil(response, `id: ${total}\n`);
    const ids = [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: total }, (_, at) => at + 1));
    expect(watcher?.resumed).toBeGreaterThan(0);
    expect(door.app.streams()).toMatchObject({ open: 1, cut: 0 });
  });

  test("an idle reader does not count as stalled", async () => {
    const door = await open({ stalledMs: 20, heartbeatMs: 100 });
    const [response] = await get(door, "/api/stream");
    await readUntil(response, ": \n\n: \n\n: \n\n");
    expect(door.app.streams()).toMatchObject({ open: 1, cut: 0 });
  });
});
