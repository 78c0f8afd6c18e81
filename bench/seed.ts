import { threadStream } from "../protocol/ids.ts";
import type { LogEvent } from "../protocol/events.ts";
import type { Part } from "../protocol/parts.ts";
import { countTokens } from "../server/lib/tokens.ts";
import { systemClock } from "../server/lib/clock.ts";
import { createLog, type LogBatch } from "../server/log/log.ts";
import { openStore } from "../server/store/open.ts";
import type { RowOf } from "../server/store/schema.ts";
import { indexMessage } from "../server/thread/search-docs.ts";
import type { Place } from "./arena.ts";
import { toWord } from "./load/script.ts";

const AT_ONCE = 500;
const WORDS = 40;

/** Threads of these lengths, with all rows of a real thread: messages, parts, events and search documents. */
export async function seedThreads(place: Place, lengths: readonly number[]): Promise<readonly string[]> {
  const store = await openStore({ directory: place.directory, databaseUrl: place.databaseUrl || null });
  const log = createLog({
    store,
    clock: systemClock,
    onError: (error) => {
      throw error;
    },
  });
  const commit = async (batch: LogBatch): Promise<void> => {
    const result = await log.commit(batch);
    if (!result.ok) throw new Error(`The threads could not be created: ${result.why}`);
  };
  await commit({ events: [], writes: [{ do: "insert", table: "users", row: { id: "local", created_at: 1 } }] });
  const ids: string[] = [];
  for (const length of lengths) {
    const id = `thread-of-${length}`;
    ids.push(id);
    await commit(toThread(id, length));
    for (let first = 1; first <= length; first += AT_ONCE) {
      await commit(toMessages(id, first, Math.min(length, first + AT_ONCE - 1)));
    }
  }
  await log.close();
  await store.close();
  return ids;
}

const BRANCH = "root";

function toThread(id: string, length: number): LogBatch {
  const row: RowOf<"threads"> = {
    id,
    owner: "local",
    title: id,
    title_source: "person",
    preview: "",
    profile: "stone",
    model: "bench/bench",
    status: "idle",
    pinned: 0,
    archived: 0,
    message_count: length,
    branch: BRANCH,
    policy: "",
    effort: "",
    project: null,
    focus: null,
    mode: "",
    temporary: 0,
    shared: 0,
    seen_at: 0,
    created_at: 1,
    updated_at: 1,
  };
  const branch = { thread: id, id: BRANCH, parent: null, fork_depth: 0, tip: length, used_at: 1 };
  return {
    events: [],
    writes: [
      { do: "insert", table: "threads", row },
      { do: "insert", table: "branches", row: branch },
    ],
  };
}

function toMessages(thread: string, first: number, last: number): LogBatch {
  const stream = threadStream(thread);
  const depths = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  const messages = depths.map((depth) => ({ id: `${thread}-${depth}`, depth, text: toText(depth) }));
  return {
    events: messages.flatMap(({ id, depth, text }) => {
      const role = depth % 2 ? ("user" as const) : ("assistant" as const);
      const head = { id, role, branchId: BRANCH, depth, runId: null, variants: [id], createdAt: depth };
      const part: Part = { id: `${id}.0`, v: 1, n: 0, step: 0, kind: "text", state: "done", text };
      const added: LogEvent = { type: "message-added", message: head };
      const settled: LogEvent = { type: "part-settled", messageId: id, part };
      return [
        { stream, event: added },
        { stream, event: settled, tokens: countTokens(text) },
      ];
    }),
    writes: messages.flatMap(({ id, depth, text }) => {
      const role = depth % 2 ? ("user" as const) : ("assistant" as const);
      const row = {
        thread,
        id,
        branch: BRANCH,
        depth,
        role,
        run: null,
        created_at: depth,
        ...{ author: null, author_name: null },
      };
      return [
        { do: "insert" as const, table: "messages" as const, row },
        ...indexMessage({ id: thread, owner: "local", shared: 0, project: null }, row, text),
      ];
    }),
  };
}

/** The text of the message at this depth. */
export const toText = (depth: number): string =>
  Array.from({ length: WORDS }, (_, index) => toWord(depth * 7 + index)).join("");
