import { sql, type Kysely } from "kysely";
import type { RowOf, Tables } from "../schema.ts";
import type { Ask } from "./shapes.ts";

/** A part with what is told of its message. */
export type TextRow = Pick<RowOf<"messages">, "depth" | "role"> &
  Pick<RowOf<"parts">, "message" | "n" | "v" | "body"> & { readonly at: number };

/** Lists of any length go to few statements: a list is filled up with its last member to the next power of two. */
const SMALLEST = 4;

/** The recall index, and what its passages are made from. */
export const readRecall = (db: Kysely<Tables>, ask: Ask) => ({
  recallStates: async (thread: string, branches: readonly string[]): Promise<readonly RowOf<"recall_states">[]> => {
    if (branches.length === 0) return [];
    const filled = fillUp(branches);
    return ask(`recallStates ${filled.length}`, [thread, ...filled], ([thread, ...branches]) =>
      db
        .selectFrom("recall_states")
        .selectAll()
        .where("thread", "=", thread)
        .where("branch", "in", branches)
        .orderBy("branch"),
    );
  },

  /** Three bytes for each passage of these branches, in order of block. */
  recallDocs: async (
    thread: string,
    branches: readonly string[],
  ): Promise<readonly Omit<RowOf<"recall_docs">, "thread">[]> => {
    if (branches.length === 0) return [];
    const filled = fillUp(branches);
    return ask(`recallDocs ${filled.length}`, [thread, ...filled], ([thread, ...branches]) =>
      db
        .selectFrom("recall_docs")
        .select(["branch", "block", "body", "sessions"])
        .where("thread", "=", thread)
        .where("branch", "in", branches)
        .orderBy("branch")
        .orderBy("block"),
    );
  },

  /** One block of a branch's passages. */
  recallDocBlock: async (thread: string, branch: string, block: number): Promise<RowOf<"recall_docs"> | undefined> => {
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
   * The places of these terms in every branch, in order of block. Of a block where more than `densest` passages have a term only
   * their count is told: a word that is everywhere tells little and weighs much.
   */
  recallPostings: async (
    thread: string,
    terms: readonly string[],
    densest: number,
  ): Promise<readonly Omit<RowOf<"recall_postings">, "thread">[]> => {
    if (terms.length === 0) return [];
    const filled = fillUp(terms);
    return ask(`recallPostings ${filled.length}`, [thread, densest, ...filled], ([thread, densest, ...terms]) =>
      db
        .selectFrom("recall_postings")
        .select(["term", "branch", "block", "count"])
        .select(sql<string>`case when count > cast(${densest} as bigint) then '' else body end`.as("body"))
        .where("thread", "=", thread)
        .where("term", "in", terms)
        .orderBy("term")
        .orderBy("branch")
        .orderBy("block"),
    );
  },

  /** The places of these terms in one block of a branch. */
  recallBlock: async (
    { thread, branch, block }: { readonly thread: string; readonly branch: string; readonly block: number },
    terms: readonly string[],
  ): Promise<readonly Pick<RowOf<"recall_postings">, "term" | "body">[]> => {
    if (terms.length === 0) return [];
    const filled = fillUp(terms);
    const values = [thread, branch, block, ...filled] as const;
    return ask(`recallBlock ${filled.length}`, values, ([thread, branch, block, ...terms]) =>
      db
        .selectFrom("recall_postings")
        .select(["term", "body"])
        .where("thread", "=", thread)
        .where("branch", "=", branch)
        .where("block", "=", block)
        .where("term", "in", terms),
    );
  },

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
  recallTexts: async (thread: string, branch: string, depths: readonly number[]): Promise<readonly TextRow[]> => {
    if (depths.length === 0) return [];
    const filled = fillUp(depths);
    return ask(`recallTexts ${filled.length}`, [thread, branch, ...filled], ([thread, branch, ...depths]) =>
      db
        .selectFrom("messages as m")
        .innerJoin("parts as p", (join) => join.onRef("p.thread", "=", "m.thread").onRef("p.message", "=", "m.id"))
        .select(["m.id as message", "m.depth", "m.role", "m.created_at as at", "p.n", "p.v", "p.body"])
        .where("m.thread", "=", thread)
        .where("m.branch", "=", branch)
        .where("m.depth", "in", depths)
        .orderBy("m.depth")
        .orderBy("p.n"),
    );
  },

  /** Their parts that can be recalled, in order. */
  recallParts: async (
    thread: string,
    messages: readonly string[],
  ): Promise<readonly Pick<RowOf<"parts">, "message" | "n" | "v" | "kind" | "body">[]> => {
    if (messages.length === 0) return [];
    const filled = fillUp(messages);
    return ask(`recallParts ${filled.length}`, [thread, ...filled], ([thread, ...messages]) =>
      db
        .selectFrom("parts")
        .select(["message", "n", "v", "kind", "body"])
        .where("thread", "=", thread)
        .where("message", "in", messages)
        .orderBy("message")
        .orderBy("n"),
    );
  },

  /** The texts that were kept with these messages, in order of their numbers within each. */
  recallArtifacts: async (
    thread: string,
    messages: readonly string[],
  ): Promise<readonly Pick<RowOf<"artifacts">, "message" | "ref" | "title" | "kind" | "body">[]> => {
    if (messages.length === 0) return [];
    const filled = fillUp(messages);
    return ask(`recallArtifacts ${filled.length}`, [thread, ...filled], ([thread, ...messages]) =>
      db
        .selectFrom("artifacts")
        .select(["message", "ref", "title", "kind", "body"])
        .where("thread", "=", thread)
        .where("message", "in", messages)
        .orderBy("message")
        .orderBy("ref"),
    );
  },
});

function fillUp<T>(list: readonly T[]): readonly T[] {
  let size = SMALLEST;
  while (size < list.length) size *= 2;
  const last = list[list.length - 1] as T;
  return [...list, ...Array.from({ length: size - list.length }, () => last)];
}
