import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../server/lib/clock.ts";
import { createLog } from "../../server/log/log.ts";
import { createRecall, type RecallReads } from "../../server/recall/recall.ts";
import type { Write } from "../../server/store/contract.ts";
import { openStore } from "../../server/store/open.ts";

/** A recorded conversation as a thread: a turn is a message, written when its session took place. */
export type Turn = {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly at: number;
  readonly text: string;
};
export type Question = {
  readonly text: string;
  readonly kind: string;
  /** Depths of the turns that hold the answer, from 1. */
  readonly evidence: readonly number[];
  /** The same with known wrong citations put right. */
  readonly corrected: readonly number[];
  /** Whether the headline figures count it. */
  readonly isHeadline: boolean;
};
export type Conversation = {
  readonly name: string;
  readonly turns: readonly Turn[];
  /** Session number of each turn. */
  readonly sessions: readonly number[];
  readonly questions: readonly Question[];
};

export type RecallDatabase = {
  readonly read: RecallReads;
  /** Writes and indexes a conversation by the product's own code; answers its thread's id. */
  readonly add: (conversation: Conversation) => Promise<string>;
  readonly close: () => Promise<void>;
};

const BRANCH = "root";
const AT_ONCE = 200;

/** A separate database in a folder that is deleted when it is closed. */
export async function openDatabase(): Promise<RecallDatabase> {
  const directory = await mkdtemp(join(tmpdir(), "stonechat-eval-"));
  const store = await openStore({ directory, databaseUrl: null });
  const log = createLog({
    store,
    clock: systemClock,
    onError: (error) => {
      throw error;
    },
  });
  const recall = createRecall({ store, log, clock: systemClock });
  const commit = async (writes: readonly Write[]): Promise<void> => {
    const result = await log.commit({ events: [], writes });
    if (!result.ok) throw new Error(`a conversation could not be written: ${result.why}`);
  };
  await commit([{ do: "insert", table: "users", row: { id: "local", created_at: 1 } }]);
  return {
    read: store.read,
    add: async ({ name, turns }) => {
      await commit(toThread(name, turns.length));
      for (let first = 0; first < turns.length; first += AT_ONCE)
        await commit(turns.slice(first, first + AT_ONCE).flatMap((turn, n) => toMessage(name, turn, first + n + 1)));
      await recall.catchUp(name, BRANCH);
      return name;
    },
    close: async () => {
      await log.close();
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

const toThread = (id: string, length: number): readonly Write[] => [
  {
    do: "insert",
    table: "threads",
    row: {
      id,
      owner: "local",
      title: id,
      title_source: "person",
      preview: "",
      profile: "stone",
      model: "eval/none",
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
    },
  },
  {
    do: "insert",
    table: "branches",
    row: { thread: id, id: BRANCH, parent: null, fork_depth: 0, tip: length, used_at: 1 },
  },
];

function toMessage(thread: string, { id, role, at, text }: Turn, depth: number): readonly Write[] {
  const message = `${thread}/${id}`;
  const part = { id: `${message}/0`, v: 1, n: 0, step: 0, kind: "text", state: "done", text };
  return [
    {
      do: "insert",
      table: "messages",
      row: {
        thread,
        id: message,
        branch: BRANCH,
        depth,
        role,
        run: null,
        created_at: at,
        ...{ author: null, author_name: null },
      },
    },
    {
      do: "insert",
      table: "parts",
      row: { thread, message, n: 0, v: 1, kind: "text", tokens: 0, body: JSON.stringify(part) },
    },
  ];
}
