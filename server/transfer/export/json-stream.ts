const PAGE = 100;

/** All rows in the order of their ids, read page by page. */
export async function* pagesOf<T extends { readonly id: string }>(
  read: (after: string, limit: number) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let after = ""; ;) {
    const rows = await read(after, PAGE);
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < PAGE || !last) return;
    after = last.id;
  }
}

/** Writes a JSON array item by item. */
export async function* writeList(items: AsyncIterable<unknown>): AsyncGenerator<string> {
  let isFirst = true;
  yield "[";
  for await (const item of items) {
    yield `${isFirst ? "" : ","}\n${JSON.stringify(item)}`;
    isFirst = false;
  }
  yield "]";
}
