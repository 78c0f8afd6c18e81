import { memoryFields, type MemoryChange, type MemoryField, type MemoryView } from "../../protocol/memory.ts";
import type { RowOf } from "../store/schema.ts";

type FieldRow = RowOf<"memory"> & {
  readonly reason?: string | null;
  readonly thread?: string | null;
  readonly message?: string | null;
};

/** Each field with its value and the change that set it. */
export function toMemoryView(rows: readonly FieldRow[]): MemoryView {
  const byField = new Map(rows.map((row) => [row.field, row]));
  const entries = memoryFields.map((field) => {
    const row = byField.get(field);
    return [field, row && row.value !== "" ? toRemembered(row) : null] as const;
  });
  return Object.fromEntries(entries) as MemoryView;
}

const toRemembered = ({ value, change, updated_at, reason, thread, message }: FieldRow) => ({
  value,
  changeId: change,
  updatedAt: updated_at,
  reason: reason ?? "",
  threadId: thread ?? null,
  messageId: message ?? null,
});

/** Changes as the API returns them, newest first. The current value of a field decides which of them can be undone. */
export function toChanges(
  changes: readonly RowOf<"memory_changes">[],
  fields: readonly RowOf<"memory">[],
): readonly MemoryChange[] {
  const now = new Map(fields.map((row) => [row.field, row]));
  const replacedBy = linkChanges(changes, now);
  return changes.map((row) => ({
    id: row.id,
    field: row.field as MemoryField,
    before: row.before,
    after: row.after,
    reason: row.reason,
    threadId: row.thread,
    messageId: row.message,
    undone: row.undone === 1,
    undoable: row.after === (now.get(row.field)?.value ?? ""),
    replacedBy: replacedBy.get(row.id) ?? null,
    createdAt: row.created_at,
  }));
}

/**
 * Maps each change to the one that replaced it: the next change of the same field. Changes of the same millisecond are ordered
 * by the value that the later one replaced.
 */
function linkChanges(
  changes: readonly RowOf<"memory_changes">[],
  now: ReadonlyMap<string, RowOf<"memory">>,
): ReadonlyMap<string, string> {
  const links = new Map<string, string>();
  for (const [field, rows] of Map.groupBy(changes, (row) => row.field)) {
    const left = [...rows];
    let later: RowOf<"memory_changes"> | undefined;
    while (left.length > 0) {
      const at = findEarlier(left, later, now.get(field)?.change);
      const [earlier] = left.splice(at, 1);
      if (earlier && later) links.set(earlier.id, later.id);
      later = earlier;
    }
  }
  return links;
}

function findEarlier(
  left: readonly RowOf<"memory_changes">[],
  later: RowOf<"memory_changes"> | undefined,
  current: string | undefined,
): number {
  const isOfSameTime = (row: RowOf<"memory_changes">): boolean => row.created_at === left[0]?.created_at;
  const fits = later
    ? (row: RowOf<"memory_changes">) => row.after === later.before
    : (row: RowOf<"memory_changes">) => row.id === current;
  return Math.max(
    0,
    left.findIndex((row) => isOfSameTime(row) && fits(row)),
  );
}
