import { expect, test } from "vitest";
import type { Files } from "./files.ts";
import { createBuilds } from "./builds.ts";
import type { CompileResult } from "./compile.ts";

let count = 0;
const toFiles = (sources: Readonly<Record<string, string>>): Files & { readonly asked: string[] } => {
  const asked: string[] = [];
  return {
    ...{ project: "p", seq: 1, hash: `hash-${++count}`, paths: Object.keys(sources), asked },
    has: (path) => Object.hasOwn(sources, path),
    read: async (path) => {
      asked.push(path);
      const text = sources[path];
      return text === undefined ? undefined : { bytes: Uint8Array.from(Buffer.from(text)), isText: true };
    },
  };
};

const limits = { timeoutMs: 9_000, inputBytes: 1e6, outputBytes: 1e6, memoryBytes: 2e9 };
const builds = createBuilds();
const buildOf = (sources: Readonly<Record<string, string>>, path: string): Promise<CompileResult> =>
  builds.get(toFiles(sources), { path });
const jsOf = (built: CompileResult): string => (built.ok ? built.js : JSON.stringify(built.problems));
const problemsOf = (built: CompileResult): readonly string[] =>
  built.ok ? [] : built.problems.map(({ text, place }) => `${place}: ${text}`);

test("strips types and bundles modules of the workspace, by every form of import", async () => {
  const built = await buildOf(
    {
      "src/main.ts":
        'import { a } from "./a"; import { b } from "@/b.js"; import c from "/c.json"; import d from "./d.txt?raw"; console.log(a as string, b, c.word, d)',
      "src/a/index.ts": 'export const a: string = "from a";',
      "src/b.ts": 'export const b = "from b";',
      "c.json": '{"word":"from c"}',
      "src/d.txt": "from d",
    },
    "src/main.ts",
  );
  const js = jsOf(built);
  for (const word of ["from a", "from b", "from c", "from d"]) expect(js).toContain(word);
  expect(js).not.toContain("as string");
});

test("a listed package comes from the server's own; any other is an error with a location", async () => {
  const taken = await buildOf({ "m.tsx": 'import { clsx } from "clsx"; console.log(clsx("x"), <b>hi</b>)' }, "m.tsx");
  expect(jsOf(taken)).toContain("jsx");
  const refused = await buildOf({ "m.ts": 'import axios from "axios";\nimport fs from "fs";\naxios(fs);' }, "m.ts");
  expect(problemsOf(refused)).toEqual([
    expect.stringMatching(/^m\.ts:1:19: The package "axios" is not available in the preview\. Available: react, /),
    expect.stringMatching(/^m\.ts:2:16: The package "fs" is not available/),
  ]);
});

test.each([
  "../../../etc/passwd",
  "./../../etc/passwd",
  "/etc/passwd",
  "file:///etc/passwd",
  "node:fs",
  "https://example.com/x.js",
  "//example.com/x.js",
  "react/../../package.json",
  "react/../../../etc/passwd",
  "clsx/../typescript/lib/typescript.js",
  "..\\..\\etc\\passwd",
])("%s is not loaded", async (spec) => {
  const built = await buildOf({ "src/m.ts": `import x from ${JSON.stringify(spec)};\nconsole.log(x);` }, "src/m.ts");
  expect(built.ok, jsOf(built).slice(0, 200)).toBe(false);
});

test("configuration of the workspace does not affect compilation", async () => {
  const files = toFiles({
    "m.tsx": "console.log(<b/>, process.env.NODE_ENV)",
    "tsconfig.json": '{"compilerOptions":{"jsx":"react","jsxFactory":"evil","paths":{"*":["/etc/*"]}}}',
    "package.json": '{"browser":{"react":"./evil.js"},"imports":{"#x":"/etc/passwd"}}',
    "esbuild.config.js": "globalThis.evil = true",
  });
  const built = await builds.get(files, { path: "m.tsx" });
  expect(jsOf(built)).not.toContain("evil");
  expect(files.asked).toEqual(["m.tsx"]);
  expect(globalThis).not.toHaveProperty("evil");
});

