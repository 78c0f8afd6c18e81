import {
  IMPORT_SOURCE,
  joinSources,
  readSources,
  writeSources,
  type Sources,
} from "../../../../protocol/context/untrusted.ts";
import type { Write } from "../../../store/contract.ts";
import type { ImportTarget } from "../../items.ts";
import type { PlainRow, TableRow } from "../../tables.ts";
import { hashId, isFields } from "../foreign.ts";

/** Columns with JSON in which ids occur. Texts are never changed. */
const jsonColumns: Readonly<Record<string, readonly string[]>> = {
  parts: ["body"],
  runs: ["body"],
  artifacts: ["meta"],
  epochs: ["body"],
  receipts: ["body"],
  agent_states: ["body"],
};
const idColumns: Readonly<Record<string, readonly string[]>> = {
  messages: ["run"],
  runs: ["id"],
  attachments: ["id"],
  artifacts: ["id"],
  pins: ["id"],
  epochs: ["id"],
  summaries: ["id", "merged_into"],
  summary_changes: ["id", "summary"],
  receipts: ["id"],
};
/** Kinds of parts that contain ids. */
const partsWithIds: ReadonlySet<unknown> = new Set(["file", "source", "context"]);

/**
 * Puts rows of an archive into a thread or project of this database: ids that must be unique are replaced in a copy, untrusted
 * sources are added, and columns that follow from the place are filled in.
 */
export function createMapper(place: ImportTarget, ids: ReadonlySet<string>) {
  const idOf = (id: string): string => (place.isCopy && ids.has(id) ? hashId(place.id, id) : id);
  const replace = (value: unknown): unknown => {
    if (typeof value === "string") return idOf(value);
    if (Array.isArray(value)) return value.map(replace);
    if (!isFields(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replace(inner)]));
  };
  const change = (row: PlainRow, column: string, to: (value: never) => unknown): PlainRow => ({
    ...row,
    [column]: JSON.stringify(to(JSON.parse(String(row[column])) as never)),
  });

  const withIds = (table: string, row: PlainRow): PlainRow => {
    if (!place.isCopy) return row;
    let next = row;
    for (const column of idColumns[table] ?? []) {
      const value = row[column];
      if (typeof value === "string") next = { ...next, [column]: idOf(value) };
    }
    if (table === "parts" && !partsWithIds.has(row["kind"])) return next;
    if (ids.size === 0) return next;
    for (const column of jsonColumns[table] ?? []) next = change(next, column, replace);
    return next;
  };
  const withSources = (table: string, row: PlainRow): PlainRow => {
    if (place.untrusted.length === 0) return row;
    if (typeof row["untrusted"] === "string")
      return { ...row, untrusted: writeSources(withImport(readSources(row["untrusted"]), place.untrusted)) };
    const isBody = table === "parts" || table === "epochs";
    return isBody ? change(row, "body", (body: { untrusted?: Sources }) => addSources(body, place.untrusted)) : row;
  };
  const withPlace = (table: string, row: PlainRow): PlainRow => {
    if (table !== "runs") return row;
    return change(row, "body", ({ view, ...state }: { view: object }) => ({
      view: { ...view, threadId: place.id },
      ...state,
      ownerId: place.owner,
    }));
  };
  return (table: string, row: PlainRow): TableRow => ({
    table,
    row: withPlace(table, withSources(table, withIds(table, row))),
  });
}

export const addSources = <T extends { readonly untrusted?: Sources }>(body: T, sources: Sources): T => ({
  ...body,
  untrusted: withImport(body.untrusted, sources),
});

/** One import is enough to be untrusted: a thread that travels over several servers comes back unchanged. */
const withImport = (known: Sources = [], sources: Sources): Sources =>
  known.some((source) => source.startsWith(IMPORT_SOURCE)) ? known : joinSources(known, sources);

/** Index rows, without the columns that follow from the place. */
export function* toDocs(writes: readonly Write[]): Generator<TableRow> {
  for (const write of writes) {
    if (write.do !== "put" || write.table !== "search_docs") continue;
    const { message, at, text, terms } = write.row;
    yield { table: "search_docs", row: { message, at, text, terms } as PlainRow };
  }
}
