import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { packages as previewPackages } from "../server/workspace/preview/packages.ts";
import * as arrows from "./architecture/arrows.ts";
import * as places from "./architecture/places.ts";
import * as promises from "./architecture/promises.ts";
import * as shape from "./architecture/shape.ts";
import { readSources, toSource, type Rule } from "./architecture/source.ts";

/**
 * The architecture rules. Each has a control: samples that break the rule and must be reported, and similar samples
 * that must not.
 */
type Case = {
  readonly rule: Rule;
  readonly bad: readonly Sample[];
  readonly good: readonly Sample[];
};
type Sample = Readonly<Record<string, string>>;

const readJson = (name: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, "..", name), "utf8"));
const { dependencies } = readJson("package.json") as { dependencies: Record<string, string> };
/** Previews use some packages of the page, so that the server depends on them too. */
const serverPackages = Object.keys(dependencies).filter((name) => !Object.hasOwn(previewPackages, name));
const sources = readSources();
const lines = (count: number): string => "export {};\n".repeat(count);
const files = (count: number, folder: string): Sample =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${folder}/file-${n}.ts`, ""]));

const cases: Readonly<Record<string, Case>> = {
  "server modules import only earlier modules": {
    rule: arrows.serverImportsBackwards,
    bad: [
      { "server/store/a.ts": 'import { run } from "../run/runner.ts";' },
      { "server/store/a.ts": 'import type { Run } from "../run/runner.ts";' },
      { "server/store/a.ts": 'export { run } from "../run/runner.ts";' },
      { "server/store/a.ts": 'import {\n  run,\n  stop,\n} from "../run/runner.ts";' },
      { "server/store/a.ts": 'const { run } = await import("../run/runner.ts");' },
      { "server/net/a.ts": 'import { rank } from "../rank/rank.ts";' },
      { "server/lib/a.ts": 'import { page } from "../../web/main.tsx";' },
      { "server/store/sqlite/open.ts": 'new Worker(new URL("../../log/worker.ts", import.meta.url));' },
      { "server/extra/a.ts": 'import { now } from "../lib/clock.ts";' },
    ],
    good: [
      {
        "server/run/a.ts": 'import { x } from "../store/contract.ts";\nimport { Part } from "../../protocol/parts.ts";',
      },
      { "server/store/a.ts": '// import { run } from "../run/runner.ts";' },
      { "server/store/a.test.ts": 'import { run } from "../run/runner.ts";' },
      { "server/main.ts": 'import { app } from "./http/app.ts";' },
    ],
  },
  "a module is imported through its entry points": {
    rule: arrows.modulesAreImportedThroughEntryPoints,
    bad: [
      { "server/run/a.ts": 'import { x } from "../store/sqlite/open.ts";' },
      { "server/run/a.ts": 'import type { x } from "../store/write-sql.ts";' },
      { "server/main.ts": 'import { x } from "./nowhere/x.ts";' },
    ],
    good: [
      { "server/run/a.ts": 'import { x } from "../store/contract.ts";' },
      { "server/store/sqlite/a.ts": 'import { x } from "../write-sql.ts";' },
      { "server/run/a.ts": 'import { x } from "../lib/anything.ts";' },
    ],
  },
  "protocol/ imports only zod and itself": {
    rule: arrows.protocolImportsOnlyZod,
    bad: [
      { "protocol/a.ts": 'import { x } from "../server/lib/ids.ts";' },
      { "protocol/a.ts": 'import { readFileSync } from "node:fs";' },
      { "protocol/a.ts": 'import type { Hono } from "hono";' },
    ],
    good: [{ "protocol/a.ts": 'import { z } from "zod";\nimport { Part } from "./parts.ts";' }],
  },
  "cli/ imports only protocol/, node: and itself": {
    rule: arrows.commandLineImportsOnlyProtocol,
    bad: [
      { "cli/a.ts": 'import { serve } from "../server/serve.ts";' },
      { "cli/a.ts": 'import type { z } from "zod";' },
    ],
    good: [{ "cli/a.ts": 'import { join } from "node:path";\nimport { textOf } from "../protocol/fold.ts";' }],
  },
  "the page imports only protocol/ and its own packages": {
    rule: arrows.pageImportsOnlyItsOwn(serverPackages),
    bad: [
      { "web/a.tsx": 'import type { Run } from "../server/run/runner.ts";' },
      { "web/thread/a.tsx": 'import { x } from "../../test/support/x.ts";' },
      { "web/a.ts": 'import { z } from "zod";' },
      { "web/a.ts": 'import { join } from "node:path";' },
    ],
    good: [{ "web/a.tsx": 'import { useState } from "react";\nimport { applyEvent } from "../protocol/fold.ts";' }],
  },
  "the page's folders import only earlier layers": {
    rule: arrows.pageImportsEarlierLayers,
    bad: [
      { "web/lib/a.ts": 'import { usePage } from "../state/page.ts";' },
      { "web/state/a.ts": 'import type { Part } from "../parts/part.tsx";' },
      { "web/list/a.tsx": 'import { Search } from "../search/search-view.tsx";' },
      { "web/tools/a.tsx": 'const Late = lazyChunk(() => import("../project/lazy-project.tsx"));' },
      { "web/thread/a.tsx": 'import { App } from "../shell/app.tsx";' },
      { "web/extra/a.ts": 'import { own } from "../lib/own.ts";' },
      { "web/thread/a.ts": 'import { own } from "../extra/own.ts";' },
    ],
    good: [
      { "web/thread/a.tsx": 'import { usePage } from "../state/page.ts";\nimport { own } from "../lib/own.ts";' },
      { "web/state/project/a.ts": 'import { toRoute } from "../route.ts";' },
      { "web/list/a.test.ts": 'import { Search } from "../search/search-view.tsx";' },
      { "web/main.ts": 'import "./styles/index.css";\nconst start = import("./shell/start.tsx");' },
    ],
  },
  "the page's folders are entered through their entry points": {
    rule: arrows.pageFoldersAreEnteredByEntryPoints,
    bad: [
      { "web/shell/a.tsx": 'import { Row } from "../list/thread-row.tsx";' },
      { "web/shell/a.tsx": 'const Late = lazyChunk(() => import("../project/board/board.tsx"));' },
      { "web/shell/a.tsx": 'import type { Draft } from "../extra/draft.ts";' },
    ],
    good: [
      { "web/shell/a.tsx": 'import { ThreadList } from "../list/thread-list.tsx";' },
      { "web/project/board/a.tsx": 'import { ActRow } from "../act-row.tsx";' },
      { "web/project/a.tsx": 'import { useSignal } from "../lib/signal.ts";' },
    ],
  },
  "modules that the page loads do not load zod": {
    rule: arrows.pageLoadsNoZod,
    bad: [
      { "web/a.ts": 'import { b } from "../protocol/b.ts";', "protocol/b.ts": 'import { z } from "zod";' },
      {
        "web/a.ts": 'import { b } from "../protocol/b.ts";',
        "protocol/b.ts": 'import { type C } from "./c.ts";',
        "protocol/c.ts": 'import { z } from "zod";',
      },
    ],
    good: [
      { "web/a.ts": 'import type { B } from "../protocol/b.ts";', "protocol/b.ts": 'import { z } from "zod";' },
      { "server/a.ts": 'import { b } from "../protocol/b.ts";', "protocol/b.ts": 'import { z } from "zod";' },
    ],
  },
  "the threads of SQLite do not load kysely": {
    rule: arrows.threadsLoadNoKysely,
    bad: [
      {
        "server/store/sqlite/writer.ts": 'import { open } from "./connection.ts";',
        "server/store/sqlite/connection.ts": 'import { sql } from "kysely";',
      },
    ],
    good: [
      { "server/store/sqlite/open.ts": 'import { sql } from "kysely";' },
      { "server/store/sqlite/writer.ts": 'import type { Kysely } from "kysely";' },
    ],
  },
  "context assembly and decisions are pure": {
    rule: arrows.decisionsArePure,
    bad: [
      { "server/context/a.ts": 'import { readFile } from "node:fs/promises";' },
      { "server/context/a.ts": 'import { openStore } from "../store/open.ts";' },
      { "server/run/next-step.ts": "export const nextStep = async () => await later();" },
    ],
    good: [
      {
        "server/context/a.ts":
          'import type { Store } from "../store/contract.ts";\nimport { createHash } from "node:crypto";',
      },
      { "server/run/drive.ts": "await later();" },
    ],
  },
  "started promises are awaited together": {
    rule: promises.startedPromisesAreAwaitedTogether,
    bad: [
      {
        "server/a.ts": "const f = async () => {\n  const a = read();\n  const b = read();\n  await a;\n  await b;\n};",
      },
      { "server/a.ts": "const [a, b] = [read(), read()];\nuse(await a, await b);" },
      { "server/a.ts": "const a = read();\nawait other();\nawait Promise.all([a]);" },
      { "server/a.ts": "async function f() {\n  const a = read();\n  if (x) return 1;\n  return await a;\n}" },
      { "server/a.ts": "const all = ids.map(read);\nfor (const one of all) await one;" },
    ],
    good: [
      { "server/a.ts": "const [a, b] = [read(), read()];\nconst both = await Promise.all([a, b]);" },
      { "server/a.ts": "const a = await read();\nconst b = await read();\nuse(await a);" },
      { "server/a.ts": "const a = read();\na.catch(() => {});\nawait other();\nawait a;" },
      { "server/a.ts": "const a = read();\nconst f = async () => {\n  await other();\n};\nawait a;" },
      { "test/a.ts": "const a = read();\nawait other();\nawait a;" },
    ],
  },
  "packages are imported only in their own folders": {
    rule: places.packagesStayAtHome,
    bad: [
      { "server/run/a.ts": 'import { Kysely } from "kysely";' },
      { "server/log/a.ts": 'import type { Client } from "pg";' },
      { "server/run/a.ts": 'import type { LanguageModelV4 } from "@ai-sdk/provider";' },
      { "server/run/a.ts": 'import { createOpenRouter } from "@openrouter/ai-sdk-provider";' },
      { "server/http/page.ts": 'import { renderToString } from "react-dom/server";' },
    ],
    good: [
      { "server/store/a.ts": 'import { Kysely } from "kysely";' },
      { "server/model/sdk/a.ts": 'import { createOpenAI } from "@ai-sdk/openai";' },
      { "test/support/a.ts": 'import pg from "pg";' },
      { "web/a.tsx": 'import { createRoot } from "react-dom/client";' },
    ],
  },
  "SQL stays in the store": {
    rule: places.sqlStaysInTheStore,
    bad: [
      { "server/log/a.ts": "const q = `\n  select seq, body from events where stream = ?`;" },
      { "server/log/a.ts": 'db.run("INSERT INTO events VALUES (1)");' },
      { "server/run/a.ts": 'db.run("update runs set epoch = 2");' },
      { "server/run/a.ts": 'db.run("delete from runs");' },
    ],
    good: [
      { "server/store/a.ts": 'db.run("delete from runs");' },
      { "server/log/a.ts": "// select seq from events" },
      { "web/a.ts": 'const hint = "Select a thread from the list.";' },
    ],
  },
  "the environment is read in server/config/ only": {
    rule: places.environmentIsReadOnce,
    bad: [
      { "server/http/a.ts": "const port = process.env.PORT;" },
      { "server/http/a.ts": 'const port = process["env"].PORT;' },
      { "web/a.ts": "const key = import.meta.env.VITE_KEY;" },
    ],
    good: [
      { "server/config/config.ts": 'const port = process.env["PORT"];' },
      { "server/http/a.ts": "// process.env is read elsewhere" },
      { "server/http/a.ts": 'const advice = "set process.env.PORT";' },
      { "scripts/a.js": "process.env.PATH;" },
    ],
  },
  "time and randomness come from server/lib/": {
    rule: places.clockAndChanceAreGiven,
    bad: [
      { "server/run/a.ts": "const at = Date.now();" },
      { "server/run/a.ts": "const at = new Date();" },
      { "server/run/a.ts": "const at = performance.now();" },
      { "server/run/a.ts": "const id = `run-${Math.random()}`;" },
      { "server/run/a.ts": 'import { randomUUID } from "node:crypto";' },
      { "protocol/a.ts": "export const at = Date.now();" },
    ],
    good: [
      { "server/lib/clock.ts": "export const clock = { now: () => Date.now() };" },
      { "server/run/a.ts": "const text = new Date(clock.now()).toISOString();" },
      { "server/run/a.test.ts": "const at = Date.now();" },
      { "web/a.ts": "const at = Date.now();" },
    ],
  },
  "tests state what they expect and wait for events": {
    rule: places.testsAreHonest,
    bad: [
      { "server/a.test.ts": "expect(x).toMatchSnapshot();" },
      { "server/a.test.ts": 'vi.mock("./clock.ts");' },
      { "server/a.test.ts": "await sleep(100);" },
      { "server/a.test.ts": "test.only(name, run);" },
      { "server/a.test.ts": `test("it ${"should"} work", run);` },
    ],
    good: [{ "server/a.test.ts": 'test("a stop is durable", async () => {\n  await wait(watcher);\n});' }],
  },
  "files are short": {
    rule: shape.filesAreShort,
    bad: [{ "server/run/a.ts": lines(401) }, { "server/run/a.test.ts": lines(601) }],
    good: [
      { "server/run/a.ts": lines(400) },
      { "server/run/a.test.ts": lines(600) },
      { "server/store/migrations/0001-spine.ts": lines(1000) },
    ],
  },
  "folders are small": {
    rule: shape.foldersAreSmall,
    bad: [files(31, "server/run")],
    good: [files(30, "server/run"), files(40, "server/store/migrations"), { ...files(30, "web"), "web/a.test.ts": "" }],
  },
  "names say what things are": {
    rule: shape.namesSayWhatThingsAre,
    bad: [
      { "server/run/run-manager.ts": "" },
      { "server/run/utils.ts": "" },
      { "server/run/a.ts": "export class RunService {}" },
      { "server/run/a.ts": "export const handleCore = 1;" },
      { "server/run/a.ts": "const x = 1;\nexport { x as runHelper };" },
      { "server/run/a.ts": "export type RunV2 = string;" },
    ],
    good: [
      { "server/run/renew.ts": "export function renewLease() {}" },
      { "server/store/a.ts": "export const database = 1;\nconst infoLine = 2;" },
      { "web/parts/data-part.tsx": "export function DataPart() {}" },
    ],
  },
  "file names are kebab-case": {
    rule: shape.fileNamesAreKebabCase,
    bad: [{ "web/ThreadList.tsx": "" }, { "server/run/next_step.ts": "" }, { "server/Run/a.ts": "" }],
    good: [{ "web/thread-list.test.tsx": "" }, { "server/store/migrations/0001-spine.ts": "" }],
  },
  "there are no barrels": {
    rule: shape.thereAreNoBarrels,
    bad: [{ "server/run/index.ts": "" }, { "server/run/a.ts": 'export * from "./b.ts";' }],
    good: [{ "server/run/reindex.ts": "export const a = 1;" }],
  },
  "every file is used by the product": {
    rule: shape.filesAreUsed,
    bad: [{ "server/run/a.ts": "", "server/run/a.test.ts": 'import { a } from "./a.ts";' }],
    good: [
      { "server/main.ts": 'import { a } from "./run/a.ts";', "server/run/a.ts": "" },
      { "server/tools/dice.tool.ts": "", "server/lib/tokens-thread.ts": "", "test/support/a.ts": "" },
    ],
  },
  "there are no TODO comments": {
    rule: shape.nothingIsLeftForLater,
    bad: [{ "server/run/a.ts": "// TODO: stop" }, { "server/run/a.ts": "/* FIXME */" }],
    good: [{ "server/run/a.ts": 'const word = "todo";' }],
  },
};

describe.each(Object.entries(cases))("%s", (_, { rule, bad, good }) => {
  test("in this project", () => {
    expect(rule(sources)).toEqual([]);
  });

  test("the rule reports violations and nothing else", () => {
    for (const sample of bad) expect(judge(rule, sample), JSON.stringify(sample)).not.toEqual([]);
    for (const sample of good) expect(judge(rule, sample), JSON.stringify(sample)).toEqual([]);
  });
});

const judge = (rule: Rule, sample: Sample): readonly string[] =>
  rule(Object.entries(sample).map(([path, text]) => toSource(path, text)));

test("the rules cover every part of the project", () => {
  for (const folder of ["protocol", "server", "web", "scripts", "test"]) {
    expect(sources.filter(({ path }) => path.startsWith(`${folder}/`)).length, folder).toBeGreaterThan(3);
  }
  for (const { path, text, imports } of sources.filter((source) => !source.path.startsWith("test/architecture"))) {
    const statements = text.match(/^(?:import|export)\b[^;]*?\bfrom "[^"]+";|^import "[^"]+";/gm) ?? [];
    expect(imports.length, path).toBeGreaterThanOrEqual(statements.length);
  }
});

test("every listed entry point exists", () => {
  const paths = new Set(sources.map(({ path }) => path));
  expect(arrows.listedEntryPoints.filter((path) => !paths.has(path))).toEqual([]);
});

test("the linter reports `any`, `!` and unhandled promises", () => {
  const { rules } = readJson(".oxlintrc.json") as { rules: Record<string, unknown> };
  const names = ["no-explicit-any", "no-non-null-assertion", "no-floating-promises"];
  expect(names.map((name) => rules[`typescript/${name}`])).toEqual(["error", "error", "error"]);
});

test("AGENTS.md is at most 120 lines", () => {
  expect(
    readFileSync(join(import.meta.dirname, "../AGENTS.md"), "utf8")
      .trimEnd()
      .split("\n").length,
  ).toBeLessThanOrEqual(120);
});
