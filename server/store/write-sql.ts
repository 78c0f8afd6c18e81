import { closeSync, openSync, readSync } from "node:fs";
import type { FilePiece, SeqOf, Write } from "./contract.ts";
import { keys } from "./schema.ts";

type Statement = { readonly sql: string; readonly parameters: readonly unknown[]; readonly expectOne: boolean };

/** A write as SQL with `?` placeholders. Table and column names come from code, never from user input. */
export function toStatement(write: Write, seqs: readonly number[]): Statement {
  const fill = (value: unknown): unknown =>
    isSeqOf(value) ? seqs[value.seqOf] : typeof value === "string" ? toStorable(value) : value;
  switch (write.do) {
    case "insert":
    case "put": {
      const columns = Object.keys(write.row);
      const marks = columns.map(() => "?").join(", ");
      const insert = `insert into ${write.table} (${columns.join(", ")}) values (${marks})`;
      const parameters = Object.values(write.row).map(fill);
      return {
        sql: insert + (write.do === "put" ? onConflict(write.table, columns) : write.ifAbsent ? IF_ABSENT : ""),
        parameters,
        expectOne: false,
      };
    }
    case "update": {
      const set = Object.keys(write.set).map((column) => `${column} = ?`);
      const { sql, parameters } = toWhere(write.where);
      return {
        sql: `update ${write.table} set ${set.join(", ")}${sql}`,
        parameters: [...Object.values(write.set).map(fill), ...parameters],
        expectOne: write.expectOne === true,
      };
    }
    case "delete": {
      const { sql, parameters } = toWhere(write.where);
      return { sql: `delete from ${write.table}${sql}`, parameters, expectOne: false };
    }
  }
}

function toCondition(column: string, value: unknown): string {
  if (value === null) return `${column} is null`;
  return isGreater(value) ? `${column} > ?` : `${column} = ?`;
}

/** PostgreSQL text cannot contain NUL or lone surrogates, so both databases store U+FFFD instead. */
export function toStorable(text: string): string {
  const whole = text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\uFFFD") : whole;
}

const IF_ABSENT = " on conflict do nothing";

function onConflict(table: Write["table"], columns: readonly string[]): string {
  const key: readonly string[] = keys[table];
  const rest = columns.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`);
  return ` on conflict (${key.join(", ")}) do ${rest.length ? `update set ${rest.join(", ")}` : "nothing"}`;
}

function toWhere(where: object): { sql: string; parameters: unknown[] } {
  const entries = Object.entries(where);
  if (entries.length === 0) throw new Error("A write without a condition would change every row.");
  const sql = entries.map(([column, value]) => toCondition(column, value)).join(" and ");
  const values = entries.flatMap(([, value]) => (value === null ? [] : [value]));
  return { sql: ` where ${sql}`, parameters: values.map((value) => (isGreater(value) ? value.gt : value)) };
}

export const isFilePiece = (value: unknown): value is FilePiece =>
  typeof value === "object" && value !== null && "file" in value;

/** Replaces references to file pieces with their content. */
export const readPieces = (parameters: readonly unknown[]): unknown[] =>
  parameters.map((value) => (isFilePiece(value) ? readPiece(value) : value));

function readPiece({ file, from, lengthBytes }: FilePiece): string {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.allocUnsafe(lengthBytes);
    const read = readSync(descriptor, bytes, 0, lengthBytes, from);
    if (read !== lengthBytes) throw new Error(`The file to store ended early, after ${from + read} bytes.`);
    return bytes.toString("base64");
  } finally {
    closeSync(descriptor);
  }
}

const isSeqOf = (value: unknown): value is SeqOf => typeof value === "object" && value !== null && "seqOf" in value;
const isGreater = (value: unknown): value is { gt: number } =>
  typeof value === "object" && value !== null && "gt" in value;
