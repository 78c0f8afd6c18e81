const PAGE = 100;

/** Rows by their id, a page at a time. */
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

/** A JSON list whose members come one by one. */
export async function* writeList(members: AsyncIterable<unknown>): AsyncGenerator<string> {
  let isFirst = true;
  yield "[";
  for await (const member of members) {
    yield `${isFirst ? "" : ","}\n${JSON.stringify(member)}`;
    isFirst = false;
  }
  yield "]";
}
