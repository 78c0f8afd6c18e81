import { Refusal } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import { memoryFields, type MemoryChange, type MemoryField, type MemoryView } from "../../protocol/memory/memory.ts";
import { authorize } from "../auth/authorize.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Reads, Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import {
  planChanges,
  planUndo,
  toChangeId,
  type FieldChange,
  type MemoryPlan,
  type Origin,
  type Situation,
} from "./plan.ts";

/**
 * WHAT IS REMEMBERED about a person, across threads. In: changes by field, by the person or planned for a tool. Out: views,
 * and plans for whoever commits. Every change is kept with its reason and source, and can be taken back.
 */
export type Memory = ReturnType<typeof createMemory>;

type Options = { readonly store: Pick<Store, "read">; readonly log: Pick<Log, "commit">; readonly clock: Clock };

export type MemoryExport = { readonly memory: MemoryView; readonly changes: readonly MemoryChange[] };

type Edit = {
  readonly id: string;
  readonly field: MemoryField;
  readonly value: string;
  readonly was?: string | undefined;
};
type Undo = { readonly id: string; readonly changeId: string };

export function createMemory({ store, log, clock }: Options) {
  const { read } = store;
  const view = async (userId: string): Promise<MemoryView> => toView(await read.memory(userId));

  /** Planned anew when another write came first. */
  const commit = async (plan: () => Promise<MemoryPlan>): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { writes, events } = await plan();
      if (writes.length === 0 || (await log.commit({ writes, events })).ok) return;
    }
    throw new Refusal("busy", "What is remembered is being changed elsewhere. Try again in a moment.");
  };

  const history = (userId: string, limit: number): Promise<readonly MemoryChange[]> =>
    read.together(async (reads) => {
      const rows = await reads.memory(userId);
      const changes = await reads.memoryChanges(userId, limit);
      const values = new Map(rows.map((row) => [row.field, row.value]));
      return changes.map((row) => toChange(row, values.get(row.field) ?? ""));
    });

  return {
    view,

    /** Newest first. */
    history,

    /** A person's own edit, under the id they minted. */
    set: async (userId: string, { id, field, value, was }: Edit): Promise<MemoryView> => {
      const origin = { key: `edit:${id}`, threadId: null, messageId: null };
      const change: FieldChange = { field, op: "replace", value, reason: "edited by hand" };
      await commit(async () => {
        const situation = await readSituation(read, userId, [toChangeId(userId, origin.key, 0)]);
        const plan = planChanges({ ...situation, now: clock.now() }, [change], origin);
        const current = situation.rows.find((row) => row.field === field);
        if (plan.writes.length === 0 || was === undefined || was === current?.change) return plan;
        throw new Refusal("conflict", `${field} has changed since you looked: look again, then change it.`);
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
      memory: await view(userId),
      changes: await history(userId, EVERY_CHANGE),
    }),

    /** The fields and how they came about. What was said in threads stays there. */
    forget: async (userId: string): Promise<void> => {
      const fields = (await read.memory(userId)).map((row) => row.field as MemoryField);
      await log.commit({
        events: [{ stream: userStream(userId), event: { type: "memory-changed", fields } }],
        writes: [
          { do: "delete", table: "memory", where: { owner: userId } },
          { do: "delete", table: "memory_changes", where: { owner: userId } },
        ],
      });
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

type MemoryReads = Pick<Reads, "memory" | "memoryChange">;

async function readSituation(
  read: MemoryReads,
  userId: string,
  ids: readonly string[],
): Promise<Omit<Situation, "now">> {
  const [rows, ...known] = await Promise.all([read.memory(userId), ...ids.map((id) => read.memoryChange(id))]);
  return { userId, rows, recorded: new Map(known.flatMap((row) => (row ? [[row.id, row] as const] : []))) };
}

export function toView(rows: readonly RowOf<"memory">[]): MemoryView {
  const byField = new Map(rows.map((row) => [row.field, row]));
  const entries = memoryFields.map((field) => {
    const row = byField.get(field);
    const found = row && row.value !== "";
    return [field, found ? { value: row.value, changeId: row.change, updatedAt: row.updated_at } : null] as const;
  });
  return Object.fromEntries(entries) as MemoryView;
}

const toChange = (row: RowOf<"memory_changes">, current: string): MemoryChange => ({
  id: row.id,
  field: row.field as MemoryField,
  before: row.before,
  after: row.after,
  reason: row.reason,
  threadId: row.thread,
  messageId: row.message,
  undone: row.undone === 1,
  undoable: row.after === current,
  createdAt: row.created_at,
});

const MOST_TRIES = 10;
const EVERY_CHANGE = 1_000_000_000;
