import type { Reads } from "../../../store/contract.ts";

type Lists = Pick<Reads, "entityPage" | "entityTotal">;
export type Filter = Parameters<Reads["entityPage"]>[0];
type Sort = Parameters<Reads["entityPage"]>[1]["sort"];
type Row = Awaited<ReturnType<Reads["entityPage"]>>[number];

export type Asked = {
  /** Read one after the other: all that fits the first, then the second. */
  readonly filters: readonly Filter[];
  readonly sort: Sort;
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Only what should have ended before; `sort` is `due` then. */
  readonly before?: number | undefined;
};

export type Page = { readonly rows: readonly Row[]; readonly next?: string };

/** As many as fit the page, and where the next begins. */
export async function listPage(read: Lists, { filters, sort, limit, cursor, before = Infinity }: Asked): Promise<Page> {
  const rows: Row[] = [];
  let { at, after } = readCursor(cursor);
  for (let filter = filters[at]; filter; filter = filters[at]) {
    const wanted = limit - rows.length;
    const page = await read.entityPage(filter, { sort, after, limit: wanted + 1 });
    const seen = page.slice(0, wanted);
    rows.push(...seen.filter((row) => before === Infinity || (row.ends_at ?? Infinity) < before));
    const last = seen.at(-1);
    // By what is due, nothing that comes after one that is not due yet was due before.
    const isMore = last !== undefined && page.length > wanted && (before === Infinity || Number(last.key0) < before);
    [at, after] = isMore ? [at, [last.key0, last.key1, last.id]] : [at + 1, null];
    if (rows.length === limit) return filters[at] ? { rows, next: toCursor(at, after) } : { rows };
  }
  return { rows };
}

type Keys = readonly (string | number)[];

const toCursor = (at: number, after: Keys | null): string =>
  Buffer.from(JSON.stringify([at, after])).toString("base64url");

function readCursor(cursor: string | undefined): { readonly at: number; readonly after: Keys | null } {
  if (cursor === undefined || cursor === "") return { at: 0, after: null };
  try {
    const [at, after] = JSON.parse(Buffer.from(cursor, "base64url").toString()) as [unknown, unknown];
    const isKey = (key: unknown): boolean => typeof key === "string" || typeof key === "number";
    const isPlace = after === null || (Array.isArray(after) && after.length === 3 && after.every(isKey));
    if (Number.isInteger(at) && (at as number) >= 0 && isPlace)
      return { at: at as number, after: after as Keys | null };
  } catch {
    // Answered below.
  }
  throw new Error("This cursor is not one of an answer's `next`.");
}
