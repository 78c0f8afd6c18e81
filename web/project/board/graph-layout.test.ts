import { expect, test } from "vitest";
import { createLayout, toBox } from "./graph-layout.ts";

const edge = (sourceId: string, targetId: string) => ({ sourceId, targetId, relation: "supports" });
const ids = Array.from({ length: 30 }, (_, index) => `e${index}`);
const edges = ids.slice(1, 15).map((id) => edge("e0", id));

function settle(list: readonly string[], links = edges) {
  const layout = createLayout(list, links);
  while (!layout.step(50));
  return layout.points();
}

test("places linked nodes closer together than others, without overlaps", () => {
  const points = [...settle(ids)];
  const distance = (a: string, b: string) => {
    const [one, other] = [a, b].map((id) => points.find(([key]) => key === id)?.[1] ?? { x: 0, y: 0 });
    return Math.hypot((one?.x ?? 0) - (other?.x ?? 0), (one?.y ?? 0) - (other?.y ?? 0));
  };
  const mean = (list: readonly string[]) => list.reduce((sum, id) => sum + distance("e0", id), 0) / list.length;
  expect(mean(ids.slice(1, 15))).toBeLessThan(mean(ids.slice(15)));
  const apart = points.flatMap(([a]) => points.flatMap(([b]) => (a < b ? [distance(a, b)] : [])));
  expect(Math.min(...apart)).toBeGreaterThan(8);
});

test("gives the same layout for the same graph, and finishes", () => {
  expect(settle(ids)).toEqual(settle(ids));
  expect(createLayout(ids, edges).step(1000)).toBe(true);
  expect(createLayout(ids, edges).step(1)).toBe(false);
});

test("ignores links to missing nodes and to the node itself", () => {
  const alone = settle(["a"], [edge("a", "a"), edge("a", "elsewhere")]);
  expect(alone.get("a")).toEqual({ x: 0, y: 0 });
  expect(toBox(alone, 10)).toEqual({ x: -10, y: -10, width: 20, height: 20 });
});
