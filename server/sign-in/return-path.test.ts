import { expect, test } from "vitest";
import { toReturnPath } from "./return-path.ts";

test("paths of pages are kept", () => {
  for (const path of ["/", "/t/harbour", "/settings/account", "/search?q=a%20b&page=2"])
    expect(toReturnPath(path)).toBe(path);
});

test("everything that could leave the server or call its API becomes the start page", () => {
  for (const path of [
    ...[undefined, "", "t/harbour", "https://evil.example", "//evil.example", "///evil.example", "/\\evil.example"],
    ...[
      "\\\\evil.example",
      "/\t/evil.example",
      "/%09//evil.example\n",
      " //evil.example",
      "/..//evil.example/",
      "/.//evil.example",
    ],
    ...[
      "javascript:alert(1)",
      "/%5c%5c/\\evil.example",
      "/a\r\nset-cookie: a=b",
      "/api/sign-out",
      "/API/export",
      "/mcp",
      "/a/../api/me",
    ],
    `/${"a".repeat(2001)}`,
  ])
    expect(toReturnPath(path), JSON.stringify(path)).toBe("/");
});
