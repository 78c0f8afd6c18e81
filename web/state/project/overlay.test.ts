import { expect, test } from "vitest";
import type { Entity, EntityLine, EntityOp } from "../../../protocol/project/project.ts";
import { findPosition, noOverlay, overlay, overlayEntity, type Overlay } from "./overlay.ts";

const line = (id: string, part: Partial<EntityLine> = {}): EntityLine => ({
  id,
  projectId: "p",
  kind: "task",
  title: id,
  state: "open",
  priority: "none",
  startsAt: null,
  endsAt: null,
  parentId: null,
  position: 1,
  version: 1,
  createdAt: 1,
  updatedAt: 1,
  bodyLength: 0,
  excerpt: "",
  ...part,
});

const show = (lines: readonly EntityLine[], part: Partial<Overlay>, fits = (_: EntityLine) => true) =>
  overlay(lines, { overlay: { ...noOverlay, ...part }, seq: 5, fits }).map(({ id, state }) => [id, state]);

const update = (id: string, state: string): EntityOp => ({ do: "update", id, version: 1, state });

test("shows a pending change and removes lines that no longer fit", () => {
  const lines = [line("a"), line("b")];
  expect(show(lines, { ops: [update("a", "done")] })).toEqual([
    ["a", "done"],
    ["b", "open"],
  ]);
  expect(show(lines, { ops: [update("a", "done")] }, ({ state }) => state === "open")).toEqual([["b", "open"]]);
});

test("adds a changed line to a list that it now fits", () => {
  const seen = new Map([["a", line("a")]]);
  const isDone = ({ state }: EntityLine) => state === "done";
  expect(show([], { ops: [update("a", "done")] }, isDone)).toEqual([]);
  expect(show([], { ops: [update("a", "done")], seen }, isDone)).toEqual([["a", "done"]]);
});

test("shows a result until the list is as new", () => {
  const answered = (seq: number) => new Map([["a", { seq, line: line("a", { state: "done" }) }]]);
  expect(show([line("a")], { answers: answered(6) })).toEqual([["a", "done"]]);
  expect(show([line("a", { state: "blocked" })], { answers: answered(5) })).toEqual([["a", "blocked"]]);
  expect(show([], { answers: answered(5) })).toEqual([]);
});

test("keeps deleted lines out of older lists", () => {
  expect(show([line("a")], { answers: new Map([["a", { seq: 6, line: null }]]) })).toEqual([]);
  expect(show([line("a")], { answers: new Map([["a", { seq: 4, line: null }]]) })).toEqual([["a", "open"]]);
});

test("shows a created line at once, in its kind's first state", () => {
  const op: EntityOp = { do: "create", id: "n", kind: "plan", title: "New plan", parentId: null };
  expect(show([], { ops: [op] })).toEqual([["n", "draft"]]);
  expect(show([], { ops: [op, { do: "delete", id: "n", version: 0 }] })).toEqual([]);
});

test("finds positions between neighbors, at the start and at the end", () => {
  const lines = [line("a", { position: 1 }), line("b", { position: 2 }), line("c", { position: 3 })];
  const place = (after?: string | null) => findPosition(lines, { id: "x", parentId: null, after });
  expect(place("a")).toBe(1.5);
  expect(place(null)).toBe(0);
  expect(place()).toBe(4);
  expect(place("c")).toBe(4);
  expect(findPosition(lines, { id: "b", parentId: null, after: "c" })).toBe(4);
  expect(findPosition([], { id: "x", parentId: "y" })).toBe(1);
});

test("shows a pending change of one entity with the version that was read", () => {
  const read: Entity = { ...line("a"), body: "Twelve blocks." };
  const answered = (version: number) => new Map([["a", { seq: 6, line: line("a", { version, state: "done" }) }]]);
  const see = (part: Partial<Overlay>) => {
    const { state, title, body, version } = overlayEntity(read, { ...noOverlay, ...part });
    return [state, title, body, version];
  };
  expect(see({ ops: [update("a", "blocked"), update("b", "done")] })).toEqual(["blocked", "a", "Twelve blocks.", 1]);
  expect(see({ answers: answered(2) })).toEqual(["done", "a", "Twelve blocks.", 1]);
  expect(see({ answers: answered(1) })).toEqual(["open", "a", "Twelve blocks.", 1]);
});
