import type { Body, Response as Answer } from "../../protocol/api.ts";
import { ApiError } from "../../protocol/errors.ts";
import type { Role } from "../../protocol/roles.ts";
import type { PlanAudit } from "../auth/audit.ts";
import type { FailureLimit } from "../auth/authenticate.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import { randomVersion } from "../lib/random.ts";
import type { Log } from "../log/log.ts";
import { toNetwork } from "../net/client-address.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import type { Browser, SignedIn } from "./accounts.ts";
import { createLink, findLink, planUse, SETUP_ID, toLinkPath } from "./links.ts";
import { TAKEN } from "./own-account.ts";
import { assertGoodPassword, type HashPassword } from "./passwords.ts";
import { ADMIN_GATE } from "./people.ts";
import type { SessionPlans } from "./session-plans.ts";

const FIRST_ADMIN = "local";
export const NO_LINK = "This link does not exist, has expired or was used. Ask an admin for a new one.";
const NO_SETUP = "This setup link does not exist or was replaced. Open the newest one that the server printed.";

type Options = {
  readonly read: Pick<Reads, "linkByHash">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly planAudit: PlanAudit;
  readonly hashNew: HashPassword;
  readonly planSession: SessionPlans["planSession"];
};

/** The first account: its setup link, which the server prints, and the use of that link. */
export function createSetup({ hasAdmin, ...options }: Options & { readonly hasAdmin: () => Promise<boolean> }) {
  const { read, log, clock, planAudit } = options;

  return {
    /** The path of a new setup link, which replaces the earlier one; null if there is an admin. */
    planSetup: async (): Promise<string | null> => {
      if (await hasAdmin()) return null;
      const shared = { id: SETUP_ID, account: null, email: null, role: "admin", created_by: null } as const;
      const { token, row } = createLink("setup", shared, clock);
      await log.commit({ events: [], writes: [{ do: "put", table: "links", row }] });
      return toLinkPath("setup", token);
    },

    setUp: async (body: Body<"setUp">, browser: Browser): Promise<SignedIn> => {
      const link = (await hasAdmin()) ? undefined : await findLink(read, clock, { kind: "setup", token: body.token });
      if (!link) throw new ApiError("not-found", NO_SETUP);
      const account = await planAccount(options, { ...body, id: FIRST_ADMIN, role: "admin" }, browser.address);
      const { writes, signedIn } = await options.planSession(FIRST_ADMIN, browser, "setup");
      const actor = { userId: FIRST_ADMIN, address: browser.address };
      const { ok } = await log.commit({
        events: [],
        writes: [
          ...planUse(link),
          account,
          { do: "put", table: "meta", row: { key: ADMIN_GATE, value: "1" } },
          // Sessions of the token and its open streams end.
          { do: "delete", table: "sessions", where: { owner: FIRST_ADMIN } },
          { do: "delete", table: "push_subscriptions", where: { owner: FIRST_ADMIN } },
          ...writes,
          ...planAudit({ action: "set-up", actor, target: FIRST_ADMIN, detail: { role: "admin" } }),
        ],
      });
      if (ok) return signedIn;
      throw new ApiError("not-found", NO_SETUP);
    },
  };
}

/** Accounts that users create with the link of an invitation or of a sign-up. */
export function createSignUp({ ids, failures, maySignUp, ...options }: Options & SignUpOptions) {
  const { read, log, clock, planAudit } = options;

  const findJoinLink = async (token: string) => {
    const link = await findLink(read, clock, { kind: "join", token });
    const isAllowed = link?.kind !== "sign-up" || maySignUp?.(link.email ?? "") === true;
    if (link && isAllowed) return link;
    throw new ApiError("not-found", NO_LINK);
  };

  return {
    findJoinLink,

    openInvitation: async ({ token }: Body<"openInvitation">): Promise<Answer<"openInvitation">> => {
      const link = await findJoinLink(token);
      return { email: link.email, role: link.role, expiresAt: link.expires_at };
    },

    acceptInvitation: async (body: Body<"acceptInvitation">, browser: Browser): Promise<SignedIn> => {
      failures.assertAllowed(browser.address);
      const link = await findJoinLink(body.token);
      if (link.email !== null && link.email !== body.email) {
        throw new ApiError("invalid", `This invitation is for ${link.email}. Enter this address.`);
      }
      const id = ids.next();
      const account = await planAccount(options, { ...body, id, role: link.role }, browser.address);
      const { writes, signedIn } = await options.planSession(id, browser, "invitation");
      const actor = { userId: id, address: browser.address };
      const detail = { role: link.role, invitedBy: link.created_by };
      const result = await log.commit({
        events: [],
        writes: [
          ...planUse(link),
          { do: "insert", table: "users", row: { id, created_at: clock.now() } },
          account,
          ...writes,
          ...planAudit({
            action: link.kind === "sign-up" ? "signed-up" : "invitation-accepted",
            actor,
            target: id,
            detail,
          }),
        ],
      });
      if (result.ok) return signedIn;
      if (result.why === "conflict") throw new ApiError("conflict", TAKEN);
      throw new ApiError("not-found", NO_LINK);
    },
  };
}

type SignUpOptions = {
  readonly ids: Ids;
  readonly failures: FailureLimit;
  /** Whether an address may still sign up with a link by mail. */
  readonly maySignUp?: ((email: string) => boolean) | undefined;
};

type NewAccount = Body<"setUp"> & { readonly id: string; readonly role: Role };

async function planAccount(
  { clock, hashNew }: Pick<Options, "clock" | "hashNew">,
  { id, name, email, role, password }: NewAccount,
  address: string,
): Promise<Write> {
  assertGoodPassword(password, { name, email });
  const now = clock.now();
  const row: RowOf<"accounts"> = {
    ...{ id, name, email, role, state: "active", password: await hashNew(password, address) },
    ...{
      networks: JSON.stringify([toNetwork(address)]),
      created_at: now,
      changed_at: randomVersion(),
      signed_in_at: now,
    },
  };
  return { do: "insert", table: "accounts", row };
}
