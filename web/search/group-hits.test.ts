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

const message = (threadId: string, messageId: string) => toHit({ at: "message", threadId, messageId }, threadId);
const hits = [
  message("a", "1"),
  toHit({ at: "file", projectId: "p", path: "src/a.ts" }),
  message("b", "2"),
  toHit({ at: "artifact", threadId: "a", messageId: "1", ref: 4 }, "a"),
  toHit({ at: "entity", projectId: "p", entityId: "e", kind: "document" }),
  toHit({ at: "thread", threadId: "a" }, "a"),
];

test("groups hits by thread or project, ordered by the newest hit", () => {
  const shown = groupHits(hits).map(({ key, hits: of }) => [key, of.map(({ target }) => target.at)]);
  expect(shown).toEqual([
    ["thread a", ["message", "artifact", "thread"]],
    ["project p", ["file", "entity"]],
    ["thread b", ["message"]],
  ]);
});

test("drops a hit whose thread is unknown", () => {
  expect(groupHits([toHit({ at: "message", threadId: "x", messageId: "1" })])).toEqual([]);
});

test("gives every hit a unique key", () => {
  expect(new Set(hits.map(toHitKey)).size).toBe(hits.length);
});
