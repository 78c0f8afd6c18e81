import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { settings } from "../server/config/settings.ts";
import { pageFaultCodes } from "../server/tools/web/page-fault.ts";

const root = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const named = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name)),
];

/** Set by tests only. */
const hidden = ["STONECHAT_SCRIPTED", "STONECHAT_FAILPOINT"];
/** Read by the command line, not by the server. */
const ofCommandLine = ["STONECHAT_URL", "STONECHAT_KEY"];

const namedSettings = (document: string): readonly string[] =>
  named(
    read(document),
    /`((?:STONECHAT|OPENROUTER|OPENAI|ANTHROPIC|GOOGLE|FASTCHAT|SERPAPI|TAVILY|FIRECRAWL|BRAVE|MISTRAL|XAI|GROQ|DEEPSEEK|AZURE|BEDROCK|AWS|OLLAMA|OTEL)_[A-Z_]+)`/g,
  ).filter((name) => name !== "STONECHAT_" && !ofCommandLine.includes(name));
const knownSettings = Object.keys(settings).filter((name) => !hidden.includes(name));

test("docs/settings.md has every setting, and no other", () => {
  expect(namedSettings("docs/settings.md").toSorted()).toEqual(knownSettings.toSorted());
});

test("the README names only settings that exist", () => {
  const inReadme = namedSettings("README.md");
  expect(inReadme.length).toBeGreaterThan(10);
  expect(inReadme.filter((name) => !knownSettings.includes(name))).toEqual([]);
});

test("the README and CONTRIBUTING.md together have every npm command once, and no other", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const listed = ["README.md", "CONTRIBUTING.md"].flatMap((name) =>
    named(read(name), /^\| `npm (?:run )?([\w:-]+)`/gm),
  );
  expect(listed.toSorted()).toEqual(Object.keys(scripts).toSorted());
});

test("docs/research.md lists every reason why a page is not read", () => {
  const text = read("docs/research.md");
  expect(named(text, /^\| `([a-z-]+)` \|/gm)).toEqual(pageFaultCodes);
  for (const words of ["`STONECHAT_PROXY`", "[net/fetch.ts]", "A search succeeds if", "A page was read if"])
    expect(text).toContain(words);
});

test("docs/how-to.md names only files that exist", () => {
  const paths = named(read("docs/how-to.md"), /`((?:protocol|server|web|test|scripts|docs)\/[\w./-]+\.\w+)`/g);
  expect(paths.length).toBeGreaterThan(30);
  expect(paths.filter((path) => !/NAME|NN/.test(path) && !existsSync(join(root, path)))).toEqual([]);
  for (const heading of ["Add a tool", "Add a model provider", "Add a route"])
    expect(read("docs/how-to.md")).toContain(`## ${heading}\n`);
});

const documents = [
  ...["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"],
  ...[
    "docs/how-to.md",
    "docs/requirements.md",
    "docs/research.md",
    "docs/settings.md",
    "docs/operate.md",
    "docs/internals.md",
    "docs/invariants.md",
  ],
];
test.each(documents)("the links of %s lead somewhere", (name) => {
  const missing = named(read(name), /\]\((?!https?:)([^)#]+)/g).filter(
    (link) => !existsSync(join(root, dirname(name), link)),
  );
  expect(missing).toEqual([]);
});

test("the tests named in docs/invariants.md exist", () => {
  const paths = named(read("docs/invariants.md"), /`((?:server|protocol|test)\/[\w./*-]+)`/g);
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(root, path.replace(/[\w-]*\*.*$/, ""))))).toEqual([]);
});
