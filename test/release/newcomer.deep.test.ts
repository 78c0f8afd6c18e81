import Database from "better-sqlite3";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createApiClient } from "../../protocol/api-client.ts";
import { migrations } from "../../server/store/migrations/migrations.ts";
import { createEmptyDatabase } from "../support/postgres.ts";
import { findFreePort } from "../support/free-port.ts";
import { copyClone, packEarlier } from "../support/release/earlier-package.ts";
import { createFolder, pack, root, runWell, startProgram, openInstalled } from "../support/release/packed.ts";

/** The first day of a new operator and the first upgrade, with npm's registry. Prints the time and size of every step. */
function createSteps(folder: string) {
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work();
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const size = (await runWell("du", ["-sm", folder])).split("\t")[0];
    console.log(`${name.padEnd(44)} ${seconds.padStart(6)} s ${String(size).padStart(5)} MB`);
    return result;
  };
}

const readInstall = (guide: string): string => {
  const [, command] = /^ {4}(npm install --global .+)$/m.exec(readFileSync(join(root, guide), "utf8")) ?? [];
  if (command === undefined) throw new Error(`${guide} does not say how to install the package.`);
  return command;
};

const download = async (url: string): Promise<Buffer> => {
  const response = await fetch(`${url}/api/export?format=archive`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
};

/** From the file, while no server or one server uses it. */
function schemaOf(home: string): number {
  const db = new Database(join(home, ".stonechat/data/stonechat.db"), { readonly: true });
  try {
    return Number(db.prepare("select value from meta where key = 'version'").pluck().get());
  } finally {
    db.close();
  }
}

test("a newcomer installs the package, asks, upgrades, backs up, restores, moves to PostgreSQL and imports, and keeps all data", async () => {
  const folder = createFolder(true);
  const tarball = await pack(folder);
  const earlier = await packEarlier("0.0.9", folder);
  const place = join(folder, "empty");
  mkdirSync(place);
  const step = createSteps(place);
  // The commands of the README and docs/operate.md, with a global folder that this user may write.
  const prefix = join(place, "global");
  const install = async (file: string, guide: string) => {
    copyFileSync(file, join(place, basename(file)));
    const env = { npm_config_prefix: prefix, npm_config_audit: "false", npm_config_fund: "false" };
    await runWell("sh", ["-c", readInstall(guide).replace(/stonechat-[\d.]+\.tgz/, basename(file))], {
      cwd: place,
      env,
    });
  };
  await step("npm install --global (as 0.0.9)", () => install(earlier.file, "README.md"));
  const packages = readdirSync(join(prefix, "lib/node_modules/stonechat/node_modules"));
  expect(packages).toContain("better-sqlite3");
  for (const name of ["vite", "vitest", "typescript"]) expect(packages).not.toContain(name);
  const program = join(prefix, "bin/stonechat");
  const installed = await openInstalled([program], place);
  const { start, stonechat, url } = installed;
  const first = await step("stonechat", start);
  expect(await (await fetch(`${url}/api/openapi.json`)).text()).toContain('"version":"0.0.9"');
  const asked = await step("stonechat ask (built-in model)", () => stonechat(["ask", "What is 6 * 7?"]));
  expect(asked).toMatchObject({ code: 0, out: expect.stringContaining("42") });
  expect(await step("stop", first.stop)).toBe(0);
  const second = await step("stonechat, again", start);
  expect((await stonechat(["threads"])).out).toContain("6 * 7");
  expect(await second.stop()).toBe(0);
  const { home } = installed;
  expect(schemaOf(home)).toBe(earlier.schema);

  await step("npm install --global, the next version", () => install(tarball, "docs/operate.md"));
  const third = await step("stonechat, upgraded", start);
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  expect(await (await fetch(`${url}/api/openapi.json`)).text()).toContain(`"version":"${version}"`);
  expect((await stonechat(["threads"])).out).toContain("6 * 7");
  expect(await stonechat(["doctor"])).toMatchObject({ code: 0 });
  expect(schemaOf(home)).toBe(migrations.length);
  const copy = join(home, `.stonechat/data/stonechat.db.before-v${migrations.length}`);
  expect(existsSync(copy)).toBe(earlier.schema < migrations.length);

  const backups = join(place, "backups");
  const made = await step("stonechat backup, while it runs", () => stonechat(["backup", backups]));
  expect(made).toMatchObject({ code: 0, out: expect.stringContaining("was verified") });
  const archive = await step("export", () => download(url));
  const foreign = join(place, "conversations.json");
  const chat = { uuid: "chat", name: "Imported", chat_messages: [{ uuid: "m", sender: "human", text: "hello" }] };
  writeFileSync(foreign, JSON.stringify([chat]));
  const imported = await step("stonechat import of another program", () => stonechat(["import", foreign]));
  expect(imported).toMatchObject({ code: 0, out: expect.stringContaining("Imported 1 threads") });
  expect(await third.stop()).toBe(0);

  const openAt = async (name: string, env: Readonly<Record<string, string>>) => {
    const port = String(await findFreePort());
    const options = {
      cwd: place,
      env: { HOME: join(place, "home"), STONECHAT_PORT: port, STONECHAT_LOG: "error", ...env },
    };
    const running = await step(name, () => startProgram(program, [], options));
    return { ...running, url: `http://127.0.0.1:${port}` };
  };
  // A clone of 0.1.0, the first release, whose data is used with the package from now on.
  const data = join(place, "data-of-0.1.0");
  mkdirSync(data);
  const fixture = join(root, "test/fixtures/databases/0.1.0.db.gz");
  writeFileSync(join(data, "stonechat.db"), gunzipSync(readFileSync(fixture)));
  const oldest = await openAt("stonechat, with the data of 0.1.0", { STONECHAT_DATA: data });
  expect((await createApiClient({ baseUrl: oldest.url }).listThreads({ query: {} })).threads).toHaveLength(7);
  expect(await oldest.stop()).toBe(0);

  const elsewhere = join(place, "restored");
  const restored = await step("stonechat restore", () => stonechat(["restore", backups, "--to", elsewhere]));
  expect(restored).toMatchObject({ code: 0 });
  const fourth = await openAt("stonechat, restored", { STONECHAT_DATA: elsewhere });
  expect((await download(fourth.url)).equals(archive)).toBe(true);
  expect(await fourth.stop()).toBe(0);

  const databaseUrl = await createEmptyDatabase();
  const move = (to: string, env: Readonly<Record<string, string>>) => stonechat(["move", "--to", to], { env });
  const there = await step("stonechat move to PostgreSQL", () => move(databaseUrl, { STONECHAT_DATA: elsewhere }));
  expect(there).toMatchObject({ code: 0 });
  const onPostgres = { STONECHAT_DATA: elsewhere, STONECHAT_DATABASE_URL: databaseUrl };
  const fifth = await openAt("stonechat on PostgreSQL", onPostgres);
  expect((await download(fifth.url)).equals(archive)).toBe(true);
  expect(await fifth.stop()).toBe(0);
  const back = join(place, "back");
  expect(await step("stonechat move back to SQLite", () => move(back, onPostgres))).toMatchObject({ code: 0 });
  const sixth = await openAt("stonechat, moved back", { STONECHAT_DATA: back });
  expect((await download(sixth.url)).equals(archive)).toBe(true);

  // The archive of this server, with everything else deleted, gives the same archive.
  const file = join(place, "archive.zip");
  writeFileSync(file, archive);
  const api = createApiClient({ baseUrl: sixth.url });
  for (const { id } of (await api.listThreads({ query: {} })).threads)
    await api.deleteThread({ params: { threadId: id } });
  expect((await download(sixth.url)).equals(archive)).toBe(false);
  const again = await step("stonechat import of the export", () => stonechat(["import", file, "--url", sixth.url]));
  expect(again).toMatchObject({ code: 0 });
  expect((await download(sixth.url)).equals(archive)).toBe(true);
  expect(await sixth.stop()).toBe(0);
});

test("npm start in a clone installs less than 250 MB, and the page has the same bytes as one built with everything", async () => {
  const folder = createFolder(true);
  const clone = join(folder, "clone");
  await copyClone(clone);
  const step = createSteps(clone);
  const options = { cwd: clone, env: { STONECHAT_PORT: String(await findFreePort()) } };
  const go = () => startProgram("npm", ["start"], options);
  const first = await step("npm start, cold", go);
  await first.stop();
  const parts = ["node_modules", "dist", ".runtime"].map((part) => join(clone, part));
  const sizes = (await runWell("du", ["-scm", ...parts])).trim().split("\n").at(-1)?.split("\t")[0];
  console.log(`Installed: ${sizes} MB with Node ${process.versions.node} from elsewhere.`);
  expect(Number(sizes)).toBeLessThan(250);
  const second = await step("npm start, again", go);
  await second.stop();
  const hashes = async (at: string) =>
    runWell("sh", ["-c", "find . -type f | sort | xargs sha256sum"], { cwd: join(at, "dist/web") });
  expect(await hashes(clone)).toBe(await hashes(root));
});
