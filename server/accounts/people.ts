import type { Body, Query, Response as Answer } from "../../protocol/api.ts";
import type { AuditEntry, Person } from "../../protocol/account/people.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import { randomVersion } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Reads, FactorCounts, Store, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { createAccountRecovery } from "./account-recovery.ts";
import { assertStillAdmin, isActiveAdmin, planStillAdmin, getAccount } from "./administration.ts";
import { createInvitations, type PlanInvitationMail } from "./invitations.ts";
import { toEmailId, toResetId } from "./links.ts";

type Row = RowOf<"accounts">;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  /** null: this server sends no mail. */
  readonly planMail: PlanInvitationMail | null;
  /** Whether every invitation is for one address, because a proxy signs users in by their address. */
  readonly needsEmail: boolean;
};

/** Key in `meta` that counts changes of roles and states. A batch that changes one expects the number that it read. */
export const ADMIN_GATE = "accounts";
const MAX_TRIES = 10;

/** Administration of accounts, invitations, reset links, and the audit log. Routes check the role before. */
export type People = ReturnType<typeof createPeople>;

export function createPeople(options: Options) {
  const { store, log, clock, planAudit } = options;
  const { read } = store;

  const view = async (rows: readonly Row[]): Promise<Person[]> => {
    const month = new Date(clock.now());
    const since = Date.UTC(month.getUTCFullYear(), month.getUTCMonth());
    const [factors, spent] = await Promise.all([
      read.factorsByAccount(),
      read.spentSince(
        rows.map(({ id }) => id),
        since,
      ),
    ]);
    return rows.map((row) => ({ ...toPerson(row, factors), monthUsd: spent.get(row.id) ?? 0 }));
  };
  const toOne = async (row: Row): Promise<Person> => {
    const [person] = await view([row]);
    if (!person) throw new Error("The view of an account is missing.");
    return person;
  };

  const change = async (principal: Principal, row: Row, next: Row, gate: string | undefined) => {
    const wasAdmin = isActiveAdmin(row);
    if (wasAdmin && !isActiveAdmin(next)) {
      const others = (await read.accounts()).filter((one) => one.id !== row.id && isActiveAdmin(one));
      if (others.length === 0) {
        throw new ApiError("conflict", "This is the only active admin. Make another account an admin first.");
      }
    }
    const isSuspended = row.state === "active" && next.state === "suspended";
    const suspension = isSuspended ? await planSuspension(read, row.id) : { writes: [], drive: [] };
    const { name, role, state } = next;
    const audit = (action: string, detail: object) =>
      planAudit({ action, actor: principal, target: row.id, detail: { ...detail } });
    return log.commit({
      events: [],
      drive: suspension.drive,
      writes: [
        planGate(gate),
        {
          do: "update",
          table: "accounts",
          set: { name, role, state, changed_at: randomVersion() },
          where: { id: row.id, name: row.name, role: row.role, state: row.state },
          expectOne: true,
        },
        ...suspension.writes,
        // Invitations and reset links by someone who is no longer an admin.
        ...(wasAdmin && !isActiveAdmin(next)
          ? [{ do: "delete", table: "links", where: { created_by: row.id } } as const]
          : []),
        ...(role === row.role ? [] : audit("role-changed", { from: row.role, to: role })),
        ...(state === row.state ? [] : audit(isSuspended ? "suspended" : "suspension-ended", {})),
        ...(name === row.name ? [] : audit("renamed", { from: row.name, to: name })),
      ],
    });
  };

  return {
    planStillAdmin,
    planDeletion,

    list: async (): Promise<{ people: Person[] }> => {
      const rows = await read.accounts();
      return { people: await view(rows) };
    },

    get: async (userId: string): Promise<Person> => toOne(await getAccount(read, userId)),

    change: async (principal: Principal, userId: string, body: Body<"changePerson">): Promise<{ person: Person }> => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        // Read before the rows: a concurrent change makes the commit fail.
        const gate = await read.meta(ADMIN_GATE);
        await assertStillAdmin(read, principal);
        const row = await getAccount(read, userId);
        const next: Row = {
          ...row,
          ...{ name: body.name ?? row.name, role: body.role ?? row.role, state: body.state ?? row.state },
        };
        if (next.name === row.name && next.role === row.role && next.state === row.state) {
          return { person: await toOne(row) };
        }
        const { ok } = await change(principal, row, next, gate);
        if (ok) return { person: await toOne(next) };
      }
      throw new ApiError("busy", "Accounts are being changed by many requests at once. Try again in a moment.");
    },

    ...createAccountRecovery({ read, ...options }),
    ...createInvitations({ read, ...options }),

    listAudit: (query: Query<"listAudit">) => listAudit(read, query),
  };
}

