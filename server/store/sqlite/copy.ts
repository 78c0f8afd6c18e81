import { existsSync, statSync } from "node:fs";
import { listTables, type TableLayout } from "../copy/layout.ts";
import {
  BATCH_BYTES,
  BATCH_ROWS,
  sizeOf,
  toExpression,
  toRowsOf,
  type Row,
  type RowSource,
  type RowTarget,
} from "../copy/rows.ts";
import { refuseUnfinished, toOtherSource, UNFINISHED } from "../copy/unfinished.ts";
import { compress, decompressText } from "../compress.ts";
import { migrations } from "../migrations/migrations.ts";
import { toStorable } from "../write-sql.ts";
import { openConnection, type Connection } from "./connection.ts";
import { secureSearch } from "./file/compact.ts";
import { toSqliteError, toStartupFailure } from "./file/failure.ts";
import { takeLock } from "./file/lock.ts";
import { protectFiles } from "./file/protect.ts";
import { readJournal } from "./journal.ts";
import { applySteps, ensureMeta, readMeta, readVersion, writeMeta } from "./migrate.ts";

type SourceOptions = {
  readonly file: string;
  /** No server may use the file until it is closed. */
  readonly isExclusive: boolean;
};

/** The file as of now: a read transaction, which a running server does not notice except that its WAL grows until the end. */
export function openSqliteSource({ file, isExclusive }: SourceOptions): RowSource {
  if (!existsSync(file) || statSync(file).size === 0)
    throw new Error(`No database found at ${file}. Set STONECHAT_DATA to its folder.`);
  const lock = isExclusive ? takeLock(file, "Stop it first.") : undefined;
  let db: Connection | undefined;
  try {
    db = openConnection({ file, readonly: true });
    db.exec("begin");
    refuseUnfinished(readMeta(db, UNFINISHED), file);
    const version = readVersion(db);
    const tables = listTables(version);
    if (version > 1) stageJournal(db);
    return { ...toReads(db), ...{ kind: "sqlite", version, tables }, close: closeOf(db, lock) };
  } catch (error) {
    db?.close();
    lock?.release();
    throw toStartupFailure(error, file);
  }
}

type TargetOptions = {
  readonly file: string;
  readonly version: number;
  /** Names the source. A target with the same mark is continued, any other content is refused. */
  readonly mark: string;
};

export function openSqliteTarget({ file, version, mark }: TargetOptions): RowTarget {
  protectFiles(file, () => {});
  const lock = takeLock(file, "Choose another folder.");
  let db: Connection | undefined;
  try {
    db = openConnection({ file });
    prepareTarget(db, { file, version, mark });
    const target = db;
    stageJournal(target);
    return {
      stored: toReads(target),
      add: async (table, rows) => {
        try {
          addRows(target, table, rows);
        } catch (error) {
          throw toSqliteError(error, file);
        }
      },
      finish: async () => {
        applySteps(target, migrations);
        secureSearch(target);
        target.transaction(() => {
          target.prepare("delete from meta where key = ?").run(UNFINISHED);
          writeMeta(target, "stopped", "clean");
        })();
      },
      close: closeOf(target, lock),
    };
  } catch (error) {
    db?.close();
    lock.release();
    throw toStartupFailure(error, file);
  }
}

function prepareTarget(db: Connection, { file, version, mark }: TargetOptions): void {
  const isEmpty = db.prepare("select 1 from sqlite_schema").get() === undefined;
  const found = isEmpty ? mark : readMeta(db, UNFINISHED);
  if (found !== undefined && found !== mark) throw toOtherSource(file);
  if (found !== mark)
    throw new Error(`${file} exists and is not empty. Nothing is overwritten: choose an empty folder.`);
  db.transaction(() => {
    ensureMeta(db);
    writeMeta(db, UNFINISHED, mark);
  })();
  applySteps(db, migrations.slice(0, version));
}

const closeOf = (db: Connection, lock: ReturnType<typeof takeLock> | undefined) => async (): Promise<void> => {
  db.close();
  lock?.release();
};

/** Deltas that the journal has are rows of `events`, as after a start. They are copied to a temporary table outside the file. */
function stageJournal(db: Connection): void {
  db.exec(`create temp table journal_events (stream text not null, seq bigint not null, body text not null,
    primary key (stream, seq)) without rowid`);
  const insert = db.prepare(`insert or ignore into journal_events select @stream, @seq, @body
    where not exists (select 1 from events where stream = @stream and seq = @seq)`);
  for (const [stream, deltas] of readJournal(db)) {
    for (const { seq, body } of deltas) insert.run({ stream, seq, body });
  }
}

const withJournal: Partial<Record<TableLayout["name"], string>> = {
  events: `(select stream, seq, transient, body, message, n from main.events
    union all select stream, seq, 1, body, null, null from temp.journal_events)`,
};

function toSelect({ name, columns, order }: TableLayout): string {
  const head = `max("head", coalesce((select max(seq) from temp.journal_events where stream = streams.id), 0))`;
  const expressions = columns.map((column) =>
    name === "streams" && column === "head" ? head : toExpression(name, column),
  );
  const sorted = order.map((column) => `"${column}"`).join(", ");
  return `select ${expressions.join(", ")} from ${withJournal[name] ?? toRowsOf(name)} order by ${sorted} limit -1 offset ?`;
}

function toReads(db: Connection): Pick<RowSource, "count" | "read"> {
  return {
    count: async ({ name }) =>
      Number(
        db
          .prepare(`select count(*) from ${withJournal[name] ?? toRowsOf(name)}`)
          .pluck()
          .get(),
      ),
    read: async function* (table, skip = 0) {
      let [batch, bytes]: [Row[], number] = [[], 0];
      const compressed = table.name === "receipts" ? table.columns.indexOf("body") : -1;
      for (const stored of db.prepare<[number], Row>(toSelect(table)).raw().iterate(skip)) {
        const row = stored.map((value, index) => {
          if (typeof value === "string") return toStorable(value);
          return index === compressed && value instanceof Uint8Array ? decompressText(value) : value;
        });
        batch.push(row);
        bytes += sizeOf(row);
        if (bytes < BATCH_BYTES && batch.length < BATCH_ROWS) continue;
        yield batch;
        [batch, bytes] = [[], 0];
      }
      if (batch.length > 0) yield batch;
    },
  };
}

function addRows(db: Connection, { name, columns }: TableLayout, rows: readonly Row[]): void {
  const names = columns.map((column) => `"${column}"`).join(", ");
  const insert = db.prepare(`insert into ${name} (${names}) values (${columns.map(() => "?").join(", ")})`);
  const compressed = name === "receipts" ? columns.indexOf("body") : -1;
  db.transaction(() => {
    for (const row of rows)
      insert.run(
        row.map((value, index) => (index === compressed && typeof value === "string" ? compress(value) : value)),
      );
  }).immediate();
}
