import { expect, test } from "vitest";
import { findPageStrings } from "./page-strings.ts";
import { findPhrases } from "./find-phrases.ts";

const phrasesIn = (path: string, text: string) => findPhrases(path, text).faults;

test.each([
  ["server/a.ts", "// Whoever comes meanwhile is answered anew.\nexport const a = 1;"],
  ["server/a.ts", "/**\n * What stands behind a prompt.\n */\nexport const a = 1;"],
  ["server/a.ts", 'throw new Error("There is nothing of yours under this id, whoever asks.");'],
  ["server/a.ts", "export type Told = { readonly text: string };"],
  ["server/a.ts", "type Chosen = { readonly text: string };"],
  ["server/a.ts", "export type Measured<T> = { readonly value: T };"],
  ["server/a.ts", "/** What an account may spend. */\nexport const a = 1;"],
  ["server/a.ts", "/**\n * What admins allow.\n */\nexport const a = 1;"],
  ["server/a.ts", "// What requests need.\nexport const a = 1;"],
  ["web/a.tsx", "export const A = () => <p>The run lies down until you have decided.</p>;"],
  ["test/a.test.ts", 'test("the answer is told anew", () => {});'],
  ["docs/a.md", "The server starts anew."],
  ["server/a.ts", "// Every id is authorised.\nexport const a = 1;"],
  ["web/a.ts", "export const readColours = 1;"],
  ["web/read-colours.ts", "export const a = 1;"],
  ["docs/a.md", "The behaviour of the server."],
])("finds the phrase in %s: %s", (path, text) => {
  expect(phrasesIn(path, text).length).toBeGreaterThan(0);
});

test.each([
  ["server/a.ts", "// Loads prompt inputs. Cost is O(window), not O(thread).\nexport const a = 1;"],
  ["test/a.test.ts", 'const input = "Whoever reads this is told anew";'],
  ["docs/a.md", "Run `told anew` in a shell."],
  ["server/a.ts", "type StoredMessage = { readonly id: string };\ntype Feed = { readonly id: string };"],
  ["server/a.ts", "// What does it cost? See the price table.\nexport const a = 1;"],
  ["server/a.ts", "// The analysis of raised, advised and optimistic clients was cancelled.\nexport const a = 1;"],
  ["web/a.tsx", 'export const A = () => <p aria-labelledby="colour" />;'],
])("accepts plain words, test data and code in %s: %s", (path, text) => {
  expect(phrasesIn(path, text)).toEqual([]);
});

test("names the line of a phrase", () => {
  expect(phrasesIn("server/a.ts", "const a = 1;\n\n// Started anew.\n")[0]).toMatch(/^server\/a\.ts:3 "anew"/);
});

test.each([
  "export const A = () => <p>Hello</p>;",
  'export const A = () => <input placeholder="name" />;',
  'export const A = ({ b }: { b: boolean }) => <button aria-label={b ? "Open" : "Close"} />;',
  "export const a = (n: number) => `Delete ${n} files`;",
  'export const a = { text: "Not sent yet." };',
])("finds text of the page outside the catalog: %s", (text) => {
  expect(findPageStrings("web/a/a.tsx", text)).toHaveLength(text.includes("?") ? 2 : 1);
});

test.each([
  ["web/strings/a.ts", 'export const a = { text: "Not sent yet." };'],
  ["web/a/a.test.tsx", "export const A = () => <p>Hello</p>;"],
  ["web/a/a.tsx", 'export const A = () => <p className="flex gap-2" data-kind="Big one" />;'],
  ["web/a/a.ts", 'if (event.key === "Enter") throw new Error("This cannot happen.");'],
  ["server/a.ts", 'export const a = "Not sent yet.";'],
])("leaves %s alone: %s", (path, text) => {
  expect(findPageStrings(path, text)).toEqual([]);
});
