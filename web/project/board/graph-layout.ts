import type { Edge } from "../../../protocol/project/project.ts";

export type Point = { readonly x: number; readonly y: number };

/** Force-directed layout computed in steps: nodes repel each other, links attract, and a weak force pulls to the center. */
export type Layout = {
  /** Returns true once the layout is final. */
  step(count: number): boolean;
  points(): ReadonlyMap<string, Point>;
};

const steps = 240;
const spring = 120;
const push = 48_000;
const middle = 0.03;

/** Deterministic: nodes start on a spiral, those with the most links inside. */
export function createLayout(ids: readonly string[], edges: readonly Edge[]): Layout {
  const index = new Map(ids.map((id, at) => [id, at]));
  const links = edges.flatMap(({ sourceId, targetId }) => {
    const [a, b] = [index.get(sourceId), index.get(targetId)];
    return a === undefined || b === undefined || a === b ? [] : [[a, b] as const];
  });
  const degree = ids.map((_, at) => links.filter(([a, b]) => a === at || b === at).length);
  const order = ids.map((_, at) => at).toSorted((a, b) => (degree[b] ?? 0) - (degree[a] ?? 0) || a - b);
  const x = new Float64Array(ids.length);
  const y = new Float64Array(ids.length);
  for (const [turn, at] of order.entries()) {
    const radius = 26 * Math.sqrt(turn);
    x[at] = radius * Math.cos(turn * 2.4);
    y[at] = radius * Math.sin(turn * 2.4);
  }
  let done = 0;

  const get = (list: Float64Array, at: number): number => list[at] ?? 0;
  const stepOnce = (heat: number) => {
    const [dx, dy] = [new Float64Array(ids.length), new Float64Array(ids.length)];
    const shift = (at: number, byX: number, byY: number) => {
      dx[at] = get(dx, at) + byX;
      dy[at] = get(dy, at) + byY;
    };
    for (let a = 0; a < ids.length; a += 1) {
      shift(a, -get(x, a) * middle, -get(y, a) * middle);
      for (let b = a + 1; b < ids.length; b += 1) {
        const [wide, high] = [get(x, a) - get(x, b), get(y, a) - get(y, b)];
        const force = push / Math.max(64, wide * wide + high * high);
        const length = Math.max(1, Math.hypot(wide, high));
        shift(a, (wide / length) * force, (high / length) * force);
        shift(b, (-wide / length) * force, (-high / length) * force);
      }
    }
    for (const [a, b] of links) {
      const [wide, high] = [get(x, b) - get(x, a), get(y, b) - get(y, a)];
      const length = Math.max(1, Math.hypot(wide, high));
      const force = ((length - spring) / length) * 0.35;
      shift(a, wide * force, high * force);
      shift(b, -wide * force, -high * force);
    }
    for (let at = 0; at < ids.length; at += 1) {
      const length = Math.hypot(get(dx, at), get(dy, at));
      const scale = Math.min(length, heat) / Math.max(1, length);
      x[at] = get(x, at) + get(dx, at) * scale;
      y[at] = get(y, at) + get(dy, at) * scale;
    }
  };
  return {
    step: (count) => {
      for (const until = Math.min(steps, done + count); done < until; done += 1)
        stepOnce(30 * (1 - done / steps) + 0.5);
      return done >= steps;
    },
    points: () => new Map(ids.map((id, at) => [id, { x: get(x, at), y: get(y, at) }])),
  };
}

/** Bounding box of all points, with padding. */
export function toBox(points: ReadonlyMap<string, Point>, padding: number) {
  const all = [...points.values()];
  if (all.length === 0) return { x: -1, y: -1, width: 2, height: 2 };
  const [xs, ys] = [all.map(({ x }) => x), all.map(({ y }) => y)];
  const [left, top] = [Math.min(...xs) - padding, Math.min(...ys) - padding];
  return { x: left, y: top, width: Math.max(...xs) + padding - left, height: Math.max(...ys) + padding - top };
}
