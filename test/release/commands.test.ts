import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { readConfig } from "../../server/config/config.ts";
import { accountsOn, setUp } from "../support/accounts/accounts-instance.ts";
import { findFreePort } from "../support/free-port.ts";
import { createInstance, say, startInstance } from "../support/instance.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { assignments, listLines, toStonechat, type Line } from "../support/release/guide-lines.ts";
import { root, run, startProgram, type CommandResult } from "../support/release/packed.ts";

/**
 * Every line of code in the guides is run here from its text, run by another test that reads the guide, or listed with the reason
 * why no test runs it. With full counts every text is run with the real npm; otherwise one of those that mean the same.
 */
const isDeep = process.env["STONECHAT_DEEP"] === "1";

const inDocker = "needs Docker; the command inside is run here, and deploy.test.ts checks the files";
const forDevelopers = "is for developers, and takes longer than all tests or runs them";

/** Why no test runs it. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^docker compose /, inDocker],
  [/^systemctl |\/etc\/systemd\//, "needs systemd and root; deploy.test.ts checks the unit"],
  [/^npm install --prefix \/opt\//, "needs root; newcomer.deep.test.ts installs the same package"],
  [/^(?:git pull|npm install)$/, "is a part of a sentence about upgrades; newcomer.deep.test.ts upgrades a package"],
  [/^rm -rf node_modules$/, "deletes this clone's packages; newcomer.deep.test.ts starts a clone without any"],
  [/^npm link$/, "changes npm's global folder"],
  [
    /^npm install \.\.\/stonechat$/,
    "changes this clone's packages; package-client.test.ts has the package in a project",
  ],
  [/^npm (?:test|run (?:test:deep|pictures|build))$/, forDevelopers],
  [/^node test\/[\w/-]+\.ts$/, forDevelopers],
  [
    /^npm run (?:receipt|reset-link|move)$/,
    "stands in a table next to its arguments; with them it is in docs/operate.md",
  ],
];

/** Run by another test that reads this guide. */
const elsewhere: readonly (readonly [RegExp, string, guide: string])[] = [
  [/^npm pack$/, "test/support/release/packed.ts", "README.md"],
  [/^npm pack$/, "test/support/release/packed.ts", "docs/operate.md"],
  [/^npm install --global \.\/stonechat-/, "test/release/newcomer.deep.test.ts", "README.md"],
  [/^npm install --global \.\/stonechat-/, "test/release/newcomer.deep.test.ts", "docs/operate.md"],
  [/^openssl /, "test/release/guides.test.ts", "docs/operate.md"],
  [/ \/backups\/| \/srv\/|db\.example\.com/, "test/scenarios/backup/operate-document.test.ts", "docs/operate.md"],
  [/^stonechat (?:ask "What|chat|threads )|^git diff \|/, "test/clients/docs-examples.test.ts", "docs/api.md"],
];

/** Lines that a server prints. */
const outputs = ["Create the first admin: https://chat.example.com/setup#..."];

const lines = listLines();
const commands = lines.filter(({ kind }) => kind === "command");

let folder = "";
/** Data folders of stopped servers: of one user, with a receipt, and with accounts. */
let [own, people, receiptId] = ["", "", ""];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stonechat-commands-"));
  const one = await createInstance({ script: () => say("It is a hard rock.") });
  const live = one.follow(await one.start({ id: "stones", title: "Stones" }));
  await one.send("stones", "What is granite?");
  await live.ended(1);
  live.close();
  receiptId = (await one.client.listReceipts({ params: { threadId: "stones" } })).receipts[0]?.id ?? "";
  own = await one.leave();
  const several = await createInstance({ env: accountsOn });
  await setUp(several);
  people = await several.leave();
  mkdirSync(join(folder, "bin"));
  for (const [name, script] of programs()) {
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  }
  writeFileSync(join(folder, "servers.json"), readServers());
  writeFileSync(
    join(folder, "chats.json"),
    JSON.stringify([{ id: "c", title: "Slate", messages: [{ role: "user", content: "slate" }] }]),
  );
});
afterAll(() => [folder, own, people].forEach((path) => rmSync(path, { recursive: true, force: true })));

