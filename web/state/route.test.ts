import { expect, test } from "vitest";
import { toPath, toRoute } from "./route.ts";

test("a thread's path and message are read back from what is written", () => {
  expect(toRoute(toPath("t-1"), "")).toEqual({ threadId: "t-1", messageId: null });
  const url = new URL(toPath("t-1", "m_2"), "http://localhost");
  expect(toRoute(url.pathname, url.hash)).toEqual({ threadId: "t-1", messageId: "m_2" });
});

test.each(["/", "/t/", "/t/a/b", "/t/%2e%2e", `/t/${"x".repeat(129)}`, "/api/threads"])(
  "%s names no thread",
  (path) => {
    expect(toRoute(path, "#m")).toEqual({ threadId: null, messageId: null });
  },
);
