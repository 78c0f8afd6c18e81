import { expect, test } from "vitest";
import { collectSources, listCited, sortSources, type Source } from "./collect-sources.ts";

const source = (id: string, part: Partial<Source>): Source => ({
  id,
  v: 1,
  n: 1,
  step: 1,
  kind: "source",
  sourceType: "url",
  ...part,
});

test("an address is one source, completed by what is told of it later", () => {
  const found = source("a", { url: "https://a.example/", status: "found", relevance: 0.8, ref: 1 });
  const read = source("b", { url: "https://a.example/", status: "read", title: "A", ref: 4 });
  expect(collectSources([found, read])).toMatchObject([
    { id: "a", status: "read", relevance: 0.8, title: "A", ref: 4 },
  ]);
  expect(collectSources([read, found])).toMatchObject([
    { id: "b", status: "read", title: "A", ref: 4, relevance: 0.8 },
  ]);
});

test("what was set aside is no source", () => {
  expect(collectSources([source("a", { url: "https://a.example/", aside: "stalled" })])).toEqual([]);
});

test("cited ones come first by number, then read, found by relevance, and failed", () => {
  const list = [
    source("failed", { status: "failed" }),
    source("weak", { status: "found", relevance: 0.2 }),
    source("strong", { status: "found", relevance: 0.9 }),
    source("read", { status: "read", ref: 5 }),
    source("second", { status: "found", ref: 8 }),
    source("first", { status: "read", ref: 2 }),
  ];
  const names = sortSources(list, new Set([2, 8])).map(({ id }) => id);
  expect(names).toEqual(["first", "second", "read", "strong", "weak", "failed"]);
});

test("until citations are checked, the text tells what is cited", () => {
  expect([...listCited([], "One [3], two [1, 2].")]).toEqual([3, 1, 2]);
  expect([...listCited([{ ref: 4, at: [0, 3], state: "verified" }], "One [3].")]).toEqual([4]);
});
