import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findMissingBindings, isInstalled, selectPackages, type Lock } from "./lockfile.js";
import { listPagePackages } from "./page.js";

const lock: Lock = {
  packages: {
    "": {},
    "node_modules/zod": { version: "4.0.0" },
    "node_modules/tool": {
      version: "1.2.3",
      optionalDependencies: {
        "@tool/binding-linux-x64-gnu": "1.2.3",
        "@tool/binding-linux-x64-musl": "1.2.3",
        "@tool/darwin-arm64": "1.2.3",
        "@tool/binding-win32-x64-msvc": "1.2.3",
        fsevents: "2.0.0",
      },
    },
    "node_modules/@tool/binding-linux-x64-gnu": { version: "1.2.3", optional: true },
  },
};
const withVersion = (path: string, version: string): Lock => ({ packages: { ...lock.packages, [path]: { version } } });
const without = (...paths: readonly string[]): Lock => ({
  packages: Object.fromEntries(Object.entries(lock.packages ?? {}).filter(([path]) => !paths.includes(path))),
});
const machine = { platform: "linux", arch: "x64", isMusl: false };
const always = () => true;
const only =
  (...paths: readonly string[]) =>
  (path: string) =>
    paths.includes(path);

test("accepts a tree with all locked versions, even without packages for other platforms", () => {
  expect(isInstalled(lock, lock)).toBe(true);
  expect(isInstalled(lock, without("node_modules/@tool/binding-linux-x64-gnu"))).toBe(true);
});

test("rejects a tree with a missing or different version", () => {
  expect(isInstalled(lock, without("node_modules/zod"))).toBe(false);
  expect(isInstalled(lock, withVersion("node_modules/zod", "4.0.1"))).toBe(false);
  expect(isInstalled(lock, {})).toBe(false);
});

test("finds nothing missing if the lockfile has the native package", () => {
  expect(findMissingBindings(lock, machine, always)).toEqual([]);
});

test.each([
  [{ platform: "darwin", arch: "arm64", isMusl: false }, "@tool/darwin-arm64"],
  [{ platform: "win32", arch: "x64", isMusl: false }, "@tool/binding-win32-x64-msvc"],
  [{ platform: "linux", arch: "x64", isMusl: true }, "@tool/binding-linux-x64-musl"],
])("on %o the package without a lockfile entry is %s", (other, name) => {
  const exists = only("node_modules/tool");
  expect(findMissingBindings(lock, other, exists)).toEqual([{ name, version: "1.2.3" }]);
  expect(findMissingBindings(lock, other, only("node_modules/tool", `node_modules/${name}`))).toEqual([]);
});

test("ignores native packages of packages that are not installed", () => {
  expect(findMissingBindings(lock, { ...machine, platform: "darwin", arch: "arm64" }, () => false)).toEqual([]);
});

test("finds the macOS packages of the formatter and the linter that our lockfile lacks", () => {
  const ours = JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8")) as Lock;
  const isOwner = (path: string) => !path.includes("darwin");
  const names = findMissingBindings(ours, { platform: "darwin", arch: "arm64", isMusl: false }, isOwner).map(
    ({ name }) => name,
  );
  expect(names).toContain("@oxfmt/binding-darwin-arm64");
  expect(names).toContain("@oxlint/binding-darwin-arm64");
});

describe("selecting packages", () => {
  const nested: Lock = {
    packages: {
      "": { dependencies: { server: "1.0.0" }, devDependencies: { page: "2.0.0", tests: "3.0.0" } },
      "node_modules/server": { version: "1.0.0" },
      "node_modules/tests": { version: "3.0.0", dev: true },
      "node_modules/page": {
        version: "2.0.0",
        dev: true,
        dependencies: { part: "^1.0.0" },
        peerDependencies: { peer: "*", unused: "*" },
        peerDependenciesMeta: { unused: { optional: true } },
      },
      "node_modules/page/node_modules/part": { version: "1.5.0", dependencies: { leaf: "1" } },
      "node_modules/part": { version: "0.9.0" },
      "node_modules/leaf": { version: "1.0.0", optionalDependencies: { page: "2.0.0", elsewhere: "1" } },
      "node_modules/peer": { version: "7.0.0", devOptional: true },
      "node_modules/unused": { version: "8.0.0" },
    },
  };

  test("takes what they depend on, from the nearest folder, and nothing else", () => {
    const { packages = {} } = selectPackages(nested, ["page"]);
    expect(packages[""]).toEqual({ dependencies: { page: "2.0.0" } });
    expect(new Set(Object.keys(packages))).toEqual(
      new Set([
        "",
        "node_modules/leaf",
        "node_modules/page",
        "node_modules/page/node_modules/part",
        "node_modules/peer",
      ]),
    );
    // npm would leave out packages for development.
    expect(JSON.stringify(packages)).not.toContain('"dev');
  });

  test("finds everything that the page of this project needs, with the hashes of our lockfile", () => {
    const ours = JSON.parse(readFileSync(join(import.meta.dirname, "../../package-lock.json"), "utf8")) as Lock;
    const names = listPagePackages();
    expect(names).toEqual(expect.arrayContaining(["react", "vite", "tailwindcss", "katex", "mermaid", "radix-ui"]));
    expect(names).not.toEqual(expect.arrayContaining(["vitest"]));
    const { packages = {} } = selectPackages(ours, names);
    for (const [path, entry] of Object.entries(packages)) {
      if (path === "") continue;
      expect(entry).toHaveProperty("integrity");
      expect(entry.version).toBe(ours.packages?.[path]?.version);
    }
    expect(Object.keys(packages).length).toBeLessThan(500);
    expect(Object.keys(packages)).not.toContain("node_modules/vitest");
  });
});
