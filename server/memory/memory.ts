import { ApiError } from "../../protocol/errors.ts";
import { memoryFields, type MemoryChange, type MemoryField, type MemoryView } from "../../protocol/memory.ts";
import { authorize } from "../auth/authorize.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Store, Write } from "../store/contract.ts";
import { planForgetFields, planForgetThread } from "./forget.ts";
import { toChanges, toView } from "./history.ts";
import {
  planChanges,
  planUndo,
  toChangeId,
  type FieldChange,
  type MemoryPlan,
  type Origin,
  type Situation,
} from "./plan.ts";
import { refuseSecrets } from "./refuse-secrets.ts";
export { toView } from "./history.ts";
export { listUnrequested } from "./requested-changes.ts";
export { refuseSecrets } from "./refuse-secrets.ts";

/**
 * WHAT IS REMEMBERED about a person, across threads. In: changes by field, by the person or planned for a tool. Out: views,
 * and plans for whoever commits. Every change is kept with its reason and source, and can be taken back; what is forgotten
 * is gone, with its history.
 */
export type Memory = ReturnType<typeof createMemory>;

type Options = { readonly store: Pick<Store, "read">; readonly log: Pick<Log, "commit">; readonly clock: Clock };

export type MemoryExport = {
  readonly exportedAt: number;
  readonly memory: MemoryView;
  readonly changes: readonly MemoryChange[];
};

type Edit = {
  readonly id: string;
  readonly field: MemoryField;
  readonly value: string;
  readonly was?: string | undefined;
};
type Undo = { readonly id: string; readonly changeId: string };

/** Without a field and a thread: everything. */
type Forget = {
  readonly id: string;
  readonly field?: MemoryField | undefined;
  readonly threadId?: string | undefined;
};

export function createMemory({ store, log, clock }: Options) {
  const { read } = store;
  const view = async (userId: string): Promise<MemoryView> => toView(await read.remembered(userId));

  /** Planned anew when another write came first. */
  const commit = async (plan: () => Promise<Omit<MemoryPlan, "changes">>): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { writes, events } = await plan();
      if (writes.length === 0 || (await log.commit({ writes, events })).ok) return;
    }
    throw new ApiError("busy", "What is remembered is being changed elsewhere. Try again in a moment.");
  };

  const history = (userId: string, limit: number): Promise<readonly MemoryChange[]> =>
    read.together(async (reads) => toChanges(await reads.memoryChanges(userId, limit), await reads.memory(userId)));

  return {
    view,

    /** Newest first. */
    history,

    /** A person's own edit, under the id they minted. */
    set: async (userId: string, { id, field, value, was }: Edit): Promise<MemoryView> => {
      refuseSecrets(field, value);
      const origin = { key: `edit:${id}`, threadId: null, messageId: null, untrusted: [] };
      const change: FieldChange = { field, op: "replace", value, reason: "edited by hand" };
      await commit(async () => {
        const situation = await readSituation(read, userId, [toChangeId(userId, origin.key, 0)]);
        const plan = planChanges({ ...situation, now: clock.now() }, [change], origin);
        const current = situation.rows.find((row) => row.field === field);
        if (plan.writes.length === 0 || was === undefined || was === current?.change) return plan;
        throw new ApiError("conflict", `${field} has changed since you looked: look again, then change it.`);
      });
      return view(userId);
    },

    /** Puts back what a change replaced, as a change of its own, which can be taken back in turn. */
    undo: async (userId: string, { id, changeId }: Undo): Promise<MemoryView> => {
      const key = `undo:${id}`;
      await commit(async () => {
        const change = await read.memoryChange(changeId);
        const object = change && { ownerId: change.owner, change };
        authorize({ userId }, object, "change");
        const situation = await readSituation(read, userId, [toChangeId(userId, key, 0)]);
        return planUndo({ ...situation, now: clock.now() }, object.change, key);
      });
      return view(userId);
    },

    /** All of it, for the person to keep. */
    export: async (userId: string): Promise<MemoryExport> => ({
      exportedAt: clock.now(),
      memory: await view(userId),
      changes: await history(userId, EVERY_CHANGE),
    }),

    /** What came from a thread, newest first, and which fields hold something of it. */
    ofThread: async (
      userId: string,
      threadId: string,
    ): Promise<{ readonly changes: readonly MemoryChange[]; readonly fields: readonly MemoryField[] }> =>
      read.together(async (reads) => {
        const own = await reads.memoryChangesFrom(userId, threadId);
        const named = new Set(own.map(({ field }) => field));
        const fields = memoryFields.filter((field) => named.has(field));
        const rows = await reads.memory(userId);
        const ids = new Set(own.map(({ id }) => id));
        const changes: MemoryChange[] = [];
        for (const field of fields) changes.push(...toChanges(await reads.memoryChangesOf(userId, field), rows));
        const found = changes.filter(({ id }) => ids.has(id));
        return { changes: found.toSorted((a, b) => b.createdAt - a.createdAt), fields };
      }),

    /**
     * Fields with everything that led to them, or what came from one thread. Gone for good: no undo brings it back. What was
     * said in threads stays there.
     */
    forget: async (userId: string, { id, field, threadId }: Forget): Promise<MemoryView> => {
      const fields = field === undefined ? memoryFields : [field];
      await commit(async () => {
        const plan =
          threadId === undefined
            ? planForgetFields(userId, fields)
            : await planForget(read, { userId, key: `forget:${id}`, threadId, fields, now: clock.now() });
        return { ...plan, writes: [...plan.writes, ...(await planScrub(read, userId, fields))] };
      });
      return view(userId);
    },
  };
}