/** `stonechat` as npm installs it. Starting npm and npx takes longer than the commands, so only full counts have the real ones. */
function programs(): readonly (readonly [string, string])[] {
  const launcher = `exec "${process.execPath}" "${join(root, "scripts")}`;
  const stonechat = ["stonechat", `${launcher}/stonechat.js" "$@"`] as const;
  if (isDeep) return [stonechat];
  const npm = `[ "$1" = run ] && shift\nname=$1\nshift\n[ "$1" = -- ] && shift\ncd "${root}" && ${launcher}/run.js" "$name" "$@"`;
  const npx = `shift\n${launcher}/stonechat.js" "$@"`;
  return [stonechat, ["npm", npm], ["npx", npx]];
}

/** The README's file of MCP servers, with a folder that exists, and the program that npx would download first. */
function readServers(): string {
  const [json = ""] = lines.flatMap(({ kind, text }) => (kind === "json" && text.includes('"npx"') ? [text] : []));
  const program = join(root, "node_modules/.bin/mcp-server-filesystem");
  const [download, installed] = [
    '"npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", ',
    `"${program}", "args": [`,
  ];
  expect(json).toContain(download);
  return json.replace(download, installed).replace("/some/folder", folder);
}

/** A copy of a data folder, so that the tests do not depend on each other. */
function copyOf(data: string): string {
  const copy = mkdtempSync(join(tmpdir(), "stonechat-command-"));
  onTestFinished(() => rmSync(copy, { recursive: true, force: true }));
  cpSync(data, copy, { recursive: true });
  return copy;
}

const environment = async (more: Readonly<Record<string, string>>) => ({
  PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter),
  STONECHAT_PORT: String(await findFreePort()),
  STONECHAT_LOG: "error",
  ...more,
});

const isReachable = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

type Environment = Readonly<Record<string, string>>;

/** Runs a command line as it is written, in the clone if it needs npm. It must succeed. */
async function runLine(line: string, env: Environment, input = ""): Promise<CommandResult> {
  const cwd = /^np[mx] /.test(line) ? root : folder;
  const ended = await run("sh", ["-c", line], { cwd, env: await environment(env), input });
  expect({ line, ...ended }).toMatchObject({ code: 0 });
  return ended;
}

/** Starts a server with a command line, and stops it. Returns what it printed. */
async function startLine(line: string, env: Environment, look?: (url: string) => Promise<void>): Promise<string> {
  const prefix = assignments.exec(line)?.[0] ?? "";
  const all = await environment({ STONECHAT_DATA: copyOf(mkdtempSync(join(folder, "data-"))), ...env });
  const server = await startProgram("sh", ["-c", `${prefix}exec ${line.slice(prefix.length)}`], {
    cwd: root,
    env: all,
  });
  const url = `http://127.0.0.1:${all.STONECHAT_PORT}`;
  try {
    await look?.(url);
  } finally {
    // Also after a failure: killing the launcher would leave its server. The real npm ends by the signal, before the server.
    expect(isDeep ? [0, null] : [0]).toContain(await server.stop());
    await expect.poll(() => isReachable(url)).toBe(false);
  }
  return server.output();
}

const atServer = async (): Promise<Environment> => {
  const { url } = await startInstance({
    env: { STONECHAT_MODEL: "scripted/script" },
    script: () => say("It is a hard rock."),
  });
  return { STONECHAT_URL: url };
};
const listServers = async (url: string): Promise<string> => (await fetch(`${url}/api/mcp`)).text();