test("reports errors with their location, up to a limit", async () => {
  expect(problemsOf(await buildOf({ "m.ts": "const a = 1;\nconst b = ;" }, "m.ts"))).toEqual([
    'm.ts:2:11: Unexpected ";"',
  ]);
  expect(problemsOf(await buildOf({ "m.ts": 'import "./gone";' }, "m.ts"))).toEqual([
    "m.ts:1:8: There is no file gone in this workspace.",
  ]);
});

test("styles are bundled with their importer and their imports", async () => {
  const built = await buildOf(
    {
      "m.ts": 'import "./a.css"',
      "a.css": '@import "b.css"; .a { background: url("/i.svg") }',
      "b.css": ".b { color: red }",
      "public/i.svg": "<svg/>",
    },
    "m.ts",
  );
  expect(built.ok && built.css).toMatch(/\.b \{[\s\S]*\.a \{[\s\S]*data:image\/svg\+xml/);
});

test("compiles the same files once, and changed files again", async () => {
  const files = toFiles({ "m.ts": "console.log(1)" });
  const [first, second] = [builds.get(files, { path: "m.ts" }), builds.get(files, { path: "m.ts" })];
  expect(await first).toBe(await second);
  expect(files.asked).toEqual(["m.ts"]);
  expect(jsOf(await builds.get(toFiles({ "m.ts": "console.log(2)" }), { path: "m.ts" }))).toContain("console.log(2)");
});

test("input that crashes the compiler is rejected, and the next build works", async () => {
  const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
  expect(problemsOf(await buildOf({ "m.ts": `x = ${deep}` }, "m.ts"))).toEqual([
    "null: m.ts is nested too deeply to be compiled.",
  ]);
  expect(jsOf(await buildOf({ "m.ts": "console.log('after')" }, "m.ts"))).toContain("after");
});

test("a build that takes too long is killed with its compiler, and the next build works", async () => {
  const short = createBuilds({ ...limits, timeoutMs: 300 });
  const endless = toFiles({ "m.ts": `${"if(1)".repeat(90_000)};` });
  expect(problemsOf(await short.get(endless, { path: "m.ts" }))).toEqual([
    "null: Compiling took longer than 0.3 seconds.",
  ]);
  expect(jsOf(await buildOf({ "m.ts": "console.log('after')" }, "m.ts"))).toContain("after");
});

test.runIf(process.platform === "linux")(
  "a build that needs too much memory is ended with its compiler, and the next one has another",
  async () => {
    const narrow = createBuilds({ ...limits, memoryBytes: 300_000_000 });
    const nested = toFiles({ "m.ts": `f${"(x)".repeat(160_000)}` });
    expect(problemsOf(await narrow.get(nested, { path: "m.ts" }))).toEqual([
      "null: Compiling needs more memory than allowed (300 MB). Make the files smaller or less nested.",
    ]);
    expect(jsOf(await buildOf({ "m.ts": "console.log('after')" }, "m.ts"))).toContain("after");
    // The control: with room it is compiled.
    const wide = createBuilds({ ...limits, memoryBytes: 8_000_000_000, timeoutMs: 25_000 });
    const small = toFiles({ "m.ts": `f${"(x)".repeat(2_000)}` });
    expect((await wide.get(small, { path: "m.ts" })).ok).toBe(true);
  },
);

test("rejects input and output above the limits", async () => {
  const small = createBuilds({ ...limits, inputBytes: 100, outputBytes: 200 });
  const long = `console.log("${"x".repeat(150)}")`;
  expect(problemsOf(await small.get(toFiles({ "m.ts": long }), { path: "m.ts" }))[0]).toContain("too large to compile");
  const wide = 'import * as React from "react"; console.log(React);';
  expect(problemsOf(await small.get(toFiles({ "m.ts": wide }), { path: "m.ts" }))[0]).toContain("too large");
});
