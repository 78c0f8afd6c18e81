import Database from "better-sqlite3";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { findPostgres } from "../../../test/support/postgres-binaries.ts";
import { createEmptyDatabase } from "../../../test/support/postgres.ts";
import { attachmentPieces } from "./0013-attachment-pieces.ts";
import { migrations } from "./migrations.ts";

const before = migrations.slice(0, migrations.indexOf(attachmentPieces));
/** Longer than two pieces. */
const body = Buffer.alloc(2_000_001, "granite and basalt").toString("base64");
const rows = [
  "insert into users (id, created_at) values ('u', 1)",
  `insert into attachment_blobs (owner, hash, body) values ('u', 'long', '${body}')`,
  "insert into attachment_blobs (owner, hash, body) values ('u', 'short', 'YQ==')",
  ...["a", "b", "c"].map(
    (id, n) =>
      `insert into attachments (owner, id, thread, sent, hash, name, media_type, kind, size_bytes, created_at, text)
         values ('u', '${id}', 't', ${id === "c" ? 1 : 0}, '${n === 0 ? "long" : "short"}', 'x', 'text/plain', 'text', 1, 1, 'x')`,
  ),
];
const pieces = "select n, body from attachment_pieces where hash = 'long' order by n";
const slots = "select id, slot from attachments order by id";

const check = (found: readonly { n: number; body: string }[], slotted: readonly object[]): void => {
  expect(found.map(({ n, body: piece }) => [n, piece.length])).toEqual([
    [0, 1_048_576],
    [1, 1_048_576],
    [2, body.length - 2 * 1_048_576],
  ]);
  expect(found.map(({ body: piece }) => piece).join("") === body).toBe(true);
  expect(slotted).toEqual([
    { id: "a", slot: 0 },
    { id: "b", slot: 1 },
    { id: "c", slot: null },
  ]);
};

test("splits contents into pieces without loss and gives unsent files a slot, on SQLite", () => {
  const db = new Database(":memory:");
  onTestFinished(() => void db.close());
  for (const sql of [...before.flatMap(({ sqlite }) => sqlite), ...rows, ...attachmentPieces.sqlite]) db.exec(sql);
  check(db.prepare(pieces).all() as never, db.prepare(slots).all() as never);
});

test.skipIf(!findPostgres())(
  "splits contents into pieces without loss and gives unsent files a slot, on PostgreSQL",
  async () => {
    const client = new pg.Client({ connectionString: await createEmptyDatabase() });
    await client.connect();
    onTestFinished(() => client.end());
    for (const sql of [...before.flatMap(({ postgres }) => postgres), ...rows, ...attachmentPieces.postgres])
      await client.query(sql);
    check((await client.query(pieces)).rows, (await client.query(slots)).rows);
  },
);
