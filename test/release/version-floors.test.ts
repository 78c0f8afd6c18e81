import Database from "better-sqlite3";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

type LockfilePackage = { readonly version?: string; readonly dev?: boolean };
type Lockfile = { readonly packages: Readonly<Record<string, LockfilePackage>> };

const root = join(import.meta.dirname, "../..");
const read = (name: string): unknown => JSON.parse(readFileSync(join(root, name), "utf8"));
const { packages } = read("package-lock.json") as Lockfile;
const { dependencies } = read("package.json") as { readonly dependencies: Readonly<Record<string, string>> };

/**
 * The oldest version of each major one without known advisories that concern a server such as this one. Other majors that are
 * newer are accepted, older ones are not.
 */
const floors: Readonly<Record<string, readonly string[]>> = {
  hono: ["4.12.21"],
  undici: ["6.23.0", "7.18.0"],
  ai: ["5.0.200", "6.0.203"],
  "better-auth": ["1.4.17"],
  "@modelcontextprotocol/sdk": ["1.26.0"],
};
const SQLITE_FLOOR = "3.51.3";

const toNumbers = (version: string): readonly number[] => (version.split("-", 1)[0] ?? "").split(".").map(Number);
const compare = (a: string, b: string): number => {
  const [left, right] = [toNumbers(a), toNumbers(b)];
  const at = [0, 1, 2].find((n) => left[n] !== right[n]);
  return at === undefined ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
};
const isAtLeast = (version: string, of: readonly string[]): boolean => {
  const sameMajor = of.find((floor) => toNumbers(floor)[0] === toNumbers(version)[0]);
  return compare(version, sameMajor ?? of.at(-1) ?? "") >= 0;
};

/** Every copy in the lockfile that production installs, also those below other packages. */
const findBelow = (locked: Lockfile["packages"]): readonly string[] =>
  Object.entries(locked).flatMap(([path, { version = "", dev = false }]) => {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const of = floors[name];
    return of && !dev && !isAtLeast(version, of) ? [`${path} ${version}`] : [];
  });

test("D20: no production dependency is older than the version that fixed its advisories", () => {
  expect(findBelow(packages)).toEqual([]);
  // The control: an older version is found wherever it is in the tree, and the floor itself is accepted.
  expect(
    findBelow({
      "node_modules/hono": { version: "4.12.20" },
      "node_modules/a/node_modules/undici": { version: "6.22.9" },
      "node_modules/undici": { version: "7.17.9" },
      "node_modules/ai": { version: "4.99.0" },
      "node_modules/b/node_modules/@modelcontextprotocol/sdk": { version: "1.25.3" },
      "node_modules/c/node_modules/hono": { version: "4.12.21" },
      "node_modules/d/node_modules/undici": { version: "8.0.0" },
      "node_modules/e/node_modules/hono": { version: "3.0.0", dev: true },
    }),
  ).toEqual([
    "node_modules/hono 4.12.20",
    "node_modules/a/node_modules/undici 6.22.9",
    "node_modules/undici 7.17.9",
    "node_modules/ai 4.99.0",
    "node_modules/b/node_modules/@modelcontextprotocol/sdk 1.25.3",
  ]);
});

test("D20: direct dependencies have exact versions, which the lockfile has, too", () => {
  const wrong = Object.entries(dependencies).filter(
    ([name, version]) => !/^\d+\.\d+\.\d+$/.test(version) || packages[`node_modules/${name}`]?.version !== version,
  );
  expect(wrong).toEqual([]);
  expect(
    Object.keys(dependencies)
      .filter((name) => name in floors)
      .toSorted(),
  ).toEqual(["hono", "undici"]);
});

test("D20: the SQLite that is linked does not lose committed writes", () => {
  const db = new Database(":memory:");
  const version = String(db.prepare("select sqlite_version()").pluck().get());
  db.close();
  expect(compare(version, SQLITE_FLOOR), version).toBeGreaterThanOrEqual(0);
  expect(compare("3.51.2", SQLITE_FLOOR)).toBeLessThan(0);
});
