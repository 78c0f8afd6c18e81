import { expect, test } from "vitest";
import { createSeries, toMarkdown } from "./report.ts";

test("takes a pooled quantile over the samples of all repeats", () => {
  const series = createSeries();
  series.pool("a.p50", "ms", 0.5, [1, 2, 9]);
  series.pool("a.p50", "ms", 0.5, [1, 1, 1]);
  expect(series.measures()).toEqual([{ id: "a.p50", value: 1, unit: "ms", low: 1, high: 2, n: 2 }]);
});

test("shows the reason for a missing figure until the figure is measured", () => {
  const series = createSeries();
  series.lack("a.figure", "ms", "not within 90 s");
  series.lack("b.figure", "ms", "not within 90 s");
  series.add("b.figure", "ms", 4);
  const table = toMarkdown(series.measures());
  expect(table).toContain("| `a.figure` | none | ms | not within 90 s | 0 |  |  |");
  expect(table).toContain("| `b.figure` | 4 | ms | 4 - 4 | 1 |  |  |");
});

test("a target decides whether a figure is met, and its aim is only shown", () => {
  const series = createSeries();
  series.add("stream.cpu.vs-ai-sdk", "x", 3.2);
  series.add("stream.cpu.vs-ai-sdk.paced", "x", 3.9);
  const table = toMarkdown(series.measures());
  expect(table).toContain("| `stream.cpu.vs-ai-sdk` | 3.2 | x | 3.2 - 3.2 | 1 | >= 3 (aim 4) | yes |");
  expect(table).toContain("| `stream.cpu.vs-ai-sdk.paced` | 3.9 | x | 3.9 - 3.9 | 1 | >= 4 (aim 5) | **no** |");
});
