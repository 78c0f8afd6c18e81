import { Email } from "../../protocol/account/accounts.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { randomVersion } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import type { Store } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

type Account = RowOf<"accounts">;

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly planAudit: PlanAudit;
  /** Whether an unknown address gets an account. */
  readonly signUp: boolean;
};

/** Returns the active account of the user whom a trusted proxy names, or throws. */
export type FindProxyUser = (given: string, address: string) => Promise<Account>;

const USE_RESOLUTION_MS = 3_600_000;

export function createProxyUsers({ store, log, clock, ids, planAudit, signUp }: Options): FindProxyUser {
  const { read } = store;

  const create = async (email: string, address: string): Promise<Account | undefined> => {
    const [id, now] = [ids.next(), clock.now()];
    const name = email.split("@")[0] ?? email;
    const row: Account = {
      ...{ id, name, email, role: "member", state: "active", password: "", networks: "[]" },
      ...{ created_at: now, changed_at: randomVersion(), signed_in_at: now },
    };
    await log.commit({
      events: [],
      writes: [
        { do: "insert", table: "users", row: { id, created_at: now } },
        { do: "insert", table: "accounts", row },
        ...planAudit({ action: "signed-up", actor: { userId: id, address }, target: id, detail: { by: "proxy" } }),
      ],
    });
    // If another request created it at the same time, this batch failed and that account is used.
    return read.accountByEmail(email);
  };

  const recordUse = async ({ id, signed_in_at }: Account): Promise<void> => {
    const now = clock.now();
    if ((signed_in_at ?? 0) > now - USE_RESOLUTION_MS) return;
    const set = { signed_in_at: now };
    await log.commit({ events: [], writes: [{ do: "update", table: "accounts", set, where: { id } }] });
  };

  return async (given, address) => {
    const { data: email } = Email.safeParse(given);
    if (email === undefined) {
      throw new ApiError("unauthenticated", "The proxy did not send a valid email address for you. Ask its operator.");
    }
    const row = (await read.accountByEmail(email)) ?? (signUp ? await create(email, address) : undefined);
    if (!row)
      throw new ApiError("unauthenticated", `No account has the address ${email}. Ask an admin for an invitation.`);
    if (row.state !== "active") throw new ApiError("unauthenticated", "This account is suspended. Ask an admin.");
    await recordUse(row);
    return row;
  };
}
