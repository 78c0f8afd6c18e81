import { expect, test } from "vitest";
import { countFilters, everywhere, readSearchRoute, toSearchPath, toSearchQuery } from "./search-route.ts";

const readBack = (path: string) => readSearchRoute(new URL(path, "http://localhost").hash);

test("reads a search back from its URL", () => {
  const place = {
    q: "100% of “granite” & sand #1",
    kind: "written",
    projectId: "p-1",
    profile: "stone",
    from: "2026-10-01",
    to: "2026-11-15",
    archived: "false",
  } as const;
  expect(readBack(toSearchPath(place))).toEqual(place);
  expect(readBack(toSearchPath({}))).toEqual(everywhere);
  expect(toSearchPath({ q: "" })).toBe("/search");
});

test("ignores invalid values in a URL", () => {
  expect(readSearchRoute("#kind=other&projectId=../x&from=soon&to=2026-13-99&archived=maybe&more=1")).toEqual(
    everywhere,
  );
  expect(readSearchRoute(`#q=${"x".repeat(500)}`).q).toHaveLength(200);
});

test("converts days to the reader's time zone", () => {
  const { from, to } = toSearchQuery({ ...everywhere, q: "x", from: "2026-10-01", to: "2026-10-01" }, 30);
  expect([from, to]).toEqual([new Date(2026, 9, 1).getTime(), new Date(2026, 9, 2).getTime()]);
});

test("leaves out filters that are not set", () => {
  expect(toSearchQuery({ ...everywhere, q: " tide " }, 50)).toEqual({ q: "tide", limit: 50 });
  expect(countFilters({ ...everywhere, q: "tide" })).toBe(0);
  expect(countFilters({ ...everywhere, q: "tide", kind: "said", to: "2026-10-01" })).toBe(2);
});
