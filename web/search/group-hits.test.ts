import { expect, test } from "vitest";
import type { SearchHit, SearchTarget } from "../../protocol/search.ts";
import { groupHits, toHitKey } from "./group-hits.ts";

const toHit = (target: SearchTarget, thread: string | null = null) =>
  ({
    target,
    thread: thread && { id: thread, title: thread },
    title: "",
    snippet: "",
    marks: [],
  }) as unknown as SearchHit;

const said = (threadId: string, messageId: string) => toHit({ at: "message", threadId, messageId }, threadId);
const hits = [
  said("a", "1"),
  toHit({ at: "file", projectId: "p", path: "src/a.ts" }),
  said("b", "2"),
  toHit({ at: "artifact", threadId: "a", messageId: "1", ref: 4 }, "a"),
  toHit({ at: "entity", projectId: "p", entityId: "e", kind: "document" }),
  toHit({ at: "thread", threadId: "a" }, "a"),
];

test("hits stand together with others of their thread or project, where the newest of them stands", () => {
  const shown = groupHits(hits).map(({ key, hits: of }) => [key, of.map(({ target }) => target.at)]);
  expect(shown).toEqual([
    ["thread a", ["message", "artifact", "thread"]],
    ["project p", ["file", "entity"]],
    ["thread b", ["message"]],
  ]);
});

test("a hit in a thread that nobody tells of is left out", () => {
  expect(groupHits([toHit({ at: "message", threadId: "x", messageId: "1" })])).toEqual([]);
});

test("every hit has a key of its own", () => {
  expect(new Set(hits.map(toHitKey)).size).toBe(hits.length);
});
