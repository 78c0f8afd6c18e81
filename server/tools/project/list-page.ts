import type { Reads } from "../../store/contract.ts";

type Lists = Pick<Reads, "entityPage" | "entityTotal">;
export type Filter = Parameters<Reads["entityPage"]>[0];
type Sort = Parameters<Reads["entityPage"]>[1]["sort"];
type Row = Awaited<ReturnType<Reads["entityPage"]>>[number];

type PageRequest = {
  /** Each filter selects a list. The page is taken from all of them, merged by `sort`. */
  readonly filters: readonly Filter[];
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Only entities due before this; requires `sort: "due"`. */
  readonly before?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

export type ListPage = { readonly rows: readonly Row[]; readonly next?: string };

/** One page in order over all lists, and the cursor of the next. */
export async function listPage(
  read: Lists,
  { limit, cursor, before = Infinity, ...options }: PageRequest,
): Promise<ListPage> {
  const rows: Row[] = [];
  let after = readCursor(cursor);
  while (rows.length < limit) {
    const wanted = limit - rows.length;
    const found = await readFirst(read, options, after, wanted + 1);
    const some = found.slice(0, wanted);
    rows.push(...some.filter(({ ends_at: end }) => before === Infinity || (end ?? Infinity) < before));
    const last = some.at(-1);
    // Sorted by due date, nothing after a row that is not yet due can be overdue.
    const isMore = found.length > wanted && last && (before === Infinity || Number(last.key0) < before);
    if (!isMore) return { rows };
    after = [last.key0, last.key1, last.id];
  }
  return after ? { rows, next: toCursor(after) } : { rows };
}

type FirstOptions = Pick<PageRequest, "filters" | "sort" | "signal">;

/** The first rows of all lists together. */
async function readFirst(
  read: Lists,
  { filters, sort, signal }: FirstOptions,
  after: Keys | null,
  count: number,
): Promise<readonly Row[]> {
  let first: readonly Row[] = [];
  for (const filter of filters) {
    signal?.throwIfAborted();
    const page = await read.entityPage(filter, { sort, after, limit: count });
    first = [...first, ...page].toSorted(compareBy(sort)).slice(0, count);
  }
  return first;
}

const downward: ReadonlySet<Sort> = new Set(["updated", "priority"]);

/** The same order as the database. */
const compareBy = (sort: Sort) => (one: Row, other: Row) => {
  const way = downward.has(sort) ? -1 : 1;
  for (const key of ["key0", "key1", "id"] as const) {
    if (one[key] !== other[key]) return one[key] < other[key] ? -way : way;
  }
  return 0;
};

type Keys = readonly (string | number)[];

const toCursor = (after: Keys): string => Buffer.from(JSON.stringify(after)).toString("base64url");

function readCursor(cursor: string | undefined): Keys | null {
  if (cursor === undefined || cursor === "") return null;
  try {
    const after = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown;
    const isKey = (key: unknown): boolean => typeof key === "string" || typeof key === "number";
    if (Array.isArray(after) && after.length === 3 && after.every(isKey)) return after as Keys;
  } catch {
    // Handled below.
  }
  throw new Error("This cursor is invalid. Use `next` of the previous result.");
}
