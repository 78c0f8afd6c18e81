import { ApiError } from "../../protocol/errors.ts";
import type { Principal } from "../auth/principal.ts";
import { randomVersion } from "../lib/random.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

export const notAdmin = (): ApiError =>
  new ApiError("forbidden", "Only admins of this server can do this. Ask one of them.");

export const isActiveAdmin = ({ role, state }: RowOf<"accounts">): boolean => role === "admin" && state === "active";

/** An admin may have lost the role after the request was authenticated. */
export async function assertStillAdmin(read: Pick<Reads, "account">, { userId }: Principal): Promise<void> {
  const row = await read.account(userId);
  if (row && isActiveAdmin(row)) return;
  throw notAdmin();
}

/**
 * A write that makes a batch fail with `missing` unless the user is still an admin. So a link of an admin is created before a demotion
 * deletes it, or not at all. null: the operator, from the command line.
 */
export const planStillAdmin = (principal: Principal | null): readonly Write[] =>
  principal === null
    ? []
    : [
        {
          do: "update",
          table: "accounts",
          set: { changed_at: randomVersion() },
          where: { id: principal.userId, role: "admin", state: "active" },
          expectOne: true,
        },
      ];

/** The account that an admin acts on. */
export async function getAccount(read: Pick<Reads, "account">, id: string): Promise<RowOf<"accounts">> {
  const row = await read.account(id);
  if (!row) throw new ApiError("not-found", "Not found.");
  return row;
}
