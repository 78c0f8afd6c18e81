import fc from "../../test/support/fast-check.ts";
import { describe, expect, onTestFinished, test } from "vitest";
import { createServer, type ServerResponse } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { createStreams, toCursor, toEvents } from "./sse.ts";

describe("toCursor", () => {
  test.each([
    [undefined, null, 0],
    [undefined, "0", 0],
    [undefined, "17", 17],
    ["18", "17", 18],
    ["", "17", 17],
    [undefined, String(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER],
  ])("Last-Event-ID %j and after %j begin after %d", (lastEventId, after, expected) => {
    expect(toCursor(lastEventId, after)).toBe(expected);
  });

  test.each([
    "-1",
    "1.5",
    "1e3",
    "0x1",
    " 1",
    "1 ",
    "+1",
    "NaN",
    "Infinity",
    "abc",
    "9007199254740992",
    "9".repeat(400),
    "1\n2",
    "1;2",
  ])("%j is refused wherever it stands", (text) => {
    expect(() => toCursor(text, "1")).toThrow(expect.objectContaining({ code: "invalid" }));
    expect(() => toCursor(undefined, text)).toThrow(expect.objectContaining({ code: "invalid" }));
  });

  test("rejects an empty `after`, so that a client that lost its cursor is not sent everything", () => {
    expect(() => toCursor(undefined, "")).toThrow(expect.objectContaining({ code: "invalid" }));
  });
});

describe("toEvents", () => {
  /** A minimal parser of the standard: CR, LF and CRLF end a line. */
  const parse = (text: string) =>
    text
      .split(/\r\n\r\n|\n\n|\r\r/)
      .slice(0, -1)
      .map((block) => block.split(/\r\n|\n|\r/).map((line) => line.split(/: (.*)/s).slice(0, 2)));
  const lineBreaks = fc.constantFrom("\r", "\n", "\r\n", "\n\n", "\nid: 9\n", "\ndata: x\n\n", "\u2028", "\0");
  const text = fc.array(fc.oneof(fc.string(), lineBreaks)).map((pieces) => pieces.join(""));

  test("each row stays one event with its id, with any body", () => {
    let withBreaks = 0;
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.boolean())), (contents) => {
        const bodies = contents.map(([content, isPretty]) =>
          JSON.stringify({ content }, null, isPretty ? "\r\n  " : 0),
        );
        withBreaks += bodies.filter((body) => /[\r\n]/.test(body)).length;
        const events = parse(toEvents(bodies.map((body, at) => ({ seq: at + 1, body }))));
        expect(events.map(([id]) => id)).toEqual(bodies.map((_, at) => ["id", String(at + 1)]));
        expect(events.map((fields) => JSON.parse(fields[1]?.[1] ?? ""))).toEqual(
          bodies.map((body) => JSON.parse(body)),
        );
        expect(events.every((fields) => fields.length === 2)).toBe(true);
      }),
    );
    expect(withBreaks).toBeGreaterThan(50);
  });

  test("a body that is not JSON cannot start another field either", () => {
    const [event, ...more] = parse(toEvents([{ seq: 1, body: "x\n\nid: 5\r\ndata: forged" }]));
    expect(more).toEqual([]);
    expect(event).toEqual([
      ["id", "1"],
      ["data", "x id: 5 data: forged"],
    ]);
  });
});

test("a client that left during authorization is not watched", () => {
  let watched = 0;
  const watch = () => ({ resume: () => {}, close: () => {}, watched: (watched += 1) });
  const streams = createStreams({ watch, heartbeatMs: 1000, stalledMs: 1000, streamsPerUser: 1 });
  streams.attach({ destroyed: true } as ServerResponse, { userId: "local", stream: "user:local", after: 0 });
  expect(watched).toBe(0);
  expect(streams.counts()).toEqual({ open: 0, opened: 0, cut: 0 });
  streams.close();
});

describe("a stream whose client is gone without a word", () => {
  const watch = () => ({ resume: () => {}, close: () => {} });
  const open = async (options: { readonly stalledMs: number; readonly lifeMs?: number }) => {
    const streams = createStreams({ watch, heartbeatMs: 20, streamsPerUser: 1, ...options });
    const { promise: attached, resolve } = Promise.withResolvers<ServerResponse>();
    const server = createServer((_, response) => {
      streams.attach(response, { userId: "local", stream: "user:local", after: 0 });
      resolve(response);
    });
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    onTestFinished(() => {
      streams.close();
      client.destroy();
      server.close();
    });
    client.pause().write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
    return { streams, client, response: await attached };
  };

  test("is cut when bytes stay unsent, even if no write was refused", async () => {
    const { streams, response } = await open({ stalledMs: 200 });
    // More than the operating system takes. The stream's own writes have not been refused.
    response.socket?.write(Buffer.alloc(40_000_000));
    await expect.poll(() => streams.counts(), { timeout: 10_000 }).toEqual({ open: 0, opened: 1, cut: 1 });
  });

  test("is ended when it is old and idle, even if nothing is ever read", async () => {
    const { streams } = await open({ stalledMs: 60_000, lifeMs: 100 });
    await expect.poll(() => streams.counts(), { timeout: 10_000 }).toEqual({ open: 0, opened: 1, cut: 0 });
  });

  test("control: stays open while it is young", async () => {
    const { streams, client } = await open({ stalledMs: 60_000 });
    client.resume();
    let heartbeats = 0;
    client.on("data", (bytes) => (heartbeats += bytes.toString().split(": \n\n").length - 1));
    await expect.poll(() => heartbeats, { timeout: 10_000 }).toBeGreaterThan(10);
    expect(streams.counts()).toEqual({ open: 1, opened: 1, cut: 0 });
  });
});
