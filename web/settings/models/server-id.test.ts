import { expect, test } from "vitest";
import { readHeaders, toServerId } from "./server-id.ts";

test("makes an id of a name", () => {
  expect(["Lab server", "Größe 2", "  -7 seas-", "日本", "OpenAI"].map(toServerId)).toEqual([
    "lab-server",
    "gro-e-2",
    "seas",
    "",
    "openai",
  ]);
  expect(toServerId("x".repeat(100))).toHaveLength(40);
});

test("reads headers, one per line", () => {
  expect(readHeaders("X-Tenant: blue\n\nX-Url: http://a:1")).toEqual({ "X-Tenant": "blue", "X-Url": "http://a:1" });
  expect(readHeaders("")).toEqual({});
  for (const text of ["X-Tenant", ": blue", "X Tenant: blue", "X-Tenant:"]) expect(readHeaders(text)).toBeNull();
});