/** By what a line means (see `toStonechat`): runs the text. */
const runs: Readonly<Record<string, (line: string) => Promise<unknown>>> = {
  "stonechat start": (line) => startLine(line, {}),
  "OPENROUTER_API_KEY=... stonechat start": (line) => startLine(line, { OPENROUTER_BASE_URL: "http://127.0.0.1:1" }),
  "STONECHAT_COMPATIBLE_URL=http://127.0.0.1:11434/v1 stonechat start": (line) => startLine(line, {}),
  "STONECHAT_MCP=servers.json stonechat start": (line) =>
    startLine(line.replace("servers.json", join(folder, "servers.json")), {}, async (url) => {
      await expect.poll(() => listServers(url)).toContain("read_text_file");
    }),
  "STONECHAT_PUBLIC_URL=https://chat.example.com STONECHAT_HOSTS=chat.example.com STONECHAT_TRUSTED_PROXIES=127.0.0.1 stonechat start":
    async (line) => expect(await startLine(line, {})).toContain(outputs[0]?.replace("...", "")),
  "STONECHAT_TRUSTED_HEADER=x-forwarded-user STONECHAT_TRUSTED_PROXIES=10.0.0.5 stonechat start": (line) =>
    startLine(line, { STONECHAT_DATA: copyOf(people) }),
  "stonechat doctor": (line) => runLine(line, { STONECHAT_DATA: copyOf(own) }),
  "stonechat config": async (line) =>
    expect((await runLine(line, { STONECHAT_DATA: own })).out).toMatch(
      new RegExp(`STONECHAT_DATA +${own} +environment`),
    ),
  "stonechat storage": async (line) =>
    expect((await runLine(line, { STONECHAT_DATA: copyOf(own) })).out).toContain("Stones"),
  "stonechat receipt ID --verify": async (line) =>
    expect((await runLine(line.replace("ID", receiptId), { STONECHAT_DATA: copyOf(own) })).out).toContain("verified"),
  "stonechat reset-link EMAIL": printsLink,
  "stonechat reset-link ada@example.com": printsLink,
  "stonechat reset-link EMAIL --remove-second-factors": printsLink,
  "stonechat backup FOLDER": (line) => backUp(line.replace("FOLDER", newPath()), {}),
  "stonechat backup": (line) => backUp(line, { STONECHAT_BACKUP_FOLDER: newPath() }),
  "stonechat restore BACKUP": async (line) => restore(line.replace("BACKUP", await makeBackup()), {}),
  "stonechat restore": async (line) => restore(line, { STONECHAT_BACKUP_FOLDER: await makeBackup() }),
  "stonechat move --to URL": async (line) => {
    const url = findPostgres() ? await createEmptyDatabase() : newPath();
    expect((await runLine(line.replace("URL", url), { STONECHAT_DATA: copyOf(own) })).out).toContain("is equal");
  },
  "stonechat compact": async (line) =>
    expect((await runLine(line, { STONECHAT_DATA: copyOf(own) })).out).toContain("rewritten"),
  'stonechat ask "..."': async (line) => expect((await runLine(line, await atServer())).out).toContain("a hard rock"),
  "stonechat ask --help": async (line) => expect((await runLine(line, {})).out).toContain("--profile"),
  "stonechat chat": async (line) =>
    expect((await runLine(line, await atServer(), "What is granite?\n")).out).toContain("a hard rock"),
  "stonechat threads": async (line) => runLine(line, await atServer()),
  "stonechat import FILE": (line) => importFile(line.replace("FILE", join(folder, "chats.json"))),
  "stonechat import conversations.zip": (line) => importFile(line.replace("conversations.zip", "chats.json")),
};

const newPath = (): string => join(mkdtempSync(join(folder, "new-")), "new");

