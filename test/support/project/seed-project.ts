import { findKind, isEnded } from "../../../protocol/project/kinds.ts";
import type { Store, Write } from "../../../server/store/contract.ts";
import type { RowOf } from "../../../server/store/schema.ts";
import { toTerms } from "../../../server/rank/terms.ts";
import { DAY_MS } from "../../../server/lib/clock.ts";

/** Project rows written directly to the store; a test sets only the fields it is about. */
export const toProjectRow = (
  row: Pick<RowOf<"projects">, "id" | "owner"> & Partial<RowOf<"projects">>,
): RowOf<"projects"> => ({
  name: "Harbour",
  description: "",
  instructions: "",
  archived: 0,
  version: 1,
  untrusted: "[]",
  seq: 1,
  created_at: 1,
  updated_at: 1,
  ...row,
});

export const toEntityRow = (
  row: Pick<RowOf<"entities">, "project" | "id" | "kind"> & Partial<RowOf<"entities">>,
): RowOf<"entities"> => {
  const state = row.state ?? findKind(row.kind)?.states[0] ?? "open";
  const title = row.title ?? `${row.kind} ${row.id}`;
  return {
    body: "",
    terms: toTerms(title).join(" "),
    ended: isEnded(row.kind, state) ? 1 : 0,
    priority: 0,
    starts_at: null,
    ends_at: null,
    parent: null,
    position: 1,
    version: 1,
    deleted: 0,
    created_at: 1,
    updated_at: 1,
    ...row,
    state,
    title,
  };
};

export const insert = <T extends "projects" | "entities" | "edges" | "acts" | "changes" | "files">(
  table: T,
  row: RowOf<T>,
): Write => ({ do: "insert", table, row }) as unknown as Write;

const AT_ONCE = 500;

export async function putRows(store: Store, writes: readonly Write[]): Promise<void> {
  for (let from = 0; from < writes.length; from += AT_ONCE) {
    const [result] = await store.commit([{ events: [], writes: writes.slice(from, from + AT_ONCE) }]);
    if (!result?.ok) throw new Error(`the rows were refused: ${result?.why}`);
  }
}

const words =
  "ferry harbour depth tide table berth crane rope quay pilot ship cargo review draft budget roof paint anchor chain lamp".split(
    " ",
  );
export const LARGE = { tasks: 5_000, documents: 2_000, edges: 20_000 };

/** Ids of the product's length, because they are most of a line's cost. */
export const toLongId = (word: string, n: number): string =>
  `0199f3a2-${word.slice(0, 4).padEnd(4, "0")}-7b3a-9f21-${n.toString(16).padStart(12, "0")}`;

export const toTaskId = (n: number): string => toLongId("7a51", n);
export const toDocumentId = (n: number): string => toLongId("d0c5", n);

/**
 * 5,000 tasks (every third done, ten of the others overdue), 2,000 documents in a tree, 20,000 edges, and some of every
 * other kind. Higher numbers were changed later.
 */
export function listLarge(project: string, now: number): readonly Write[] {
  const title = (n: number): string => `${pick(n)} ${pick(n * 7 + 3)} ${pick(n * 11 + 5)} number ${n}`;
  const entity = (row: Parameters<typeof toEntityRow>[0]): Write => insert("entities", toEntityRow(row));
  const touched = (n: number, of: number): number => now - (of - n) * 60_000 - 1_000;
  const tasks = Array.from({ length: LARGE.tasks }, (_, n) =>
    entity({
      project,
      id: toTaskId(n),
      kind: "task",
      title: title(n),
      state: n % 3 === 0 ? "done" : "open",
      priority: n % 5,
      ends_at: n % 500 === 1 ? now - (n + 1) * 3_600_000 : n % 2 === 0 ? now + (n + 30) * DAY_MS : null,
      updated_at: touched(n, LARGE.tasks),
    }),
  );
  const documents = Array.from({ length: LARGE.documents }, (_, n) =>
    entity({
      project,
      id: toDocumentId(n),
      kind: "document",
      title: title(n + 3),
      parent: n < 20 ? null : toDocumentId(Math.floor(n / 20) - 1),
      position: n,
      updated_at: touched(n, LARGE.documents),
    }),
  );
  const others = ["goal", "milestone", "plan", "event", "risk"].flatMap((kind) =>
    Array.from({ length: 40 }, (_, n) =>
      entity({
        project,
        id: toLongId(kind, n),
        kind,
        title: `${kind} of ${title(n)}`,
        starts_at: kind === "event" ? now + (n - 15) * DAY_MS : null,
        ends_at: kind === "event" ? now + (n - 15) * DAY_MS + 3_600_000 : null,
        updated_at: touched(n, 40),
      }),
    ),
  );
  const edges = Array.from({ length: LARGE.edges }, (_, n) =>
    insert("edges", {
      project,
      source: n < LARGE.documents ? toTaskId(7) : toTaskId(n % LARGE.tasks),
      relation: ["relates-to", "blocks", "supports"][n % 3] ?? "",
      target: n < LARGE.documents ? toDocumentId(n) : toTaskId((n + 1 + 7 * Math.floor(n / LARGE.tasks)) % LARGE.tasks),
      hidden: 0,
      created_at: 1,
    }),
  );
  return [...tasks, ...documents, ...others, ...edges];
}

const pick = (n: number): string => words[n % words.length] ?? "";

type ChangedRow = Pick<RowOf<"changes">, "what" | "target" | "title"> & {
  readonly before?: object | null;
  readonly after?: object | null;
};

/** An act with its changes and the project's new seq; the test writes the rows that it refers to. */
export const listAct = (
  project: string,
  seq: number,
  changes: readonly ChangedRow[],
  act: Partial<RowOf<"acts">> = {},
): readonly Write[] => [
  { do: "update", table: "projects", set: { seq }, where: { id: project } },
  insert("acts", {
    project,
    id: `act-${seq}`,
    untrusted: "[]",
    hash: "",
    seq,
    author: "person",
    thread: null,
    run: null,
    text: `Act ${seq}`,
    undone: 0,
    undoes: null,
    created_at: seq,
    ...act,
  }),
  ...changes.map(({ what, target, title, before = null, after = null }, n) =>
    insert("changes", {
      project,
      act: act.id ?? `act-${seq}`,
      n,
      seq,
      what,
      target,
      title,
      before: before && JSON.stringify(before),
      after: after && JSON.stringify(after),
    }),
  ),
];
