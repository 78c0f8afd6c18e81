import { expect, test } from "vitest";
import { readBlocks, readSeparated } from "./read-blocks.ts";

test("separates headings, tables and text", () => {
  const text =
    "# Costs\n\nIn euros.\nPer month.\n\n| Month | Sum |\n| --- | --- |\n| May \\| June | 1<br>2 |\n\n| not a table |\nEnd";
  expect(readBlocks(text)).toEqual([
    { kind: "heading", level: 1, text: "Costs" },
    { kind: "text", text: "In euros.\nPer month." },
    {
      kind: "table",
      rows: [
        ["Month", "Sum"],
        ["May | June", "1\n2"],
      ],
    },
    { kind: "text", text: "| not a table |\nEnd" },
  ]);
});

test.each([
  [
    "commas and quotes",
    'a,"b, ""c"""\r\n1,\n',
    [
      ["a", 'b, "c"'],
      ["1", ""],
    ],
  ],
  [
    "semicolons",
    "a;b\n1,5;2",
    [
      ["a", "b"],
      ["1,5", "2"],
    ],
  ],
  [
    "tabs",
    "a\tb\n1\t2\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "a line break in a cell",
    'a,b\n"1\n2",3',
    [
      ["a", "b"],
      ["1\n2", "3"],
    ],
  ],
])("reads values separated by %s", (_, text, rows) => {
  expect(readSeparated(text, 10)).toEqual(rows);
});

test("reads at most the given number of rows", () => {
  expect(readSeparated("a\n".repeat(100), 3)).toHaveLength(3);
});
