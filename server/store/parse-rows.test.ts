import { expect, test } from "vitest";
import { PART_VERSION } from "../../protocol/parts.ts";
import { RUN_VERSION, toPart, toReceipt, toStoredRun, toThreadEvent } from "./parse-rows.ts";

const body = JSON.stringify({ view: { id: "r" }, stepSeq: 3, at: { kind: "ended" } });

test("reads rows of this version and of earlier ones", () => {
  expect(toPart({ v: PART_VERSION, body: '{"kind":"text"}' })).toEqual({ kind: "text" });
  for (const v of [RUN_VERSION, 0]) expect(toStoredRun({ v, body })).toMatchObject({ stepSeq: 3, view: { id: "r" } });
  expect(toReceipt({ v: 2, body: '{"v":2,"items":[]}' })).toEqual({ v: 2, items: [] });
  expect(toReceipt({ v: 1, body: "{}" })).toBeNull();
  const event = { type: "input-withdrawn", inputId: "i" };
  expect(toThreadEvent({ body: JSON.stringify(event) })).toEqual(event);
  expect(toThreadEvent({ body: JSON.stringify({ ...event, v: 1 }) })).toMatchObject(event);
});

test("rejects rows of a newer Stonechat with a clear error, and skips its receipts", () => {
  const update = (what: string, version: number): string =>
    `This ${what} has version ${version}, which a newer Stonechat stored. Update this server.`;
  const part = PART_VERSION + 1;
  expect(() => toPart({ v: part, body: "{}" })).toThrow(update("part", part));
  expect(() => toStoredRun({ v: RUN_VERSION + 1, body })).toThrow(update("run", RUN_VERSION + 1));
  expect(toReceipt({ v: 3, body: "{}" })).toBeNull();
  expect(() => toThreadEvent({ body: '{"type":"text-delta","v":2}' })).toThrow(update("event", 2));
});
