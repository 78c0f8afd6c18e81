import type { MessageView } from "../../protocol/fold.ts";
import { encodePostings } from "../../server/recall/ranking/postings.ts";
import { indexMessage, type IndexedDoc, type SessionStart } from "../../server/recall/ranking/docs.ts";
import { recallParameters } from "../../server/recall/ranking/parameters.ts";
import { BLOCK_DOCS, fromSessions, toBase64 } from "../../server/recall/blocks.ts";
import { toPassages } from "../../server/recall/message-passages.ts";
import { searchRecall, type RecalledPassage, type RecallReads, type VisibleText } from "../../server/recall/recall.ts";

/**
 * The product's recall over the rows that its index would have, held in memory: its own passages, postings, ranking and
 * filling; only the database is missing.
 */
export type ThreadRecall = {
  /** A message that will not change any more. */
  readonly add: (message: MessageView) => void;
  readonly search: (asked: RecallInput) => Promise<readonly RecalledPassage[]>;
};
export type RecallInput = {
  /** Messages deeper than this are in the prompt. */
  readonly cut: number;
  readonly query: string;
  readonly previous: string;
  readonly now: number;
  readonly shown: ReadonlySet<string>;
  readonly stands: readonly VisibleText[];
};

/** As the product asks for. */
export const RECALL = { budgetTokens: 1_200, leastShare: 0.5 };

const [thread, branch] = ["thread", "root"];

export function createThreadRecall(): ThreadRecall {
  const messages: MessageView[] = [];
  const places = new Map<string, { doc: number; count: number }[]>();
  const docs: IndexedDoc[] = [];
  const sessions: SessionStart[] = [];
  let lastAt = -Infinity;
  let blocks: Awaited<ReturnType<RecallReads["recallDocs"]>> | undefined;

  const read: RecallReads = {
    partsOf: async () => [],
    segments: async ({ upTo }) => [{ branch, parent: null, from: 0, to: Math.min(upTo, messages.at(-1)?.depth ?? 0) }],
    recallStates: async () => [{ thread, branch, version: 1, depth: messages.at(-1)?.depth ?? 0, docs: docs.length }],
    recallDocs: async () =>
      (blocks ??= listBlocks(docs.length).map((block) => ({
        branch,
        block,
        body: toBase64(toBytes(docs.slice(block * BLOCK_DOCS, (block + 1) * BLOCK_DOCS))),
        sessions: fromSessions(sessions.filter(({ doc }) => Math.floor(doc / BLOCK_DOCS) === block)),
      }))),
    recallPostings: async (_thread, terms) =>
      terms.flatMap((term) =>
        listBlocks(docs.length).flatMap((block) => {
          const own = (places.get(term) ?? []).filter(({ doc }) => Math.floor(doc / BLOCK_DOCS) === block);
          const body = toBase64(
            encodePostings(own.map(({ doc, count }) => ({ doc: doc - block * BLOCK_DOCS, count }))),
          );
          return own.length === 0 ? [] : [{ term, branch, block, count: own.length, body }];
        }),
      ),
    recallMessages: async () => [],
    recallTexts: async (_thread, _branch, depths) => {
      const wanted = new Set(depths);
      return messages
        .filter(({ depth }) => wanted.has(depth))
        .flatMap(({ id, depth, role, createdAt: at, parts }) =>
          parts.map((part) => ({ message: id, depth, role, at, n: part.n, v: 1, body: JSON.stringify(part) })),
        );
    },
    recallParts: async (_thread, ids) => {
      const wanted = new Set(ids);
      return messages
        .filter(({ id }) => wanted.has(id))
        .flatMap(({ id, parts }) =>
          parts.map((part) => ({ message: id, n: part.n, v: 1, kind: part.kind, body: JSON.stringify(part) })),
        );
    },
    recallArtifacts: async () => [],
  };

  return {
    add: (message) => {
      const at = message.createdAt;
      const last = sessions.at(-1);
      const first = docs.length;
      const isNew = at - lastAt >= recallParameters.sessionGapMs;
      if (!last || isNew || first - last.doc >= recallParameters.sessionPassages) sessions.push({ doc: first, at });
      [lastAt, blocks] = [at, undefined];
      messages.push(message);
      for (const one of indexMessage(toPassages(message.role, message.parts, []))) {
        for (const [term, count] of one.terms) {
          const known = places.get(term);
          if (known) known.push({ doc: docs.length, count });
          else places.set(term, [{ doc: docs.length, count }]);
        }
        docs.push(one);
      }
    },
    search: ({ cut, query, previous, now, shown }) =>
      searchRecall(read, {
        threadId: thread,
        branchId: branch,
        upTo: messages.at(-1)?.depth ?? 0,
        query,
        previous,
        now,
        ...RECALL,
        visible: { cut, messageIds: shown },
      }),
  };
}

const toBytes = (docs: readonly IndexedDoc[]): Uint8Array => Uint8Array.from(docs.flatMap(({ bytes }) => bytes));

const listBlocks = (count: number): readonly number[] =>
  Array.from({ length: Math.ceil(count / BLOCK_DOCS) }, (_, block) => block);
