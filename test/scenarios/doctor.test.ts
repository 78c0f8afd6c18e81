import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { createServer as createHttpServer } from "node:http";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../support/server-process.ts";
import { createFolder, runCommand, type Environment } from "../support/server/run-command.ts";
import { createEmptyDatabase } from "../support/postgres.ts";

const run = (command: string, env: Environment, flags?: readonly string[]) => runCommand([command], env, flags);
const listProblems = (out: string) => out.split("\n").filter((line) => line.startsWith("problem"));
const NO_SERVER = { STONECHAT_PORT: "0" };

test("a running server with SQLite has no problem, before and after", async () => {
  const server = await startServer({ program: "main", env: { STONECHAT_LOG: "info" } });
  onTestFinished(() => server.close());
  const env = { STONECHAT_DATA: server.dataDir, STONECHAT_PORT: new URL(server.url).port };
  const running = await run("doctor", env);
  expect(running).toMatchObject({ code: 0, err: "" });
  expect(running.out).toContain(`a server runs at ${server.url} and is ready`);
  expect(running.out).toContain(
    "set STONECHAT_ACCOUNTS=on or STONECHAT_TOKEN before you put a proxy or a tunnel in front.",
  );
  expect((await run("doctor", { ...env, STONECHAT_TOKEN: "a-token-for-tests-only" })).out).not.toContain(
    "before you put a proxy",
  );
  expect(server.output()).toContain("Before you put a proxy or a tunnel in front, set STONECHAT_ACCOUNTS=on");
  expect(running.out).toMatch(/SQLite has .+ and tables of version \d+\.\n/);
  await server.kill("SIGTERM");
  const stopped = await run("doctor", env);
  expect(stopped.code).toBe(0);
  expect(stopped.out).toContain(`no server runs at ${server.url}`);
});

test("PostgreSQL: its version, size and clock, or why it cannot be reached", async () => {
  const databaseUrl = await createEmptyDatabase();
  const env = { ...NO_SERVER, STONECHAT_DATA: createFolder(), STONECHAT_DATABASE_URL: databaseUrl };
  const empty = await run("doctor", env);
  expect(empty.code).toBe(0);
  expect(empty.out).toContain("has no tables yet");
  const server = await startServer({ databaseUrl });
  await server.close();
  const { code, out } = await run("doctor", env);
  expect(code).toBe(0);
  expect(out).toMatch(/PostgreSQL at \S+ \(\d+\.\d+.*\) has [\d.]+ [kM]B and tables of version \d+\./);
  expect(out).toContain("the clocks of this machine and PostgreSQL agree");
  const away = await run("doctor", { ...env, STONECHAT_DATABASE_URL: "postgres://u:canary@127.0.0.1:1/x" });
  expect(away.code).toBe(1);
  expect(listProblems(away.out)[0]).toContain("Check STONECHAT_DATABASE_URL");
  expect(away.out).not.toContain("canary");
});

test("problems and what to do: newer or damaged database, used port, wrong key, open folder, missing file", async () => {
  const newer = createFolder();
  const db = new Database(join(newer, "stonechat.db"));
  db.exec("create table meta (key text, value text); insert into meta values ('version', '9999')");
  db.close();
  const damaged = createFolder();
  writeFileSync(join(damaged, "stonechat.db"), "not a database".repeat(1000));
  const open = createFolder();
  mkdirSync(join(open, "files"));
  chmodSync(open, 0o755);
  const other = createServer((socket) => socket.on("error", () => {}).end("hello")).listen(0, "127.0.0.1");
  const provider = createHttpServer((_, response) => response.writeHead(401).end("{}")).listen(0, "127.0.0.1");
  onTestFinished(() => void [other.close(), provider.close()]);
  const portOf = ({ address }: { address: () => unknown }) => String((address() as AddressInfo).port);
  await Promise.all([once(other, "listening"), once(provider, "listening")]);
  const cases: readonly [Record<string, string>, string][] = [
    [{ STONECHAT_DATA: newer }, "has tables of version 9999, but this Stonechat knows"],
    [{ STONECHAT_DATA: damaged }, "If it is damaged, restore a backup."],
    [{ STONECHAT_DATA: join(damaged, "stonechat.db") }, "is a file. Set STONECHAT_DATA to a folder."],
    [{ STONECHAT_SECRET_KEY: "short" }, "STONECHAT_SECRET_KEY must contain 32 bytes"],
    [{ STONECHAT_BACKUP_FOLDER: join(damaged, "stonechat.db") }, "backups cannot be written to"],
    [{ STONECHAT_PORT: portOf({ address: () => other.address() }) }, "Stop it, or set STONECHAT_PORT."],
    [
      {
        OPENAI_API_KEY: "sk-canary",
        OPENAI_BASE_URL: `http://127.0.0.1:${portOf({ address: () => provider.address() })}`,
      },
      "OpenAI rejects this key.",
    ],
    [{ STONECHAT_MCP: "/nowhere/mcp.json" }, "Check STONECHAT_MCP"],
    [{ STONECHAT_PROXY: "http://127.0.0.1:1" }, "the proxy 127.0.0.1:1 cannot be reached"],
  ];
  for (const [env, expected] of cases) {
    const { code, out } = await run("doctor", { ...NO_SERVER, STONECHAT_DATA: createFolder(), ...env });
    expect({ expected, code, problems: listProblems(out).length }).toEqual({ expected, code: 1, problems: 1 });
    expect(listProblems(out)[0]).toContain(expected);
    expect(out).not.toContain("canary");
  }
  const { code, out } = await run("doctor", { ...NO_SERVER, STONECHAT_DATA: open });
  expect(code).toBe(0);
  expect(out).toContain(`other users of this machine can read ${open}`);
  expect(await run("doctor", { STONECHAT_POTR: "1" })).toMatchObject({
    code: 1,
    err: expect.stringContaining("STONECHAT_POTR is not a setting. Did you mean STONECHAT_PORT?"),
  });
});

test("a damaged page in the middle of the file, and a lost key, before anything is started", async () => {
  const server = await startServer({ program: "main" });
  onTestFinished(() => server.close());
  await server.kill("SIGTERM");
  const env = { ...NO_SERVER, STONECHAT_DATA: server.dataDir };
  rmSync(join(server.dataDir, "secret.key"));
  const lost = await run("doctor", env);
  expect(lost.code).toBe(0);
  expect(lost.out).toContain("warning  secret.key is missing");
  const file = join(server.dataDir, "stonechat.db");
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.fill(0xff, 20 * 4096, 24 * 4096));
  const damaged = await run("doctor", env);
  expect(damaged.code).toBe(1);
  expect(listProblems(damaged.out)).toEqual([expect.stringMatching(/SQLite is damaged \(.+restore a backup\.$/)]);
});

test("the settings in force, with those of a file", async () => {
  const file = join(createFolder(), ".env");
  writeFileSync(file, "STONECHAT_PORT=4001\nOPENAI_API_KEY=sk-canary\nSTONECHAT_LOG=warn\n");
  const { code, out } = await run("config", { STONECHAT_LOG: "debug" }, [`--env-file=${file}`]);
  expect(code).toBe(0);
  expect(out).toMatch(/^STONECHAT_PORT +4001 +\.env$/m);
  expect(out).toMatch(/^STONECHAT_LOG +debug +environment$/m);
  expect(out).toMatch(/^OPENAI_API_KEY +\(secret\) +\.env$/m);
  expect(out).not.toContain("canary");
});
