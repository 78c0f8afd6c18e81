import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../server/config/config.ts";
import { loadInstanceKey } from "../../server/config/instance-key.ts";
import { settings } from "../../server/config/settings.ts";
import { startInstance } from "../support/instance.ts";
import { createFolder, root, runWell } from "../support/release/packed.ts";

const guides = ["docs/operate.md", "docs/security.md", "docs/decisions/0038-release-package.md"];
const read = (name: string): string => readFileSync(join(root, name), "utf8");
const operate = read("docs/operate.md");
const named = (text: string, pattern: RegExp): readonly string[] => [
  ...new Set([...text.matchAll(pattern)].map(([, name = ""]) => name)),
];

test.each(guides)("%s links only to files, and names only settings and tests that exist", (guide) => {
  const text = read(guide);
  const links = named(text, /\]\(([^)#]+)(?:#[\w-]+)?\)/g).filter((link) => !/^https?:/.test(link));
  expect(links.filter((link) => !existsSync(resolve(root, dirname(guide), link)))).toEqual([]);
  const names = named(text, /\b(STONECHAT_[A-Z_]+)\b/g).filter((name) => name !== "STONECHAT_KEY");
  expect(names.filter((name) => !(name.replace(/_FILE$/, "") in settings))).toEqual([]);
  const tests = named(text, /\b([\w/-]+\.test\.ts)\b/g);
  const has = (name: string) => ["", "test/security"].some((folder) => existsSync(join(root, folder, name)));
  expect(tests.filter((name) => !has(name))).toEqual([]);
});

test("docs/operate.md has every command for users, and no other", async () => {
  const path = join(root, "scripts/commands.js");
  const { userCommands } = (await import(path)) as { userCommands: Readonly<Record<string, unknown>> };
  const commands = named(operate, /(?:^|[`/|] |`)(?:stonechat|-rm stonechat|exec stonechat stonechat) ([a-z-]+)/gm);
  expect(commands.filter((name) => !(name in userCommands))).toEqual([]);
  // Without a name the server starts; the others are in docs/api.md.
  const elsewhere = ["start", "chat", "threads", "import"];
  expect(Object.keys(userCommands).filter((name) => !commands.includes(name))).toEqual(elsewhere);
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Readonly<Record<string, string>> };
  expect(named(operate, /npm run ([\w:-]+)/g).filter((name) => !(name in scripts))).toEqual([]);
});

test("docs/operate.md names only metrics that the server has", async () => {
  const { url } = await startInstance();
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const names = named(operate, /`((?:stonechat|nodejs|process)_[a-z0-9_]+)`/g);
  expect(names.length).toBeGreaterThan(6);
  expect(names.filter((name) => !metrics.includes(`\n${name} `))).toEqual([]);
});

test("the commands for a key and a certificate make ones that work", async () => {
  const folder = createFolder();
  const [makeKey = "", makeCertificate = ""] = named(operate, /^ {4}(openssl .*)$/gm);
  const key = (await runWell("sh", ["-c", makeKey])).trim();
  const { secretKey } = readConfig({ STONECHAT_SECRET_KEY: key });
  expect(loadInstanceKey(folder, secretKey, () => {})).toHaveLength(32);
  await runWell("sh", ["-c", makeCertificate], { cwd: folder });
  expect(readFileSync(join(folder, "site.crt"), "utf8")).toContain("BEGIN CERTIFICATE");
});
