import type { Write } from "../store/contract.ts";

export type PlannedJob = {
  readonly id: string;
  readonly kind: string;
  /** There is one open job per kind and key. */
  readonly key: string;
  readonly threadId: string | null;
  readonly ownerId: string;
  readonly body: object;
  readonly now: number;
  readonly notBefore?: number;
};

/**
 * To be committed with whatever caused it. Where a job of this kind and key waits already, it gets this body; where one
 * runs, it will run once more, since it may have looked before the cause was there. It never fails a batch.
 */
export function planJob({ id, kind, key, threadId, ownerId, body, now, notBefore = now }: PlannedJob): Write[] {
  const json = JSON.stringify(body);
  return [
    { do: "update", table: "jobs", set: { body: json }, where: { kind, key, state: "waiting" } },
    {
      do: "update",
      table: "jobs",
      set: { body: json, not_before: Math.max(1, notBefore) },
      where: { kind, key, state: "running" },
    },
    {
      do: "insert",
      table: "jobs",
      ifAbsent: true,
      row: {
        id,
        kind,
        key,
        thread: threadId,
        owner: ownerId,
        state: "waiting",
        holder: null,
        epoch: 0,
        lease_until: 0,
        attempts: 0,
        not_before: notBefore,
        body: json,
        error: null,
        created_at: now,
        updated_at: now,
      },
    },
  ];
}
