import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { startInstance } from "../../../../test/support/instance.ts";
import { batch, event } from "../../../../test/support/store-rows.ts";
import { userStream } from "../../../../protocol/ids.ts";
import { compactSqlite, openSqlite } from "../open.ts";

let folder = "";
let umask = 0;
beforeEach(() => {
  const made = mkdtempSync(join(tmpdir(), "stonechat-modes-"));
  folder = made;
  // After the test has closed its servers.
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  umask = process.umask(0);
});
afterEach(() => void process.umask(umask));

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const modesOf = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(listFiles(directory).map((name) => [name, modeOf(join(directory, name))]));
const listFiles = (directory: string): readonly string[] =>
  readdirSync(directory).filter((name) => statSync(join(directory, name)).isFile());

test.skipIf(process.platform === "win32")(
  "creates files that only the user can read, despite a loose umask",
  async () => {
    const dataDir = join(folder, "data");
    const { start, send, follow } = await startInstance({ dataDir });
    const threadId = await start();
    const live = follow(threadId);
    await send(threadId, "hello");
    await live.ended();
    expect(modeOf(dataDir)).toBe("700");
    const modes = modesOf(dataDir);
    expect(Object.keys(modes)).toEqual(
      expect.arrayContaining([
        "secret.key",
        "stonechat.db",
        "stonechat.db-shm",
        "stonechat.db-wal",
        "stonechat.db.lock",
      ]),
    );
    expect(Object.entries(modes).filter(([, mode]) => mode !== "600")).toEqual([]);
  },
);

test.skipIf(process.platform === "win32")(
  "removes other users' access to existing files at startup and logs it",
  async () => {
    const dataDir = join(folder, "data");
    const first = await startInstance({ dataDir });
    await first.leave();
    writeFileSync(join(dataDir, "stonechat.db.before-v2"), "an old copy");
    chmodSync(dataDir, 0o755);
    for (const name of listFiles(dataDir)) chmodSync(join(dataDir, name), 0o644);
    const notes: string[] = [];
    const store = await openSqlite({ file: join(dataDir, "stonechat.db"), report: (_, note) => void notes.push(note) });
    await store.close();
    expect(notes).toEqual([
      expect.stringContaining("(mode 0755) was open to other users. Its mode is now 0700."),
      expect.stringContaining("stonechat.db.before-v2"),
    ]);
    await startInstance({ dataDir });
    expect(modeOf(dataDir)).toBe("700");
    expect(Object.entries(modesOf(dataDir)).filter(([, mode]) => mode !== "600")).toEqual([]);
  },
);

test.skipIf(process.platform === "win32")(
  "keeps the mode of a shared folder such as /tmp, but protects the files",
  async () => {
    const shared = join(folder, "shared");
    mkdirSync(shared);
    chmodSync(shared, 0o1777);
    const notes: string[] = [];
    const store = await openSqlite({ file: join(shared, "stonechat.db"), report: (_, note) => void notes.push(note) });
    await store.close();
    expect(statSync(shared).mode & 0o7777).toBe(0o1777);
    expect(notes).toEqual([expect.stringContaining("is shared with other users. Set STONECHAT_DATA")]);
    expect(Object.entries(modesOf(shared)).filter(([, mode]) => mode !== "600")).toEqual([]);
  },
);

test("removes backups made before a migration after two weeks", async () => {
  const file = join(folder, "stonechat.db");
  const [old, young] = [`${file}.before-v3`, `${file}.before-v4`];
  for (const path of [old, young]) writeFileSync(path, "a copy");
  const days = (count: number) => new Date(Date.now() - count * 86_400_000);
  utimesSync(old, days(15), days(15));
  utimesSync(young, days(13), days(13));
  await (await openSqlite({ file })).close();
  expect(readdirSync(folder).filter((name) => name.includes("before"))).toEqual(["stonechat.db.before-v4"]);
});

/** As version 0.1.0 created them: without `auto_vacuum` and `secure_delete`. */
async function makeOldFile(file: string): Promise<void> {
  const store = await openSqlite({ file });
  await store.commit([batch({ events: [event(userStream("a"), JSON.stringify("kept"))] })]);
  await store.close();
  const db = new Database(file);
  db.pragma("journal_mode = delete");
  db.pragma("auto_vacuum = none");
  db.exec("vacuum");
  db.pragma("secure_delete = off");
  db.exec("create table doomed (body text)");
  for (let n = 0; n < 40; n += 1) db.prepare("insert into doomed values (?)").run("labradorite ".repeat(300));
  db.exec("drop table doomed");
  db.close();
}

test.each(["at startup, because it is small", "by the command"])(
  "rewrites a file of an older version once: %s",
  async (how) => {
    const file = join(folder, "stonechat.db");
    await makeOldFile(file);
    expect(readFileSync(file, "latin1")).toContain("labradorite");
    if (how === "by the command") compactSqlite(file);
    const store = await openSqlite({ file });
    expect(await store.read.events(userStream("a"), 0, 9)).toEqual([{ seq: 1, body: JSON.stringify("kept") }]);
    await store.close();
    expect(readFileSync(file, "latin1")).not.toContain("labradorite");
    const db = new Database(file, { readonly: true });
    expect(db.pragma("auto_vacuum", { simple: true })).toBe(2);
    db.close();
  },
);
