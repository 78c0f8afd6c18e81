import { createHash } from "node:crypto";
import { ApiError } from "../../protocol/errors.ts";
import { userStream } from "../../protocol/ids.ts";
import { memoryLimits, type MemoryField } from "../../protocol/memory.ts";
import { joinSources, readSources, writeSources, type Sources } from "../../protocol/context/untrusted.ts";
import type { LogEntry } from "../log/log.ts";
import type { Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { changeValue, quoteValue, type ValueChange } from "./change-value.ts";

export type FieldChange = ValueChange & {
  readonly field: MemoryField;
  readonly reason: string;
  /** The user asked for exactly this, so it adds no untrusted source. */
  readonly isOwn?: boolean;
};

/** The ids of the changes are derived from `key`, so a retry with the same key plans the same changes. */
export type Origin = {
  readonly key: string;
  readonly threadId: string | null;
  readonly messageId: string | null;
  /** Empty for changes that the user made or approved. */
  readonly untrusted: Sources;
};

type PlannedChange = {
  readonly id: string;
  readonly field: MemoryField;
  readonly before: string;
  readonly after: string;
};

/** Committed together with the caller's other writes. The commit fails if the fields were written in the meantime. */
export type MemoryPlan = {
  readonly writes: readonly Write[];
  readonly events: readonly LogEntry[];
  /** Changes without effect are left out. */
  readonly changes: readonly PlannedChange[];
};

export type Situation = {
  readonly userId: string;
  /** All memory of this user. */
  readonly rows: readonly RowOf<"memory">[];
  /** Planned changes that are already stored, by id. */
  readonly recorded: ReadonlyMap<string, RowOf<"memory_changes">>;
  readonly now: number;
};

/** A UUID derived from the key. It ends with the index, so the changes of one call sort in order. */
export function toChangeId(userId: string, key: string, index: number): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([userId, key]))
    .digest("hex");
  const hex = `${hash.slice(0, 12)}8${hash.slice(12, 15)}8${hash.slice(15, 28)}${index.toString(16).padStart(2, "0")}`;
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** Pure. Applies changes in order. If one is invalid, none is applied. */
export function planChanges(situation: Situation, changes: readonly FieldChange[], origin: Origin): MemoryPlan {
  const { userId, recorded } = situation;
  const ids = changes.map((_, index) => toChangeId(userId, origin.key, index));
  const known = ids.flatMap((id, index): Match[] => toMatch(recorded.get(id), changes[index]));
  if (known.length > 0) return replayChanges(known);
  const values = new Map(situation.rows.map((row) => [row.field, row.value]));
  const sources = new Map(situation.rows.map((row) => [row.field, readSources(row.untrusted)]));
  const planned: { readonly changed: PlannedChange; readonly reason: string; readonly untrusted: Sources }[] = [];
  for (const [index, change] of changes.entries()) {
    const { field, reason } = change;
    const before = values.get(field) ?? "";
    const after = changeValue(field, before, change);
    values.set(field, after);
    checkRoom(field, values);
    if (after === before) continue;
    const added = change.isOwn ? [] : origin.untrusted;
    const kept = change.op === "replace" ? [] : sources.get(field);
    const untrusted = after === "" ? [] : joinSources(kept, added);
    sources.set(field, untrusted);
    planned.push({ changed: { id: ids[index] ?? "", field, before, after }, reason, untrusted });
  }
  const inserts = planned.map(({ changed, ...source }) => insertChange(situation, changed, { ...origin, ...source }));
  const last = new Map(planned.map((one) => [one.changed.field, one]));
  return {
    changes: planned.map(({ changed }) => changed),
    writes: [
      ...inserts,
      ...[...last.values()].map(({ changed, untrusted }) => writeField(situation, changed, untrusted)),
    ],
    events: toEvents(userId, [...last.keys()]),
  };
}

