import { expect, test } from "vitest";
import type { ToolPart } from "../labels/tools.ts";
import { countUnified, describeLook, readFileCall, readLogs } from "./read-call.ts";

const call = (name: string, input: unknown, output: unknown): ToolPart => ({
  ...{ id: "x", v: 1, n: 1, step: 1, kind: "tool", callId: "c", state: "ok" },
  ...{ name, input, output },
});

test("reads file, line counts and act of an edit", () => {
  const output = { path: "src/App.tsx", did: "edited", added: 3, removed: 1, actId: "act-1", diff: "@@\n+a" };
  expect(readFileCall(call("replace_lines", { file_path: "src/App.tsx" }, output))).toMatchObject({
    ...{ path: "src/App.tsx", added: 3, removed: 1, actId: "act-1" },
  });
});

test("shows a call of add_dependency as a change of package.json, with the line counts of its diff", () => {
  const output = { package: "clsx", diff: "--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n+y\n+z", preview: "The preview has it." };
  const read = readFileCall(call("add_dependency", { package: "clsx" }, output));
  expect(read).toMatchObject({ path: "package.json", added: 2, removed: 1, note: "The preview has it." });
  expect(countUnified("+a\n b\n-c")).toEqual({ added: 1, removed: 1 });
});

test("summarizes reads and searches", () => {
  expect(describeLook(call("search_files", {}, { total: 4, files: 2 }))).toBe("4 lines in 2 files");
  expect(describeLook(call("search_files", {}, { total: 0, files: 0 }))).toBe("no matches");
  expect(describeLook(call("view_file", {}, { lines: 80, shown: "1-40" }))).toBe("lines 1-40 of 80");
  expect(describeLook(call("lov-view", {}, { lines: 80, shown: "1-40" }))).toBe("lines 1-40 of 80");
  const logs = [
    { level: "error", text: "Boom", place: "a:1:1" },
    { level: "log", text: "hi" },
  ];
  const read = call("read_console_logs", {}, { logs });
  expect(describeLook(read)).toBe("2 lines, 1 error");
  expect(readLogs(read)[0]).toEqual({ level: "error", text: "Boom", place: "a:1:1" });
  expect(describeLook(call("view_file", {}, undefined))).toBe("");
});
