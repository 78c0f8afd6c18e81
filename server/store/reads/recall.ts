import { sql, type Kysely, type RawBuilder } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import { createAskEach, toCompilableWith, toTexts, type Ask, type Values } from "./cached-queries.ts";

/** A part with its message's fields. */
type TextRow = Pick<RowOf<"messages">, "depth" | "role"> &
  Pick<RowOf<"parts">, "message" | "n" | "v" | "body"> & { readonly at: number };

type PostingRow = Omit<RowOf<"recall_postings">, "thread">;
type PartRow = Pick<RowOf<"parts">, "message" | "n" | "v" | "kind" | "body">;
type KeptRow = Pick<RowOf<"artifacts">, "message" | "ref" | "title" | "kind" | "body">;
type BlockPlace = { readonly thread: string; readonly branch: string; readonly block: number };

/** The recall index and the source of its passages. Items of a list are looked up one by one. */
export const readRecall = (db: Kysely<Tables>, ask: Ask) => {
  const askEach = createAskEach(ask);
  const toCompilable = toCompilableWith(db);
  return {
    recallStates: (thread: string, branches: readonly string[]): Promise<readonly RowOf<"recall_states">[]> =>
      askEach("recallStates", branches, [thread], (list, [thread]) =>
        toCompilable(sql<RowOf<"recall_states">>`
          select s.thread, s.branch, s.version, s.depth, s.docs from ${toTexts(list)} as w
            left join recall_states s on s.thread = ${thread} and s.branch = w.column1 order by s.branch`),
      ),

    /** Three bytes per passage of these branches, ordered by block. */
    recallDocs: (
      thread: string,
      branches: readonly string[],
    ): Promise<readonly Omit<RowOf<"recall_docs">, "thread">[]> =>
      askEach("recallDocs", branches, [thread], (list, [thread]) =>
        toCompilable(sql<Omit<RowOf<"recall_docs">, "thread">>`
          select d.branch, d.block, d.body, d.sessions from ${toTexts(list)} as w
            left join recall_docs d on d.thread = ${thread} and d.branch = w.column1 order by d.branch, d.block`),
      ),

    /** One block of passages of a branch. */
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
     * Positions of these terms in all branches, ordered by block. For a block in which more than `densest` passages contain a
     * term, only the count is returned, because a very common word has little weight and long postings.
     */
    recallPostings: (thread: string, terms: readonly string[], densest: number): Promise<readonly PostingRow[]> =>
      askEach("recallPostings", terms, [thread, densest], (list, [thread, densest]) =>
        toCompilable(sql<PostingRow>`
          select p.term, p.branch, p.block, p.count,
              case when p.count > cast(${densest} as bigint) then '' else p.body end as body
            from ${toTexts(list)} as w
            left join recall_postings p on p.thread = ${thread} and p.term = w.column1 order by p.term, p.branch, p.block`),
      ),

    /** Positions of these terms in one block of a branch. */
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

    /** Messages of a branch after a depth, in order. */
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

    /** Messages of a branch at these depths with their parts, in order. */
    recallTexts: (thread: string, branch: string, depths: readonly number[]): Promise<readonly TextRow[]> =>
      askEach("recallTexts", depths, [thread, branch], (list, [thread, branch]) =>
        toCompilable(sql<TextRow>`
          select m.id as message, m.depth, m.role, m.created_at as at, p.n, p.v, p.body from ${toNumbers(list)} as w
            left join messages m on m.thread = ${thread} and m.branch = ${branch} and m.depth = w.column1
            left join parts p on p.thread = ${thread} and p.message = m.id order by m.depth, p.n`),
      ),

    /** Parts of these messages, in order. */
    recallParts: (thread: string, messages: readonly string[]): Promise<readonly PartRow[]> =>
      askEach("recallParts", messages, [thread], (list, [thread]) =>
        toCompilable(sql<PartRow>`
          select p.message, p.n, p.v, p.kind, p.body from ${toTexts(list)} as w
            left join parts p on p.thread = ${thread} and p.message = w.column1 order by p.message, p.n`),
      ),

    /** Artifacts of these messages, ordered by ref within each message. */
    recallArtifacts: (thread: string, messages: readonly string[]): Promise<readonly KeptRow[]> =>
      askEach("recallArtifacts", messages, [thread], (list, [thread]) =>
        toCompilable(sql<KeptRow>`
          select a.message, a.ref, a.title, a.kind, a.body from ${toTexts(list)} as w
            left join artifacts a on a.thread = ${thread} and a.message = w.column1 order by a.message, a.ref`),
      ),
  };
};

const toNumbers = (list: Values): RawBuilder<unknown> =>
  sql`(values ${sql.join(list.map((one) => sql`(cast(${one} as integer))`))})`;