/** Pure. Restores the earlier value. Throws if the field has changed since. */
export function planUndo(situation: Situation, change: RowOf<"memory_changes">, key: string): MemoryPlan {
  const { userId, recorded, rows } = situation;
  const id = toChangeId(userId, key, 0);
  const field = change.field as MemoryField;
  const known = recorded.get(id);
  if (known) return replayChanges([{ row: known, field, after: change.before }]);
  const current = rows.find((row) => row.field === field)?.value ?? "";
  if (current !== change.after) {
    const now = current === "" ? "empty" : quoteValue(current);
    throw new ApiError("conflict", `${field} has changed since then and is now ${now}. Edit it instead.`);
  }
  const changed: PlannedChange = { id, field, before: change.after, after: change.before };
  const reason = `undo of: ${change.reason}`.slice(0, LONGEST_REASON);
  const origin = { threadId: null, messageId: null, reason, untrusted: [] };
  return {
    changes: [changed],
    writes: [
      insertChange(situation, changed, origin),
      writeField(situation, changed, []),
      { do: "update", table: "memory_changes", set: { undone: 1 }, where: { id: change.id }, expectOne: true },
    ],
    events: toEvents(userId, [field]),
  };
}

const LONGEST_REASON = 300;

/** A stored change, and the value that is requested for it now. */
type Match = { readonly row: RowOf<"memory_changes">; readonly field: MemoryField; readonly after: string };

const toMatch = (row: RowOf<"memory_changes"> | undefined, change: FieldChange | undefined): Match[] =>
  row && change ? [{ row, field: change.field, after: changeValue(change.field, row.before, change) }] : [];

/** Repeats the recorded result of an earlier request. Throws if the same key is used for a different change. */
function replayChanges(known: readonly Match[]): MemoryPlan {
  if (known.some(({ row, field, after }) => row.field !== field || row.after !== after)) {
    throw new ApiError("conflict", "This id was already used with different content. Use a new id for a new request.");
  }
  const changes = known.map(({ row: { id, before, after }, field }) => ({ id, field, before, after }));
  return { changes, writes: [], events: [] };
}

function checkRoom(field: MemoryField, values: ReadonlyMap<string, string>): void {
  const { fieldCharacters, totalCharacters } = memoryLimits;
  const length = values.get(field)?.length ?? 0;
  if (length > fieldCharacters) {
    throw new ApiError(
      "too-large",
      `${field} would have ${length} characters; the limit is ${fieldCharacters}. ` +
        "Replace it with a shorter text that includes the addition.",
    );
  }
  const total = [...values.values()].reduce((sum, value) => sum + value.length, 0);
  if (length > 0 && total > totalCharacters) {
    throw new ApiError(
      "too-large",
      `All fields together would have ${total} characters; the limit is ${totalCharacters}. ` +
        "Shorten or remove less important entries first.",
    );
  }
}

type ChangeOrigin = Pick<Origin, "threadId" | "messageId" | "untrusted"> & { readonly reason: string };

const insertChange = ({ userId, now }: Situation, changed: PlannedChange, origin: ChangeOrigin): Write => ({
  do: "insert",
  table: "memory_changes",
  row: {
    ...changed,
    owner: userId,
    reason: origin.reason,
    thread: origin.threadId,
    message: origin.messageId,
    undone: 0,
    untrusted: writeSources(origin.untrusted),
    created_at: now,
  },
});

/** Conditional on the change that was read, so one of two concurrent writes fails. An emptied field keeps its row for this check. */
function writeField({ userId, rows, now }: Situation, { id, field, after }: PlannedChange, untrusted: Sources): Write {
  const known = rows.find((row) => row.field === field);
  const set = { value: after, change: id, untrusted: writeSources(untrusted), updated_at: now };
  if (!known) return { do: "insert", table: "memory", row: { owner: userId, field, ...set } };
  return { do: "update", table: "memory", set, where: { owner: userId, field, change: known.change }, expectOne: true };
}

const toEvents = (userId: string, fields: MemoryField[]): LogEntry[] =>
  fields.length === 0 ? [] : [{ stream: userStream(userId), event: { type: "memory-changed", fields } }];
