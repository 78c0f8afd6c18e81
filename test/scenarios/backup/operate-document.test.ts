import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { createFolder, type Environment } from "../../support/server/run-command.ts";
import { startInstance } from "../../support/instance.ts";
import { findPostgres } from "../../support/postgres-binaries.ts";
import { createEmptyDatabase } from "../../support/postgres.ts";

/** Each test starts many processes, which takes long on a busy machine. */
vi.setConfig({ testTimeout: 600_000 });

const root = join(import.meta.dirname, "../../..");
const document = readFileSync(join(root, "docs/operate.md"), "utf8");
const sectionNames = ["Backup", "Restore", "Move between SQLite and PostgreSQL", "Upgrade and downgrade"];
const sections = document
  .split(/^## /m)
  .filter((section) => sectionNames.some((name) => section.startsWith(`${name}\n`)));
/** Commands in code blocks and in the text. */
const commands = sections.flatMap((section) =>
  [...section.matchAll(/^npx stonechat (.+)$|`npx stonechat ([^`]+)`|`npm run ([^`]+)`/gm)].map(
    ([, block, inline, script]) => block ?? inline ?? script?.replace(" --", "") ?? "",
  ),
);

async function run(command: string, env: Environment) {
  const args = command.split(" ");
  const { PATH = "" } = process.env;
  const child = spawn(process.execPath, [join(root, "scripts/run.js"), ...args], { cwd: root, env: { PATH, ...env } });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: code as number | null, out, err };
}

/** npm installs nothing here: the packages of this folder are used. */
test.skipIf(!findPostgres())("every backup, restore and move command of docs/operate.md works as written", async () => {
  expect(sections).toHaveLength(sectionNames.length);
  expect(new Set(commands.map((command) => command.split(" ")[0]))).toEqual(new Set(["backup", "restore", "move"]));
  expect(commands.length).toBeGreaterThan(7);
  const instance = await startInstance();
  await instance.start({ id: "stones", title: "Stones" });
  const dataDir = await instance.leave();
  const backups = createFolder();
  const file = join(backups, "stonechat.backup");
  expect(await run(`backup ${file}`, { STONECHAT_DATA: dataDir })).toMatchObject({ code: 0 });
  for (const command of commands) {
    const [target, url] = [join(createFolder(), "new"), await createEmptyDatabase()];
    const words = command
      .replace("/backups/stonechat.backup", file)
      .replace("/backups/stonechat", join(backups, "stonechat"))
      .replace("/srv/stonechat", target)
      .replace("postgres://stonechat@db.example.com/stonechat", url);
    expect(words).not.toMatch(/ \/(backups|srv)\//);
    const isRestore = command.startsWith("restore");
    const env = { STONECHAT_DATA: isRestore ? join(createFolder(), "data") : dataDir };
    const ended = await run(words, env);
    expect({ command, ...ended }).toEqual({ command, code: 0, err: "", out: ended.out });
    if (command.startsWith("backup")) continue;
    const isPostgres = command.includes("postgres://");
    const placed = command.includes("/srv/") ? target : env.STONECHAT_DATA;
    const opened = await startInstance({
      dataDir: placed,
      env: isPostgres ? { STONECHAT_DATABASE_URL: url } : {},
    });
    expect((await opened.client.listThreads({})).threads.map(({ title }) => title)).toEqual(["Stones"]);
    expect(existsSync(join(placed, "secret.key"))).toBe(true);
    await opened.leave();
  }
  expect(readdirSync(join(backups, "stonechat")).filter((name) => name.endsWith(".backup")).length).toBeGreaterThan(1);
});
