import { expect, test } from "vitest";
import { ApiError } from "../../protocol/errors.ts";
import { createNames, toKey } from "../lib/file-names.ts";
import { checkPath } from "./check-path.ts";
import { findProtection } from "./protected.ts";

test.each([
  "index.html",
  "src/App.tsx",
  ".gitignore",
  "src/[id]/page (1).tsx",
  "a b/ç.ts",
  "日本/語.md",
  "x.d.ts",
  "console.ts",
])("%s is a valid path", (path) => {
  expect(checkPath(path)).toBe(path);
});

test("stores paths in NFC", () => {
  expect(checkPath("cafe\u0301.ts")).toBe("caf\u00E9.ts");
});

test.each([
  ["", "empty"],
  ["/etc/passwd", "absolute"],
  ["C:/x", "drive"],
  ["c:x", "drive"],
  ["\\\\server\\x", "between folders"],
  ["a\\b", "between folders"],
  ["../x", '".."'],
  ["a/../b", '".."'],
  ["./a", '"."'],
  ["a//b", "empty part"],
  ["a/", "empty part"],
  ["a\u0000b", "control"],
  ["a\nb", "control"],
  ["a\u0085b", "control"],
  ["a\u2028b", "control"],
  ["exe\u202Ecod.ts", "direction"],
  ["a\u200Bb", "invisible"],
  [".g\u200Dit/config", "invisible"],
  ["a\uFE0Fb", "invisible"],
  ["a\u00A0b", "plain one"],
  ["ab:c", '":"'],
  ["what?.ts", '"?"'],
  ["a*.ts", '"*"'],
  ["name.", "end with"],
  ["name ", "end with"],
  ["dir /x", "end with"],
  [" name", "begin with"],
  ["nul", "device"],
  ["src/CON.txt", "device"],
  ["aux.tar.gz", "device"],
  ["com¹", "device"],
  ["ＣＯＮ.txt", "device"],
  ["GIT~1/config", "short names"],
  ["a/".repeat(20) + "b", "deeper"],
  ["x".repeat(121), "at most 120"],
  ["語".repeat(100), "255 bytes"],
  ["a/".repeat(10) + "y".repeat(400), "more than 400"],
  ["\uD800.ts", "not valid Unicode"],
])("%j is rejected: %s", (path, reason) => {
  const refuse = () => checkPath(path);
  expect(refuse).toThrow(ApiError);
  expect(refuse).toThrow(reason);
});

test("an error message is printable for any path", () => {
  expect(() => checkPath("a\u202E\n\u0007b")).toThrow('"a\\u{202e}\\u{a}\\u{7}b" is not a valid path');
});

test.each([
  ["App.tsx", "app.tsx"],
  ["café", "cafe\u0301"],
  ["STRASSE", "straße"],
  ["ﬁle", "FILE"],
  ["K", "\u212A"],
  ["ΑΣ", "ας"],
  ["ẞ", "ss"],
])("%s and %s are the same name", (one, other) => {
  expect(toKey(one)).toBe(toKey(other));
});

test("finds names that collide, and files that conflict with folders", () => {
  const names = createNames(["src/App.tsx", "readme"]);
  expect(names.findConflict("src/App.tsx")).toBeUndefined();
  expect(names.findConflict("src/Other.tsx")).toBeUndefined();
  expect(names.findConflict("src/app.tsx")).toMatch(/src\/App\.tsx already exists/);
  expect(names.findConflict("SRC/b.ts")).toMatch(/a folder named src already exists/);
  expect(names.findConflict("README/b.ts")).toMatch(/readme is a file/);
  expect(names.findConflict("Src")).toMatch(/src is a folder/);
});

test.each(["src/env.ts", "environment/a.ts", "lock.ts", "keys.ts", "src/git/a.ts", "monkey"])(
  "%s is not protected",
  (path) => {
    expect(findProtection(path)).toBeUndefined();
  },
);
