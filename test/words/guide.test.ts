import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../..");

function listTexts(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(listTexts) : [];
}

test("every label that the user guide names is on the page", async () => {
  const folder = join(root, "web/strings");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const texts = new Set<string>();
  for (const file of files) for (const text of listTexts(await import(join(folder, file)))) texts.add(text);
  const guide = readFileSync(join(root, "docs/guide.md"), "utf8");
  const labels = [...guide.matchAll(/(?<![*\w])\*([^*\n]{1,60})\*(?!\*)/g)].map(([, label = ""]) => label);
  expect(labels.length).toBeGreaterThan(30);
  expect(labels.filter((label) => !texts.has(label))).toEqual([]);
});
