import { expect, test } from "vitest";
import { createSeries, toMarkdown } from "./report.ts";

test("shows the reason for a missing figure until the figure is measured", () => {
  const series = createSeries();
  series.lack("a.figure", "ms", "not within 90 s");
  series.lack("b.figure", "ms", "not within 90 s");
  series.add("b.figure", "ms", 4);
  const table = toMarkdown(series.measures());
  expect(table).toContain("| `a.figure` | none | ms | not within 90 s | 0 |  |  |");
  expect(table).toContain("| `b.figure` | 4 | ms | 4 - 4 | 1 |  |  |");
});
