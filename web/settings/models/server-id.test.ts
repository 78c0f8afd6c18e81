import { expect, test } from "vitest";
import { readHeaders, toAddress, toServerId } from "./server-id.ts";

test("makes an id of a name", () => {
  expect(["Lab server", "Größe 2", "  -7 seas-", "日本", "OpenAI"].map(toServerId)).toEqual([
    "lab-server",
    "gro-e-2",
    "seas",
    expect.stringMatching(/^server-\d+$/),
    "openai",
  ]);
  expect(toServerId("日本")).not.toBe(toServerId("東京"));
  expect(toServerId(" ")).toBe("");
  expect(toServerId("x".repeat(100))).toHaveLength(40);
});

test("reads headers, one per line", () => {
  expect(readHeaders("X-Tenant: blue\n\nX-Url: http://a:1")).toEqual({ "X-Tenant": "blue", "X-Url": "http://a:1" });
  expect(readHeaders("")).toEqual({});
  for (const text of ["X-Tenant", ": blue", "X Tenant: blue", "X-Tenant:"]) expect(readHeaders(text)).toBeNull();
});

test("completes an address without a scheme", () => {
  expect(
    [
      "localhost:11434",
      "192.168.1.5:8080/v1",
      "box.local/v1",
      "gpu:8000",
      "[::1]:1234",
      "api.example.com/v1",
      " http://a ",
    ].map(toAddress),
  ).toEqual([
    "http://localhost:11434",
    "http://192.168.1.5:8080/v1",
    "http://box.local/v1",
    "http://gpu:8000",
    "http://[::1]:1234",
    "https://api.example.com/v1",
    "http://a",
  ]);
});
