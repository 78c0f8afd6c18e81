import fc from "../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import type { ServerResponse } from "node:http";
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

test("a client that left during authorisation is not watched", () => {
  let watched = 0;
  const watch = () => ({ resume: () => {}, close: () => {}, watched: (watched += 1) });
  const streams = createStreams({ watch, heartbeatMs: 1000, stalledMs: 1000, streamsPerUser: 1 });
  streams.attach({ destroyed: true } as ServerResponse, { userId: "local", stream: "user:local", after: 0 });
  expect(watched).toBe(0);
  expect(streams.counts()).toEqual({ open: 0, opened: 0, cut: 0 });
  streams.close();
});
