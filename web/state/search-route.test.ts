import { expect, test } from "vitest";
import { countFilters, everywhere, readSearchRoute, toSearchPath, toSearchQuery } from "./search-route.ts";

const readBack = (path: string) => readSearchRoute(new URL(path, "http://localhost").hash);

test("what is looked for is read back from its address", () => {
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

test("what an address says in vain is left out", () => {
  expect(readSearchRoute("#kind=other&projectId=../x&from=soon&to=2026-13-99&archived=maybe&more=1")).toEqual(
    everywhere,
  );
  expect(readSearchRoute(`#q=${"x".repeat(500)}`).q).toHaveLength(200);
});

test("the server is asked for whole days of the reader", () => {
  const { from, to } = toSearchQuery({ ...everywhere, q: "x", from: "2026-10-01", to: "2026-10-01" }, 30);
  expect([from, to]).toEqual([new Date(2026, 9, 1).getTime(), new Date(2026, 9, 2).getTime()]);
});

test("filters that are not set are not asked for", () => {
  expect(toSearchQuery({ ...everywhere, q: " tide " }, 50)).toEqual({ q: "tide", limit: 50 });
  expect(countFilters({ ...everywhere, q: "tide" })).toBe(0);
  expect(countFilters({ ...everywhere, q: "tide", kind: "said", to: "2026-10-01" })).toBe(2);
});
