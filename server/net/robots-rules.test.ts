import { expect, test } from "vitest";
import { isPathAllowed, parseRobots } from "./robots-rules.ts";

const allows = (text: string, path: string, agent = "Stonechat"): boolean =>
  isPathAllowed(parseRobots(text, agent), new URL(path, "https://a.example"));

test("allows everything without rules", () => {
  for (const text of ["", "User-agent: *\nDisallow:", "<html>not found</html>", "Disallow: /", "\0\0\xff"])
    expect(allows(text, "/a"), text).toBe(true);
});

test("our group takes precedence over the group for all agents", () => {
  const text = "User-agent: *\nDisallow: /\n\nUser-agent: stoneCHAT/2\nDisallow: /private\n";
  expect([allows(text, "/a"), allows(text, "/private/x"), allows(text, "/a", "Other")]).toEqual([true, false, false]);
});

test("the longest matching agent name wins", () => {
  const text =
    "User-agent: stone\nDisallow: /\nUser-agent: stonechat\nDisallow: /b\nUser-agent: stonechats\nDisallow: /a";
  expect([allows(text, "/a"), allows(text, "/b")]).toEqual([true, false]);
});

test("merges groups of the same name, and several names share their rules", () => {
  const text = "User-agent: stonechat\nDisallow: /a\nUser-agent: x\nUser-agent: stonechat\nSitemap: /s\nDisallow: /b";
  expect([allows(text, "/a"), allows(text, "/b"), allows(text, "/c"), allows(text, "/b", "x")]).toEqual([
    false,
    false,
    true,
    false,
  ]);
});

test("the longest rule wins, and allow wins a tie", () => {
  const text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /d\nDisallow: /d";
  expect(["/a", "/a/b", "/a/b/c", "/d"].map((path) => allows(text, path))).toEqual([false, true, false, true]);
});

test.each([
  ["/*.php", "/x/index.php?y", true],
  ["/*.php$", "/x/index.php?y", false],
  ["/*.php$", "/x/index.php", true],
  ["/a*b*c", "/a--b--c--", true],
  ["/a*b*c", "/a--c--b", false],
  ["/a*a$", "/a", false],
  ["/fish", "/Fish", false],
  ["/$", "/", true],
  ["/$", "/a", false],
  ["*", "/", true],
  ["/a?b=", "/a?b=c", true],
  ["/%7Ejoe", "/~joe", true],
  ["/~joe", "/%7ejoe", true],
  ["/a%3cd", "/a%3Cd", true],
  ["/ツ", "/%E3%83%84", true],
  ["/a%2fb", "/a/b", false],
])("the rule %s against %s: %s", (rule, path, isMet) => {
  expect(allows(`User-agent: *\nDisallow: ${rule}`, path)).toBe(!isMet);
});

test("accepts unusual formatting", () => {
  const text = "\uFEFFUSER-AGENT : *   # everybody\r  disallow   /a # here\rAllow:/a/b\r\nDISALLOW:/c";
  expect(["/a", "/a/b", "/c", "/d"].map((path) => allows(text, path))).toEqual([false, true, false, true]);
});

test("always allows robots.txt", () => {
  expect(allows("User-agent: *\nDisallow: /", "/robots.txt")).toBe(true);
});

test("keeps a limited number of rules", () => {
  const rule = `Disallow: /${"a*".repeat(400)}b`;
  const rules = parseRobots(`User-agent: *\n${`${rule}\n`.repeat(5000)}`, "Stonechat");
  expect(rules.length).toBeLessThan(100);
  expect(isPathAllowed(rules, new URL(`https://a.example/${"a".repeat(8000)}`))).toBe(true);
});
