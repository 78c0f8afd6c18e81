import { expect, test } from "vitest";
import { createFrameReader, type Frame } from "./sse.ts";

const stream =
  ': hello\n\nid: 7\ndata: {"a":"ü"}\n\n: \n\nid: 8\r\ndata: one\r\ndata: two\r\n\r\nevent: x\ndata:bare\n\n';
const whole: readonly Frame[] = [
  { id: "7", data: '{"a":"ü"}' },
  { id: "8", data: "one\ntwo" },
  { id: null, data: "bare" },
];

const readPieces = (...pieces: readonly string[]): readonly Frame[] => {
  const frames: Frame[] = [];
  const read = createFrameReader((frame) => frames.push(frame));
  for (const piece of pieces) read(piece);
  return frames;
};

test("frames are the same wherever the text is cut in two", () => {
  for (let at = 0; at <= stream.length; at++) {
    expect(readPieces(stream.slice(0, at), stream.slice(at))).toEqual(whole);
  }
});

test("frames are the same when the text comes character by character", () => {
  expect(readPieces(...stream)).toEqual(whole);
});

test("a frame that was not finished is not read", () => {
  expect(readPieces("id: 9\ndata: half\n")).toEqual([]);
});

test("an id does not carry over to the next frame", () => {
  expect(readPieces("id: 1\ndata: a\n\ndata: b\n\n")).toEqual([
    { id: "1", data: "a" },
    { id: null, data: "b" },
  ]);
});