async function printsLink(line: string): Promise<void> {
  const { out } = await runLine(line.replace("EMAIL", "ada@example.com"), { STONECHAT_DATA: copyOf(people) });
  expect(out).toMatch(/https?:\/\/\S+#\S+/);
}

async function backUp(line: string, env: Environment): Promise<void> {
  expect((await runLine(line, { STONECHAT_DATA: copyOf(own), ...env })).out).toContain("was verified");
}

async function makeBackup(): Promise<string> {
  const place = newPath();
  await backUp(`stonechat backup ${place}`, {});
  return place;
}

async function restore(line: string, env: Environment): Promise<void> {
  const target = newPath();
  expect((await runLine(line, { STONECHAT_DATA: target, ...env })).out).toContain("Restored ");
  expect(existsSync(join(target, "stonechat.db"))).toBe(true);
}

async function importFile(line: string): Promise<void> {
  expect((await runLine(line, await atServer())).out).toContain("Imported 1 threads");
}

const findReason = (text: string): string | undefined => reasons.find(([pattern]) => pattern.test(text))?.[1];
const isElsewhere = ({ text, guide }: Line): boolean =>
  elsewhere.some(([pattern, , named]) => named === guide && pattern.test(text));
const isRunHere = (line: Line): boolean =>
  findReason(line.text) === undefined && !isElsewhere(line) && toStonechat(line.text) in runs;

const describeLine = ({ guide, text }: Line): string => `${guide}: ${text}`;

test("every command in the guides is run by a test, or listed with a reason", () => {
  const isAnswered = (line: Line): boolean =>
    isRunHere(line) || isElsewhere(line) || findReason(line.text) !== undefined;
  expect(commands.length).toBeGreaterThan(60);
  expect(commands.filter((line) => !isAnswered(line)).map(describeLine)).toEqual([]);
  // Inside a container it is a command that is run here.
  const inside = commands.flatMap(
    ({ text }) => /^docker compose (?:exec|run --rm)(?: -v \S+)? stonechat (?:stonechat )?(.+)/.exec(text)?.[1] ?? [],
  );
  expect(inside.length).toBeGreaterThan(8);
  const onHost = inside.map(
    (args) =>
      `stonechat ${args.replace("backup /backups", "backup FOLDER").replace("restore /backups", "restore BACKUP")}`,
  );
  const isKnown = (text: string): boolean => isAnswered({ kind: "command", text, guide: "docs/operate.md" });
  expect(onHost.filter((text) => !isKnown(text))).toEqual([]);
  // Controls: a new command, and one with a mistake.
  for (const text of ["npm run invent", "stonechat backup --everything", "pg_dump x"])
    expect(isKnown(text)).toBe(false);
});

test("the tables of commands name nothing that the guides no longer have", () => {
  const texts = commands.map(({ text }) => text);
  const unused = [
    ...reasons.filter(([pattern]) => !texts.some((text) => pattern.test(text))),
    ...elsewhere.filter((one) => !commands.some(({ text, guide }) => one[2] === guide && one[0].test(text))),
  ];
  expect(unused.map(String)).toEqual([]);
  expect(Object.keys(runs).filter((key) => !texts.some((text) => toStonechat(text) === key))).toEqual([]);
  for (const [, path] of elsewhere) expect(existsSync(join(root, path)), path).toBe(true);
  const files = commands.flatMap(({ text }) => /^(?:node|cp) ([\w/.-]+)/.exec(text)?.[1] ?? []);
  expect(files.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test("everything else in code blocks of the guides is valid: settings, JSON, or what a server prints", () => {
  const textsOf = (wanted: Line["kind"]) => lines.filter(({ kind }) => kind === wanted);
  for (const { text } of textsOf("json")) expect(JSON.parse(text)).toHaveProperty("mcpServers");
  expect(textsOf("other").map(({ text }) => text)).toEqual(outputs);
  const settingsOf = new Map<string, Readonly<Record<string, string>>>();
  for (const { text, guide } of textsOf("settings")) {
    const pairs = [...text.matchAll(/([A-Z_]+)=(?:"([^"]*)"|(\S+))/g)];
    const env = Object.fromEntries(pairs.map(([, name = "", quoted, plain = ""]) => [name, quoted ?? plain]));
    settingsOf.set(guide, { ...settingsOf.get(guide), ...env });
  }
  expect([...settingsOf.keys()]).toEqual(["docs/accounts.md", "docs/operate.md"]);
  for (const env of settingsOf.values())
    expect(() => readConfig({ STONECHAT_PUBLIC_URL: "https://chat.example.com", ...env })).not.toThrow();
});

test("every npm command in the guides starts the script of its name", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    scripts: Record<string, string>;
  };
  const names = new Set(commands.flatMap(({ text }) => /\bnpm run ([\w:-]+)/.exec(text)?.[1] ?? []));
  expect(names.size).toBeGreaterThan(8);
  for (const name of ["start", ...names]) expect(scripts[name]).toBe(`node scripts/run.js ${name}`);
});

const here = commands.filter(isRunHere);
const texts = isDeep
  ? [...new Set(here.map(({ text }) => text))]
  : [...new Map(here.map(({ text }) => [toStonechat(text), text])).values()];

test.each(texts)("%s", { timeout: 600_000 }, async (text) => {
  await runs[toStonechat(text)]?.(text);
});
