import { expect, test } from "vitest";
import { userStream } from "../../../protocol/ids.ts";
import { toPayloads } from "./wakes.ts";

const from = "node";
const read = (payload: string) => JSON.parse(payload) as { streams: string[] | null; drive: string[] };

test("sends a small notification as one payload", () => {
  const payloads = toPayloads({ from, streams: [userStream("a")], drive: ["t"] });
  expect(payloads.map(read)).toEqual([{ from, streams: ["user:a"], drive: ["t"] }]);
});

test("sends null for too many streams, and lists every thread to drive once", () => {
  const streams = Array.from({ length: 1_000 }, (_, n) => userStream(`person ${n}`));
  const drive = Array.from({ length: 2_000 }, (_, n) => `thread é ${n}`);
  const payloads = toPayloads({ from, streams, drive });
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
  expect(payloads.map(read).map((wake) => wake.streams)).toContain(null);
  expect(payloads.map(read).flatMap((wake) => wake.drive)).toEqual(drive);
});
