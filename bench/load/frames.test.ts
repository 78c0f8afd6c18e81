import { expect, test } from "vitest";
import { countDeltas, createFrames, readOwnTime, readSettled, readStamps, readText } from "./frames.ts";
import { toOwnTime, toStamp, toWord } from "./script.ts";

const ours = (text: string) => `id: 7\ndata: {"type":"text-delta","messageId":"m","n":1,"text":"${text}"}`;
const theirs = (text: string) => `data: {"type":"text-delta","id":"t","delta":"${text}"}`;
const settled = (text: string) =>
  `id: 9\ndata: {"type":"part-settled","messageId":"m","part":{"kind":"text","state":"done","text":"${text}"}}`;

test("yields whole frames, wherever the pieces are cut", () => {
  const whole = `${ours("a ")}\n\n: \n\n${ours("b ")}\n\n`;
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const frames: string[] = [];
    const take = createFrames((frame) => frames.push(frame));
    take(Buffer.from(whole.slice(0, cut)));
    take(Buffer.from(whole.slice(cut)));
    expect(frames).toEqual([ours("a "), ": ", ours("b ")]);
  }
});

test("reads the text of deltas from every contestant's frames, and ignores settled parts", () => {
  expect(readText(ours("one two "))).toBe("one two ");
  expect(readText(theirs("one "))).toBe("one ");
  expect(readText(settled("one two "))).toBe("");
  expect(readSettled(settled("one two "))).toBe("one two ");
  expect(readSettled(ours("one "))).toBe("");
});

test("counts deltas of words or timestamps, one or several in a frame", () => {
  const words = Array.from({ length: 300 }, (_, index) => toWord(index)).join("");
  expect(countDeltas(words)).toBe(300);
  const moments = toStamp(1_700_000_123) + toOwnTime(42) + toStamp(1_700_000_456);
  expect(countDeltas(moments)).toBe(2);
  expect(readStamps(moments)).toEqual([1_700_000_123, 1_700_000_456]);
  expect(readOwnTime(moments)).toBe(42);
  expect(readOwnTime(toStamp(1))).toBeUndefined();
});