type Planned = Origin & { readonly userId: string; readonly changes: readonly FieldChange[]; readonly now: number };

/** What these changes would write, over what is remembered now. It only reads: the caller commits. */
export async function planMemory(read: MemoryReads, planned: Planned): Promise<MemoryPlan> {
  const { userId, changes, now, ...origin } = planned;
  const ids = changes.map((_, index) => toChangeId(userId, origin.key, index));
  return planChanges({ ...(await readSituation(read, userId, ids)), now }, changes, origin);
}

type ForgetThread = {
  readonly userId: string;
  readonly key: string;
  readonly threadId: string;
  readonly fields?: readonly MemoryField[];
  readonly now: number;
};

/** What forgetting everything that came from a thread would write. It only reads: the caller commits, and plans anew if refused. */
export async function planForget(
  read: Pick<Reads, "memory" | "memoryChangesOf" | "memoryChangesFrom">,
  { fields = memoryFields, ...forgetting }: ForgetThread,
): Promise<Omit<MemoryPlan, "changes">> {
  const { userId, threadId } = forgetting;
  const named = new Set((await read.memoryChangesFrom(userId, threadId)).map(({ field }) => field));
  const rows = await read.memory(userId);
  const histories = await Promise.all(
    fields
      .filter((field) => named.has(field))
      .map(async (field) => ({
        field,
        row: rows.find((row) => row.field === field),
        changes: await read.memoryChangesOf(userId, field),
      })),
  );
  return planForgetThread(histories, forgetting);
}

type MemoryReads = Pick<Reads, "memory" | "memoryChange">;

async function readSituation(
  read: MemoryReads,
  userId: string,
  ids: readonly string[],
): Promise<Omit<Situation, "now">> {
  const [rows, ...known] = await Promise.all([read.memory(userId), ...ids.map((id) => read.memoryChange(id))]);
  return { userId, rows, recorded: new Map(known.flatMap((row) => (row ? [[row.id, row] as const] : []))) };
}

const MOST_TRIES = 10;
const EVERY_CHANGE = 1_000_000_000;

/** Stands where something was told that has been forgotten since. Not empty, so the next prompt knows that it must be told. */
const FORGOTTEN = "[forgotten]";

/**
 * What was told to models of these fields goes from what is kept of prompts: the heads of compactions, and what stood ahead of
 * the person's words. Receipts of those calls can no longer be built again, and say so.
 */
async function planScrub(
  read: Pick<Reads, "toldParts" | "toldHeads">,
  owner: string,
  fields: readonly MemoryField[],
): Promise<readonly Write[]> {
  const [parts, heads] = await Promise.all([read.toldParts(owner), read.toldHeads(owner)]);
  return [
    ...parts.flatMap(({ thread, message, n, body }): Write[] => {
      const part = JSON.parse(body) as { text: string; memory?: Record<string, string> };
      const told = fields.filter((field) => (part.memory?.[field] ?? "") !== "");
      if (told.length === 0) return [];
      const memory = { ...part.memory, ...Object.fromEntries(told.map((field) => [field, FORGOTTEN])) };
      const set = { body: JSON.stringify({ ...part, text: scrub(part.text, told), memory }) };
      return [{ do: "update", table: "parts", set, where: { thread, message, n } }];
    }),
    ...heads.flatMap(({ id, head, body }): Write[] => {
      const state = JSON.parse(body) as { memory: Record<string, string> };
      const told = fields.filter((field) => (state.memory[field] ?? "") !== "");
      if (told.length === 0) return [];
      const memory = { ...state.memory, ...Object.fromEntries(told.map((field) => [field, FORGOTTEN])) };
      const set = { head: scrub(head, told), body: JSON.stringify({ ...state, memory }) };
      return [{ do: "update", table: "epochs", set, where: { id } }];
    }),
  ];
}

/** Each field stands on a line of its own, as a JSON string or cut short. */
const scrub = (text: string, fields: readonly string[]): string =>
  text.replaceAll(/^(\w{1,40}): ".*$/gm, (line, field: string) =>
    fields.includes(field) ? `${field}: ${FORGOTTEN}` : line,
  );
