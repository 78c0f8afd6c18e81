import { posix } from "node:path";
import { findLines } from "./places.ts";
import { isIn, isTest, type Rule } from "./source.ts";

const lineLimit = { source: 400, test: 600 } as const;
const folderLimit = 30;
/** Folders that may have more files, each with a reason. */
const wideFolders: Readonly<Record<string, string>> = {
  "server/store/migrations": "one file per schema change, never removed",
};

export const filesAreShort: Rule = (sources) =>
  sources
    // A language is one file, so that a translator sees all of it.
    .filter(({ path }) => !path.includes("/migrations/") && !/^web\/languages\/[a-z]{2}\.ts$/.test(path))
    .flatMap((source) => {
      const lines = source.text.trimEnd().split("\n").length;
      const limit = isTest(source) ? lineLimit.test : lineLimit.source;
      return lines > limit ? [`${source.path} has ${lines} lines, ${limit} at most: split it by responsibility`] : [];
    });

export const foldersAreSmall: Rule = (sources) => {
  const counts = new Map<string, number>();
  for (const source of sources.filter((one) => !isTest(one))) {
    const folder = posix.dirname(source.path);
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([folder, count]) => count > folderLimit && !(folder in wideFolders))
    .map(([folder, count]) => `${folder}/ has ${count} source files, ${folderLimit} at most: move some into a folder`);
};

/** Files that no import names, each with a reason. */
const entryPoints: Readonly<Record<string, string>> = {
  "server/main.ts": "started by npm start",
  "web/main.ts": "loaded by index.html",
  "web/worker/page-worker.ts": "built by vite.config.ts",
  "protocol/api-client.ts": "used by cli/ and exported by the package",
  "web/lib/memory-storage.ts": "shared by tests of the page",
  "web/receipts/sample-receipt.ts": "shared by tests of the page",
};
/** Found by `loadTools`, served or read as text, or started by a path that is put together. */
const isEntryPoint = (path: string): boolean =>
  path in entryPoints || /\.tool\.ts$|\.js$|\.d\.ts$|-(?:process|thread|child)\.ts$/.test(path);

/** Code that nothing reaches is deleted, not kept. Tests do not count as a use. */
export const filesAreUsed: Rule = (sources) => {
  const own = sources.filter(isIn("protocol", "server", "web"));
  const used = new Set(own.flatMap(({ imports }) => imports.flatMap(({ path }) => path ?? [])));
  return own
    .filter(({ path }) => !used.has(path) && !isEntryPoint(path))
    .map(({ path }) => `${path} is imported by no file of the product: use it or delete it`);
};

const banned = "manager service helper util utility processor base impl core common v2 new legacy".split(" ");

export const namesSayWhatThingsAre: Rule = (sources) =>
  sources.flatMap(({ path, bare }) => {
    const file = posix.basename(path).replace(/(\.deep)?(\.test)?(\.d)?\.(tsx?|js)$/, "");
    const names = [file, ...exportedNames(bare)];
    return names.flatMap((name) => {
      const word = toWords(name).find((one) => banned.includes(one) || banned.includes(one.replace(/s$/, "")));
      return word === undefined ? [] : [`${path} names "${name}": "${word}" does not say what it is`];
    });
  });

function exportedNames(bare: string): readonly string[] {
  const declared =
    /\bexport\s+(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:const|let|function\*?|class|type|interface)\s+(\w+)/g;
  const listed = /\bexport\s+(?:type\s+)?\{([^}]*)\}/g;
  return [
    ...[...bare.matchAll(declared)].map(([, name = ""]) => name),
    ...[...bare.matchAll(listed)].flatMap(([, list = ""]) =>
      list.split(",").map((item) => item.trim().split(/\s+/).at(-1) ?? ""),
    ),
  ];
}

const toWords = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z\d]+/);

export const fileNamesAreKebabCase: Rule = (sources) =>
  sources
    .filter(({ path }) => !path.split("/").every((name) => /^\.?[a-z\d]+(-[a-z\d]+)*(\.[a-z\d]+)*$/.test(name)))
    .map(({ path }) => `${path}: names of files and folders are kebab-case`);

export const thereAreNoBarrels: Rule = (sources) =>
  sources.flatMap((source) => [
    ...(/\/index\.(tsx?|js)$/.test(source.path) ? [`${source.path}: import the file that defines it`] : []),
    ...findLines(source, "bare", /\bexport\s+\*/g).map((place) => `${place}: import the file that defines it`),
  ]);

export const nothingIsLeftForLater: Rule = (sources) =>
  sources
    .filter(({ path }) => !path.startsWith("test/architecture"))
    .flatMap((source) => findLines(source, "text", /\b(?:TODO|FIXME|XXX|HACK)\b/g))
    .map((place) => `${place}: do it now, or open an issue`);
