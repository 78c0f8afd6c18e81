import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { settings } from "../server/config/settings.ts";

const root = join(import.meta.dirname, "..");
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const readme = read("README.md");
const named = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name)),
];

/** Set by tests only. */
const hidden = ["STONECHAT_SCRIPTED", "STONECHAT_FAILPOINT"];

test("the README has every setting, and no other", () => {
  const told = named(
    readme,
    /`((?:STONECHAT|OPENROUTER|OPENAI|ANTHROPIC|GOOGLE|FASTCHAT|SERPAPI|TAVILY|FIRECRAWL|BRAVE|MISTRAL|XAI|GROQ|DEEPSEEK|AZURE|BEDROCK|AWS|OLLAMA)_[A-Z_]+)`/g,
  ).filter((name) => name !== "STONECHAT_");
  const known = Object.keys(settings).filter((name) => !hidden.includes(name));
  expect(told.toSorted()).toEqual(known.toSorted());
});

test("the README has every npm command, and no other", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const told = named(readme, /^\| `npm (?:run )?([\w:]+)`/gm);
  expect(told.toSorted()).toEqual(Object.keys(scripts).toSorted());
});

test.each(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md"])(
  "the links of %s lead somewhere",
  (name) => {
    const missing = named(read(name), /\]\((?!https?:)([^)#]+)/g).filter(
      (link) => !existsSync(join(root, dirname(name), link)),
    );
    expect(missing).toEqual([]);
  },
);
