import { ApiError } from "../../protocol/errors.ts";
import { memoryFields, type MemoryChange, type MemoryField, type MemoryView } from "../../protocol/memory.ts";
import { authorize } from "../auth/authorize.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import { createRedactor } from "../redact/redact.ts";
import type { Reads, Store, Write } from "../store/contract.ts";
import { toPreferences } from "../store/parse-rows.ts";
import { planForgetFields, planForgetThread } from "./forget.ts";
import { toChanges, toMemoryView } from "./history.ts";
import {
  planChanges,
  planUndo,
  toChangeId,
  type FieldChange,
  type MemoryPlan,
  type Origin,
  type Situation,
} from "./plan.ts";
export { toMemoryView } from "./history.ts";
export { listUnrequested } from "./requested-changes.ts";

/**
 * Memory about a user, shared by all their threads. Fields are changed by the user or by a tool. Every change is stored with its
 * reason and source and can be undone. Forgetting deletes a field with its history.
 */
export type Memory = ReturnType<typeof createMemory>;

type Options = { readonly store: Pick<Store, "read">; readonly log: Pick<Log, "commit">; readonly clock: Clock };

type MemoryExport = {
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

/** Without a field and a thread, everything is forgotten. */
type Forget = {
  readonly id: string;
  readonly field?: MemoryField | undefined;
  readonly threadId?: string | undefined;
};

export function createMemory({ store, log, clock }: Options) {
  const { read } = store;
  const view = async (userId: string): Promise<MemoryView> => toMemoryView(await read.remembered(userId));

  /** Plans again if a concurrent write came first. */
  const commit = async (plan: () => Promise<Omit<MemoryPlan, "changes">>): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { writes, events } = await plan();
      if (writes.length === 0 || (await log.commit({ writes, events })).ok) return;
    }
    throw new ApiError("busy", "Memory is being changed by other requests. Try again in a moment.");
  };

  const assertOn = async (userId: string): Promise<void> => {
    if (toPreferences(await read.preferences(userId)).memory) return;
    throw new ApiError("conflict", "Memory is off, so nothing is stored. Turn it on first.");
  };

  const history = (userId: string, limit: number): Promise<readonly MemoryChange[]> =>
    read.together(async (reads) => toChanges(await reads.memoryChanges(userId, limit), await reads.memory(userId)));

  return {
    view,

    /** Newest first. */
    history,

    /** An edit by the user, under the client's id. */
    set: async (userId: string, { id, field, value, was }: Edit): Promise<MemoryView> => {
      refuseSecrets(field, value);
      await assertOn(userId);
      const origin = { key: `edit:${id}`, threadId: null, messageId: null, untrusted: [] };
      const change: FieldChange = { field, op: "replace", value, reason: "edited by hand" };
      await commit(async () => {
        const situation = await readSituation(read, userId, [toChangeId(userId, origin.key, 0)]);
        const plan = planChanges({ ...situation, now: clock.now() }, [change], origin);
        const current = situation.rows.find((row) => row.field === field);
        if (plan.writes.length === 0 || was === undefined || was === current?.change) return plan;
        throw new ApiError("conflict", `${field} has changed since you loaded it. Reload it, then try again.`);
      });
      return view(userId);
    },

    /** Restores the value that a change replaced. The undo is a change too and can be undone. */
    undo: async (userId: string, { id, changeId }: Undo): Promise<MemoryView> => {
      await assertOn(userId);
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

    /** All memory and its history, as a file for the user. */
    export: async (userId: string): Promise<MemoryExport> => ({
      exportedAt: clock.now(),
      memory: await view(userId),
      changes: await history(userId, EVERY_CHANGE),
    }),

    /** Changes that came from a thread, newest first, and the fields they affect. */
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
     * Deletes fields with their history, or everything that came from one thread. It cannot be undone. Messages of threads are
     * not changed.
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

type ChangeRequest = Origin & {
  readonly userId: string;
  readonly changes: readonly FieldChange[];
  readonly now: number;
};

/** Plans the writes of these changes on the current memory. Only reads: the caller commits. */
export async function planMemory(read: MemoryReads, planned: ChangeRequest): Promise<MemoryPlan> {
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

/** Plans forgetting everything that came from a thread. Only reads: the caller commits, and plans again if the commit fails. */
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

/** Replaces forgotten values in stored prompts. Not empty, so that the next prompt withdraws the value. */
const FORGOTTEN = "[forgotten]";

/**
 * Removes the values of these fields from stored prompts: compaction summaries and context updates. The receipts of those calls
 * can no longer be verified, and say so.
 */
async function planScrub(
  read: Pick<Reads, "contextUpdateParts" | "contextUpdateHeads">,
  owner: string,
  fields: readonly MemoryField[],
): Promise<readonly Write[]> {
  const [parts, heads] = await Promise.all([read.contextUpdateParts(owner), read.contextUpdateHeads(owner)]);
  return [
    ...parts.flatMap(({ thread, message, n, body }): Write[] => {
      const part = JSON.parse(body) as { text: string; memory?: Record<string, string> };
      const sent = fields.filter((field) => (part.memory?.[field] ?? "") !== "");
      if (sent.length === 0) return [];
      const memory = { ...part.memory, ...Object.fromEntries(sent.map((field) => [field, FORGOTTEN])) };
      const set = { body: JSON.stringify({ ...part, text: scrub(part.text, sent), memory }) };
      return [{ do: "update", table: "parts", set, where: { thread, message, n } }];
    }),
    ...heads.flatMap(({ id, head, body }): Write[] => {
      const state = JSON.parse(body) as { memory: Record<string, string> };
      const sent = fields.filter((field) => (state.memory[field] ?? "") !== "");
      if (sent.length === 0) return [];
      const memory = { ...state.memory, ...Object.fromEntries(sent.map((field) => [field, FORGOTTEN])) };
      const set = { head: scrub(head, sent), body: JSON.stringify({ ...state, memory }) };
      return [{ do: "update", table: "epochs", set, where: { id } }];
    }),
  ];
}

/** Each field is on a separate line, as a JSON string that may be truncated. */
const scrub = (text: string, fields: readonly string[]): string =>
  text.replaceAll(/^(\w{1,40}): ".*$/gm, (line, field: string) =>
    fields.includes(field) ? `${field}: ${FORGOTTEN}` : line,
  );

const { text: redact } = createRedactor({ salt: "" });

/** Memory is part of every prompt, so keys and passwords are rejected, also from the user. */
export function refuseSecrets(field: string, ...texts: readonly string[]): void {
  if (redact(texts.join("\n")).found.length === 0) return;
  throw new ApiError("invalid", `${field}: this looks like a secret. Secrets are not remembered; leave it out.`);
}
