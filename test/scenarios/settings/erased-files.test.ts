import Database from "better-sqlite3";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mintId, say, startInstance, type Instance } from "../../support/instance.ts";

/** Deleted text disappears from every file of the data folder while the server runs. */
const confirm = "delete everything" as const;

/** Number of occurrences of the words in each file. */
function grep(folder: string, words: readonly string[]): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    const path = join(folder, name);
    if (!statSync(path).isFile()) continue;
    const text = readFileSync(path, "latin1").toLowerCase();
    for (const word of words) {
      const count = text.split(word).length - 1;
      if (count > 0) found[`${name}: ${word}`] = count;
    }
  }
  return found;
}

const countAll = (found: Readonly<Record<string, number>>): number =>
  Object.values(found).reduce((sum, count) => sum + count, 0);
const sizeOf = ({ dataDir }: Instance): number =>
  ["stonechat.db", "stonechat.db-wal"].reduce((sum, name) => sum + statSync(join(dataDir, name)).size, 0);

/** Sends messages with these words, so that they are stored in messages, the search index, prompts and previews. */
async function chat(instance: Instance, words: readonly string[], temporary = false): Promise<string> {
  const threadId = await instance.start(temporary ? { temporary } : {});
  const live = instance.follow(threadId);
  for (const [n, word] of words.entries()) {
    await instance.send(threadId, `Tell me about ${word} and ${"more ".repeat(200)}`);
    await live.ended(n + 1);
  }
  live.close();
  return threadId;
}

const echo = () =>
  startInstance({
    script: ({ messages }) => say(`An answer about ${JSON.stringify(messages.at(-1))} ${"text ".repeat(400)}`),
  });

test("a temporary thread that ended, a deleted thread and forgotten memory leave no text in any file", async () => {
  const instance = await echo();
  const { client, dataDir } = instance;
  const kept = await chat(instance, ["chalcedony"]);
  const words = ["rhodochrosite", "labradorite", "tourmaline"];
  const temporary = await chat(instance, ["rhodochrosite"], true);
  const deleted = await chat(instance, ["labradorite"]);
  await client.setMemory({ body: { id: mintId(), field: "notes", value: "collects tourmaline" } });
  // A checkpoint between the reads of two files can move text from the one not read yet to the one already read.
  await expect.poll(() => countAll(grep(dataDir, ["rhodochrosite"]))).toBeGreaterThan(2);
  await expect.poll(() => countAll(grep(dataDir, ["labradorite"]))).toBeGreaterThan(4);
  await expect.poll(() => countAll(grep(dataDir, ["tourmaline"]))).toBeGreaterThan(0);
  await client.deleteThread({ params: { threadId: temporary } });
  await client.deleteThread({ params: { threadId: deleted } });
  await client.forgetMemory({ body: { id: mintId(), field: "notes" } });
  await expect.poll(() => grep(dataDir, words)).toEqual({});
  await expect.poll(() => countAll(grep(dataDir, ["chalcedony"]))).toBeGreaterThan(2);
  expect((await client.search({ query: { q: "chalcedony" } })).hits.length).toBeGreaterThan(0);
  expect((await client.getThread({ params: { threadId: kept } })).messages).toHaveLength(2);
});

test("deleting everything leaves no text in any file and shrinks the database", async () => {
  const instance = await echo();
  const { client, dataDir } = instance;
  const words = ["rhodochrosite", "labradorite", "chalcedony"];
  for (let n = 0; n < 12; n += 1) await chat(instance, words);
  await client.createProject({ body: { id: "p1", name: "Rhodochrosite" } });
  const op = {
    do: "create" as const,
    id: "doc",
    kind: "document",
    title: "Labradorite",
    body: "chalcedony ".repeat(9),
  };
  await client.act({ params: { projectId: "p1" }, body: { id: mintId(), ops: [op] } });
  await expect.poll(() => countAll(grep(dataDir, words))).toBeGreaterThan(50);
  const full = sizeOf(instance);
  await client.deleteEverything({ body: { id: mintId(), confirm, costs: false } });
  await expect.poll(() => grep(dataDir, words)).toEqual({});
  await expect.poll(() => sizeOf(instance)).toBeLessThan(full / 2);
});

test("a turn takes less than 22 kB of the database, a receipt less than 4 kB", async () => {
  const instance = await startInstance({ script: () => say("word ".repeat(60)) });
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  const turn = async (n: number): Promise<void> => {
    await instance.send(threadId, `Tell me about stone ${n}.`);
    await live.ended(n);
  };
  for (let n = 1; n <= 20; n += 1) await turn(n);
  const measure = () => {
    const db = new Database(join(instance.dataDir, "stonechat.db"), { readonly: true });
    const bytes = (where: string) =>
      db.prepare<[], number>(`select coalesce(sum(pgsize), 0) from dbstat ${where}`).pluck().get() ?? 0;
    const sizes = { all: bytes(""), receipts: bytes("where name like '%receipts%'") };
    db.close();
    return sizes;
  };
  const before = measure();
  for (let n = 21; n <= 80; n += 1) await turn(n);
  const after = measure();
  expect((after.all - before.all) / 60).toBeLessThan(22_000);
  expect((after.receipts - before.receipts) / 60).toBeLessThan(4_000);
});

test("control: without these settings deleted text stays in the file", () => {
  const folder = mkdtempSync(join(tmpdir(), "stonechat-erased-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const db = new Database(join(folder, "plain.db"));
  db.pragma("secure_delete = off");
  db.exec("create table texts (id integer primary key, body text)");
  for (let n = 0; n < 50; n += 1) db.prepare("insert into texts (body) values (?)").run("labradorite ".repeat(100));
  db.exec("delete from texts");
  db.close();
  expect(countAll(grep(folder, ["labradorite"]))).toBeGreaterThan(1000);
});
