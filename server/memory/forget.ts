import type { MemoryField } from "../../protocol/memory.ts";
import { userStream } from "../../protocol/ids.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { toChangeId, type MemoryPlan } from "./plan.ts";
import { listEntries, withoutEntries } from "./entries.ts";

type Change = RowOf<"memory_changes">;

/** A user's field with its current value and its changes, newest first. */
type FieldHistory = {
  readonly field: MemoryField;
  readonly row: RowOf<"memory"> | undefined;
  readonly changes: readonly Change[];
};

type ForgetInput = {
  readonly userId: string;
  readonly key: string;
  readonly threadId: string;
  readonly now: number;
};

/** Deletes the fields and their history. */
export const planForgetFields = (userId: string, fields: readonly MemoryField[]): Omit<MemoryPlan, "changes"> => ({
  writes: fields.flatMap((field): Write[] => [
    { do: "delete", table: "memory", where: { owner: userId, field } },
    { do: "delete", table: "memory_changes", where: { owner: userId, field } },
  ]),
  events: toEvents(userId, fields),
});

/**
 * Pure. Removes everything that came from a thread, from the fields and from their history. Values that the thread had replaced
 * are not restored, because they were outdated. The commit fails if the fields were written in the meantime.
 */
export function planForgetThread(
  histories: readonly FieldHistory[],
  { userId, key, threadId, now }: ForgetInput,
): Omit<MemoryPlan, "changes"> {
  const writes = histories.flatMap(({ field, row, changes }, index): Write[] => {
    const own = changes.filter((change) => change.thread === threadId);
    const entries = new Set(own.flatMap(({ before, after }) => listAdded(field, before, after)));
    const clean = (text: string): string => withoutEntries(field, text, entries);
    const kept = changes.flatMap((change) => toKept(change, { threadId, clean, own }));
    const isKept = new Set(kept.map(({ id }) => id));
    const gone = changes.flatMap(({ id }): Write[] =>
      isKept.has(id) ? [] : [{ do: "delete", table: "memory_changes", where: { id } }],
    );
    const value = clean(row?.value ?? "");
    const change = toChangeId(userId, key, index);
    // A new id, so that commits planned on the old texts fail.
    const holder = kept[0]?.after === value ? kept[0] : undefined;
    const updates = kept.map(({ id, before, after, reason }): Write => {
      const set = { id: id === holder?.id ? change : id, before, after, reason };
      return { do: "update", table: "memory_changes", set, where: { id } };
    });
    const set = { value, change, updated_at: row?.updated_at ?? now };
    const where = { owner: userId, field, change: row?.change ?? "" };
    return [
      ...(row ? [{ do: "update" as const, table: "memory" as const, set, where, expectOne: true as const }] : []),
      ...gone,
      ...updates,
    ];
  });
  return {
    writes,
    events: toEvents(
      userId,
      histories.map(({ field }) => field),
    ),
  };
}

type Cleaning = {
  readonly threadId: string;
  readonly clean: (text: string) => string;
  readonly own: readonly Change[];
};

/** Drops changes that have no effect any more. The reason of an undo is removed if it quotes a deleted change. */
function toKept(change: Change, { threadId, clean, own }: Cleaning): Change[] {
  const [before, after] = [clean(change.before), clean(change.after)];
  if (change.thread === threadId || before === after) return [];
  const about = change.reason.replace(/^(?:undo of: )+/, "");
  const isUndo = about !== change.reason && own.some(({ reason }) => reason.startsWith(about));
  return [{ ...change, before, after, reason: isUndo ? "undo" : change.reason }];
}

const listAdded = (field: MemoryField, before: string, after: string): readonly string[] => {
  const known = new Set(listEntries(field, before));
  return listEntries(field, after).filter((entry) => !known.has(entry));
};

const toEvents = (userId: string, fields: readonly MemoryField[]): MemoryPlan["events"] =>
  fields.length === 0 ? [] : [{ stream: userStream(userId), event: { type: "memory-changed", fields: [...fields] } }];
