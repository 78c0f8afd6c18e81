import { PersonLimits, type StoredBytes } from "../../protocol/account/limits.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Role } from "../../protocol/roles.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../log/log.ts";
import type { Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { notAdmin, planStillAdmin } from "./administration.ts";
import { toSubject } from "./people.ts";

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
};

export const noLimits: PersonLimits = { dayUsd: null, monthUsd: null, models: null, storageBytes: null };

/**
 * Limits set by admins, for a role or for one user: budgets, models and storage. A user's own limits replace those of the role as a
 * whole. They are read with each request and each model call, so that a change takes effect at once on every node.
 */
export type AccountLimits = ReturnType<typeof createAccountLimits>;

export function createAccountLimits({ store: { read }, log, clock, planAudit }: Options) {
  const find = async (userId: string) => {
    const account = await read.account(userId);
    // The role decides in the same read as the user's own row.
    const role = account?.role ?? "member";
    const rows = await read.limits(role, toSubject(userId));
    const own = rows.find(({ subject }) => subject !== role);
    return { own: own ? toLimits(own) : null, ofRole: toLimits(rows.find(({ subject }) => subject === role)) };
  };

  const get = async (userId: string): Promise<PersonLimits> => {
    const { own, ofRole } = await find(userId);
    return own ?? ofRole;
  };

  const set = async (
    principal: Principal,
    { subject, target }: { readonly subject: string; readonly target: string | null },
    limits: PersonLimits | null,
  ): Promise<void> => {
    const { ok } = await log.commit({
      events: [],
      writes: [
        ...planStillAdmin(principal),
        limits === null
          ? { do: "delete", table: "limits", where: { subject } }
          : { do: "put", table: "limits", row: toRow(subject, limits, clock.now()) },
        ...planAudit({
          action: limits === null ? "limits-removed" : "limits-changed",
          actor: principal,
          target,
          detail: { ...(target === null ? { role: subject } : {}), limits },
        }),
      ],
    });
    if (!ok) throw notAdmin();
  };

  return {
    get,
    find,
    /** null: all. */
    findModels: async (userId: string): Promise<readonly string[] | null> => (await get(userId)).models,

    listRoles: async (): Promise<Record<Role, PersonLimits>> => {
      const rows = await read.limits("admin", "member");
      const of = (role: Role) => toLimits(rows.find(({ subject }) => subject === role));
      return { admin: of("admin"), member: of("member") };
    },

    setRole: async (principal: Principal, role: Role, limits: PersonLimits): Promise<PersonLimits> => {
      await set(principal, { subject: role, target: null }, limits);
      return limits;
    },

    /** null: those of the user's role apply. */
    setPerson: (principal: Principal, userId: string, limits: PersonLimits | null): Promise<void> =>
      set(principal, { subject: toSubject(userId), target: userId }, limits),

    ofUser: async ({ userId }: Principal): Promise<{ limits: PersonLimits; stored: StoredBytes }> => {
      const [limits, stored] = await Promise.all([get(userId), read.storedBytesOf(userId)]);
      return { limits, stored };
    },

    /** Throws if the user would store more than allowed. Concurrent uploads may exceed the limit by what they add. */
    assertRoom: async (userId: string, addedBytes: number): Promise<void> => {
      const { storageBytes } = await get(userId);
      if (storageBytes === null) return;
      const { attachments, files, imports } = await read.storedBytesOf(userId);
      const usedBytes = attachments + files + imports;
      // Also full without an addition: an upload is refused before its size is known.
      if (usedBytes + Math.max(addedBytes, 1) <= storageBytes) return;
      const text = `Your storage is full: ${toMegabytes(usedBytes)} of ${toMegabytes(storageBytes)} MB are used. Delete threads with files, or files of your projects, or ask an admin of this server for more.`;
      throw new ApiError("too-large", text);
    },
  };
}

const toMegabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

const toRow = (subject: string, limits: PersonLimits, now: number): RowOf<"limits"> => ({
  ...{ subject, day_usd: limits.dayUsd, month_usd: limits.monthUsd },
  models: limits.models === null ? null : JSON.stringify(limits.models),
  storage_bytes: limits.storageBytes,
  updated_at: now,
});

const toLimits = (row: RowOf<"limits"> | undefined): PersonLimits =>
  row === undefined
    ? noLimits
    : PersonLimits.parse({
        ...{ dayUsd: row.day_usd, monthUsd: row.month_usd, storageBytes: row.storage_bytes },
        models: row.models === null ? null : (JSON.parse(row.models) as unknown),
      });
