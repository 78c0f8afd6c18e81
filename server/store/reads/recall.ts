import { sql, type Compilable, type Kysely, type RawBuilder } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { Ask } from "./shapes.ts";

/** A part with what is told of its message. */
export type TextRow = Pick<RowOf<"messages">, "depth" | "role"> &
  Pick<RowOf<"parts">, "message" | "n" | "v" | "body"> & { readonly at: number };

export type PostingRow = Omit<RowOf<"recall_postings">, "thread">;
type PartRow = Pick<RowOf<"parts">, "message" | "n" | "v" | "kind" | "body">;
type KeptRow = Pick<RowOf<"artifacts">, "message" | "ref" | "title" | "kind" | "body">;
type BlockPlace = { readonly thread: string; readonly branch: string; readonly block: number };

/** The recall index, and what its passages are made from. Each member of a list is looked up by itself. */
export const readRecall = (db: Kysely<Tables>, ask: Ask) => {
  const askEach = createAskEach(ask);
  const toCompilable = <R>(query: RawBuilder<R>): Compilable<R> => ({ compile: () => query.compile(db) });
  return {
    recallStates: (thread: string, branches: readonly string[]): Promise<readonly RowOf<"recall_states">[]> =>
      askEach("recallStates", branches, [thread], (list, [thread]) =>
        toCompilable(sql<RowOf<"recall_states">>`
          select s.thread, s.branch, s.version, s.depth, s.docs from ${toTexts(list)} as w
            left join recall_states s on s.thread = ${thread} and s.branch = w.column1 order by s.branch`),
      ),

    /** Three bytes for each passage of these branches, in order of block. */
    recallDocs: (
      thread: string,
      branches: readonly string[],
    ): Promise<readonly Omit<RowOf<"recall_docs">, "thread">[]> =>
      askEach("recallDocs", branches, [thread], (list, [thread]) =>
        toCompilable(sql<Omit<RowOf<"recall_docs">, "thread">>`
          select d.branch, d.block, d.body, d.sessions from ${toTexts(list)} as w
            left join recall_docs d on d.thread = ${thread} and d.branch = w.column1 order by d.branch, d.block`),
      ),

    /** One block of a branch's passages. */
    recallDocBlock: async (
      thread: string,
      branch: string,
      block: number,
    ): Promise<RowOf<"recall_docs"> | undefined> => {
      const [row] = await ask("recallDocBlock", [thread, branch, block], ([thread, branch, block]) =>
        db
          .selectFrom("recall_docs")
          .selectAll()
          .where("thread", "=", thread)
          .where("branch", "=", branch)
          .where("block", "=", block),
      );
      return row;
    },

    /**
     * The places of these terms in every branch, in order of block. Of a block where more than `densest` passages have a term
     * only their count is told: a word that is everywhere tells little and weighs much.
     */
    recallPostings: (thread: string, terms: readonly string[], densest: number): Promise<readonly PostingRow[]> =>
      askEach("recallPostings", terms, [thread, densest], (list, [thread, densest]) =>
        toCompilable(sql<PostingRow>`
          select p.term, p.branch, p.block, p.count,
              case when p.count > cast(${densest} as bigint) then '' else p.body end as body
            from ${toTexts(list)} as w
            left join recall_postings p on p.thread = ${thread} and p.term = w.column1 order by p.term, p.branch, p.block`),
      ),

    /** The places of these terms in one block of a branch. */
    recallBlock: (
      { thread, branch, block }: BlockPlace,
      terms: readonly string[],
    ): Promise<readonly Pick<PostingRow, "term" | "body">[]> =>
      askEach("recallBlock", terms, [thread, branch, block], (list, [thread, branch, block]) =>
        toCompilable(sql<Pick<PostingRow, "term" | "body">>`
          select p.term, p.body from ${toTexts(list)} as w
            left join recall_postings p on p.thread = ${thread} and p.term = w.column1 and p.branch = ${branch}
              and p.block = ${block}`),
      ),

    /** Messages of a branch above a depth, in order. */
    recallMessages: (
      { thread, branch, above, upTo }: { thread: string; branch: string; above: number; upTo: number },
      limit: number,
    ): Promise<readonly RowOf<"messages">[]> =>
      ask("recallMessages", [thread, branch, above, upTo, limit], ([thread, branch, above, upTo, limit]) =>
        db
          .selectFrom("messages")
          .selectAll()
          .where("thread", "=", thread)
          .where("branch", "=", branch)
          .where("depth", ">", above)
          .where("depth", "<=", upTo)
          .orderBy("depth")
          .limit(limit),
      ),

    /** The messages of a branch at these depths with their parts, in order. */
    recallTexts: (thread: string, branch: string, depths: readonly number[]): Promise<readonly TextRow[]> =>
      askEach("recallTexts", depths, [thread, branch], (list, [thread, branch]) =>
        toCompilable(sql<TextRow>`
          select m.id as message, m.depth, m.role, m.created_at as at, p.n, p.v, p.body from ${toNumbers(list)} as w
            left join messages m on m.thread = ${thread} and m.branch = ${branch} and m.depth = w.column1
            left join parts p on p.thread = ${thread} and p.message = m.id order by m.depth, p.n`),
      ),

    /** The parts of these messages, in order. */
    recallParts: (thread: string, messages: readonly string[]): Promise<readonly PartRow[]> =>
      askEach("recallParts", messages, [thread], (list, [thread]) =>
        toCompilable(sql<PartRow>`
          select p.message, p.n, p.v, p.kind, p.body from ${toTexts(list)} as w
            left join parts p on p.thread = ${thread} and p.message = w.column1 order by p.message, p.n`),
      ),

    /** The texts that were kept with these messages, in order of their numbers within each. */
    recallArtifacts: (thread: string, messages: readonly string[]): Promise<readonly KeptRow[]> =>
      askEach("recallArtifacts", messages, [thread], (list, [thread]) =>
        toCompilable(sql<KeptRow>`
          select a.message, a.ref, a.title, a.kind, a.body from ${toTexts(list)} as w
            left join artifacts a on a.thread = ${thread} and a.message = w.column1 order by a.message, a.ref`),
      ),
  };
};

type Values = readonly (string | number)[];

/** Lists of any length go to few statements: each is filled up to a power of two with what nothing is called. */
const createAskEach =
  (ask: Ask) =>
  async <R, const V extends Values>(
    name: string,
    list: Values,
    values: V,
    build: (list: Values, values: V) => Compilable<R>,
  ): Promise<readonly R[]> => {
    if (list.length === 0) return [];
    let size = 4;
    while (size < list.length) size *= 2;
    const none = typeof list[0] === "number" ? -1 : "";
    const filled = [...list, ...Array.from({ length: size - list.length }, () => none)];
    const rows = await ask(`${name} ${size}`, [...values, ...filled], (slots) =>
      build(slots.slice(values.length), slots.slice(0, values.length) as unknown as V),
    );
    // Said in SQL, it would let SQLite turn the join round.
    return rows.filter((row) => !Object.values(row as object).includes(null));
  };

/**
 * A list as a table, to be joined from the left: so both databases look up one member after the other by key. Given `in`, a
 * planner that has not counted yet, or a long list, reads the whole thread instead.
 */
const toTexts = (list: Values): RawBuilder<unknown> =>
  sql`(values ${sql.join(list.map((one) => sql`(cast(${one} as text))`))})`;
const toNumbers = (list: Values): RawBuilder<unknown> =>
  sql`(values ${sql.join(list.map((one) => sql`(cast(${one} as integer))`))})`;
