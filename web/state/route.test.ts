import { expect, test } from "vitest";
import { toFilePath, toPath, toProjectPath, toRoute, toSettingsPath } from "./route.ts";

const readBack = (path: string) => {
  const url = new URL(path, "http://localhost");
  return toRoute(url.pathname, url.hash);
};

test("reads thread and message back from a URL", () => {
  expect(readBack(toPath("t-1"))).toEqual({
    threadId: "t-1",
    messageId: null,
    project: null,
    settings: null,
    search: null,
  });
  expect(readBack(toPath("t-1", "m_2"))).toEqual({
    threadId: "t-1",
    messageId: "m_2",
    project: null,
    settings: null,
    search: null,
  });
});

test("reads project, tab and entity back from a URL", () => {
  const none = { threadId: null, messageId: null, settings: null, search: null };
  expect(readBack(toProjectPath("p-1"))).toEqual({
    ...none,
    project: { projectId: "p-1", tab: "overview", entityId: null },
  });
  expect(readBack(toProjectPath("p-1", "tasks", "e_2"))).toEqual({
    ...none,
    project: { projectId: "p-1", tab: "tasks", entityId: "e_2" },
  });
  expect(toProjectPath("p-1", "overview", "e")).toBe("/p/p-1#e");
});

test("reads settings section and item back from a URL", () => {
  const none = { threadId: null, messageId: null, project: null, search: null };
  expect(readBack("/settings")).toEqual({ ...none, settings: { section: "models", named: null } });
  expect(readBack(toSettingsPath("profiles", "p_1"))).toEqual({
    ...none,
    settings: { section: "profiles", named: "p_1" },
  });
});

test("reads a file path back from a URL, also with special characters", () => {
  const path = "src/a b#c&d=ü%20.ts";
  expect(readBack(toFilePath("p-1", path)).project).toEqual({
    projectId: "p-1",
    tab: "files",
    entityId: null,
    file: path,
  });
});

test("a search has a URL", () => {
  expect(readBack("/search#q=tide&kind=said").search).toMatchObject({ q: "tide", kind: "said", projectId: null });
  expect(readBack("/").search).toBeNull();
});

test.each([
  "/",
  "/t/",
  "/t/a/b",
  "/t/%2e%2e",
  `/t/${"x".repeat(129)}`,
  "/api/threads",
  "/p/",
  "/p/a/b/c",
  "/p/a/B",
  "/settings/",
  "/settings/a/b",
  "/settings/A",
  "/search/a",
])("%s is no route", (path) => {
  expect(toRoute(path, "#m")).toEqual({ threadId: null, messageId: null, project: null, settings: null, search: null });
});
