import { expect, test } from "vitest";
import { fitsFilter, readPosition, toQuestion } from "./read-position.ts";

const line = {
  id: 1,
  seq: 1,
  at: 1,
  kind: "console" as const,
  level: "error",
  text: "Boom\n  at x",
  place: "src/App.tsx:12:5",
};

test("reads path and line of a position", () => {
  expect(readPosition("src/App.tsx:12:5")).toEqual({ path: "src/App.tsx", line: 12 });
  expect(readPosition("a:b.ts:3")).toEqual({ path: "a:b.ts", line: 3 });
  expect(readPosition("nowhere")).toBeNull();
  expect(readPosition(null)).toBeNull();
});

test("quotes a message and its position in a question", () => {
  expect(toQuestion(line)).toBe("About this error:\n\n> Boom\n>   at x\n> at src/App.tsx:12:5\n\n");
  expect(toQuestion({ ...line, text: "Boom at src/App.tsx:12:5" })).toBe(
    "About this error:\n\n> Boom at src/App.tsx:12:5\n\n",
  );
  expect(toQuestion({ ...line, kind: "network", place: null })).toMatch(/^About this request:\n\n> Boom/);
});

test("filters lines by kind, level and words", () => {
  const fits = (part: object) => fitsFilter(line, { kind: "console", level: "all", words: "", ...part });
  expect(fits({})).toBe(true);
  expect(fits({ kind: "network" })).toBe(false);
  expect(fits({ level: "warn" })).toBe(false);
  expect(fits({ words: "app.tsx" })).toBe(true);
  expect(fits({ words: "other" })).toBe(false);
});
