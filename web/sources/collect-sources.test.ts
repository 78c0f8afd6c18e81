import { expect, test } from "vitest";
import type { Part, PartOf } from "../../protocol/parts.ts";
import { collectSources, findSource, listCited, sortSources } from "./collect-sources.ts";

const source = (id: string, part: Partial<PartOf<"source">>): PartOf<"source"> => ({
  id,
  v: 1,
  n: 1,
  step: 1,
  kind: "source",
  sourceType: "url",
  ...part,
});

test("merges parts with the same URL into one source", () => {
  const found = source("a", { url: "https://a.example/", status: "found", relevance: 0.8, ref: 1 });
  const read = source("b", { url: "https://a.example/", status: "read", title: "A", ref: 4 });
  expect(collectSources([found, read])).toMatchObject([
    { id: "a", status: "read", relevance: 0.8, title: "A", ref: 4 },
  ]);
});

test("finds a source by each of its numbers", () => {
  const search: Part = {
    ...{ id: "s", v: 1, n: 0, step: 1, kind: "tool", callId: "c", name: "search_web", state: "ok" },
    output: {
      results: [
        { ref: 1, url: "https://a.example/" },
        { ref: 2, url: "https://b.example/" },
      ],
    },
  };
  const read = source("a", { url: "https://a.example/", status: "read", ref: 4 });
  const sources = collectSources([search, read]);
  expect(sources).toMatchObject([{ id: "a", ref: 4, refs: [4, 1] }]);
  expect([1, 4, 2].map((ref) => findSource(sources, ref)?.id)).toEqual(["a", "a", undefined]);
});

test("skips superseded sources", () => {
  expect(collectSources([source("a", { url: "https://a.example/", aside: "stalled" })])).toEqual([]);
});

test("sorts cited sources first by number, then read, found by relevance, and failed", () => {
  const list = [
    source("failed", { status: "failed" }),
    source("weak", { status: "found", relevance: 0.2 }),
    source("strong", { status: "found", relevance: 0.9 }),
    source("read", { status: "read", ref: 5 }),
    source("second", { status: "found", ref: 8 }),
    source("first", { status: "read", ref: 2 }),
  ];
  const names = sortSources(collectSources(list), new Set([2, 8])).map(({ id }) => id);
  expect(names).toEqual(["first", "second", "read", "strong", "weak", "failed"]);
});

test("takes citations from the text until they are checked", () => {
  expect([...listCited([], "One [3], two [1, 2].")]).toEqual([3, 1, 2]);
  expect([...listCited([{ ref: 4, at: [0, 3], state: "verified" }], "One [3].")]).toEqual([4]);
});
