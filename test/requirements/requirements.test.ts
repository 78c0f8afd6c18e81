import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { expectedIds, findFault, readItems, renderTable, root } from "./items.ts";

const items = readItems();

/** Items that are being built. Remove an id when its item has a file and a test. */
const open: readonly string[] = [];

test("every item of the five documents is listed once, in order", () => {
  expect(items.map(({ id }) => id)).toEqual(expectedIds);
});

test("every item names a file that exists and a test that is in its file", () => {
  expect(items.flatMap((item) => findFault(item)?.replace(/^/, `${item.id} `) ?? [])).toEqual([]);
  expect(items.filter(({ open }) => open !== undefined).map(({ id }) => id)).toEqual(open);
});

test("an item without a file, a test or a reason is reported (control)", () => {
  const [item] = items.filter((one) => one.test !== undefined && one.definition === undefined);
  const { test: named, ...untested } = item!;
  expect(findFault(item!)).toBeUndefined();
  for (const broken of [
    untested,
    { ...item!, file: "server/no-such-file.ts" },
    { ...item!, test: `${named}, and more` },
    { ...item!, test: "test/no-such.test.ts > title" },
    { ...item!, replaced: "" },
    { ...item!, replaced: "a good reason", definition: "a good word" },
  ])
    expect(findFault(broken), JSON.stringify(broken)).toBeDefined();
});

test("docs/requirements.md is up to date; `npm run fix` writes it", () => {
  expect(readFileSync(join(root, "docs/requirements.md"), "utf8")).toBe(renderTable(items));
});
