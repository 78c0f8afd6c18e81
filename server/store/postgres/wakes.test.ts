import { expect, test } from "vitest";
import { userStream } from "../../../protocol/ids.ts";
import { toPayloads } from "./wakes.ts";

const from = "node";
const read = (payload: string) => JSON.parse(payload) as { streams: string[] | null; drive: string[] };

test("a small wake is one payload", () => {
  const payloads = toPayloads({ from, streams: [userStream("a")], drive: ["t"] });
  expect(payloads.map(read)).toEqual([{ from, streams: ["user:a"], drive: ["t"] }]);
});

test("streams too many to name become any, and every thread to drive is named once", () => {
  const streams = Array.from({ length: 1_000 }, (_, n) => userStream(`person ${n}`));
  const drive = Array.from({ length: 2_000 }, (_, n) => `thread é ${n}`);
  const payloads = toPayloads({ from, streams, drive });
  for (const payload of payloads) expect(Buffer.byteLength(payload)).toBeLessThan(8_000);
  expect(payloads.map(read).map((wake) => wake.streams)).toContain(null);
  expect(payloads.map(read).flatMap((wake) => wake.drive)).toEqual(drive);
});