/** Sessions end, unused links of the account stop working, and running answers stop. API keys are refused by the state. */
async function planSuspension(read: Pick<Reads, "liveRunsOf">, id: string) {
  const runs = await read.liveRunsOf(id);
  const writes: Write[] = [
    { do: "delete", table: "sessions", where: { owner: id } },
    { do: "delete", table: "push_subscriptions", where: { owner: id } },
    { do: "delete", table: "links", where: { id: toResetId(id) } },
    { do: "delete", table: "links", where: { id: toEmailId(id) } },
    ...runs.map((run): Write => ({ do: "update", table: "runs", set: { stop: 1 }, where: { id: run.id, ended: 0 } })),
  ];
  return { writes, drive: runs.map(({ thread }) => thread) };
}

/** The number is missing if the server was restored from a backup that did not contain it. */
const planGate = (gate: string | undefined): Write =>
  gate === undefined
    ? { do: "insert", table: "meta", row: { key: ADMIN_GATE, value: "1" } }
    : {
        do: "update",
        table: "meta",
        set: { value: String(Number(gate) + 1) },
        where: { key: ADMIN_GATE, value: gate },
        expectOne: true,
      };

/** Subject of a user's own limits. Roles have no colon. */
export const toSubject = (userId: string): string => `user:${userId}`;

/** Deletes a suspended account with its ways to sign in. The batch fails with `missing` if the suspension has ended. */
const planDeletion = ({ id }: Row): readonly Write[] => [
  {
    do: "update",
    table: "accounts",
    set: { state: "suspended" },
    where: { id, state: "suspended" },
    expectOne: true,
  },
  { do: "delete", table: "sessions", where: { owner: id } },
  { do: "delete", table: "links", where: { id: toResetId(id) } },
  { do: "delete", table: "links", where: { id: toEmailId(id) } },
  { do: "delete", table: "links", where: { created_by: id } },
  { do: "delete", table: "limits", where: { subject: toSubject(id) } },
  { do: "delete", table: "group_people", where: { person: id } },
  ...(["identities", "passkeys", "authenticators", "recovery_codes"] as const).map((table): Write => ({
    do: "delete",
    table,
    where: { account: id },
  })),
  { do: "delete", table: "accounts", where: { id } },
];

/** A page of the audit log, newest first, with the names of the accounts. */
async function listAudit(
  read: Pick<Reads, "auditEntries" | "accountsById">,
  { before, limit }: Query<"listAudit">,
): Promise<Answer<"listAudit">> {
  const rows = await read.auditEntries(before ?? null, limit + 1);
  const shown = rows.slice(0, limit);
  const ids = new Set(shown.flatMap(({ actor, target }) => [actor, target].filter((id) => id !== null)));
  const names = new Map((await read.accountsById([...ids])).map(({ id, name }) => [id, name]));
  const toNamed = (id: string | null) => (id === null ? null : { id, name: names.get(id) ?? null });
  const entries = shown.map(({ actor, target, detail, ...row }): AuditEntry => ({
    ...row,
    ...{ actor: toNamed(actor), target: toNamed(target), detail: JSON.parse(detail) as AuditEntry["detail"] },
  }));
  return { entries, nextBefore: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

const toPerson = (row: Row, { authenticators, passkeys }: FactorCounts): Omit<Person, "monthUsd"> => ({
  ...{ id: row.id, name: row.name, email: row.email, role: row.role, state: row.state },
  ...{ createdAt: row.created_at, signedInAt: row.signed_in_at },
  ...{ authenticator: authenticators.has(row.id), passkeys: passkeys.get(row.id) ?? 0 },
});
