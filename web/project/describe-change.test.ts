import { expect, test } from "vitest";
import type { Change } from "../../protocol/project/project.ts";
import { describeChange, toVerb } from "./describe-change.ts";

const change = (before: Change["before"], after: Change["after"]): Change => ({
  what: "entity",
  id: "e",
  title: "Order granite",
  before,
  after,
});
const now = Date.parse("2026-11-15T12:00:00Z");

test("lists changed fields with old and new values, without internal fields", () => {
  const fields = describeChange(
    change(
      { state: "open", version: 1, endsAt: null, body: "a" },
      { state: "done", version: 2, endsAt: Date.parse("2026-11-16T23:59:59.999Z"), body: "a\nb" },
    ),
    now,
  );
  expect(fields).toEqual([
    { name: "State", before: "open", after: "done", isLong: false },
    { name: "Ends", before: "", after: "Tomorrow", isLong: false },
    { name: "Text", before: "a", after: "a\nb", isLong: true },
  ]);
});

test("a change without a before is a creation, without an after a deletion", () => {
  expect([toVerb(change(null, {})), toVerb(change({}, null)), toVerb(change({}, {}))]).toEqual([
    "created",
    "deleted",
    "changed",
  ]);
});
