import { createHash } from "node:crypto";
import { ApiError } from "../../protocol/errors.ts";
import type { PlanEmailMails, PlanInvitationMail } from "../accounts/accounts.ts";
import { createLink, toLinkPath, toResetId, toSignUpId } from "../accounts/links.ts";
import type { PlanAudit } from "../auth/audit.ts";
import { EMPTY_OUTCOME, planJob, type JobKind, type JobOutcome } from "../jobs/jobs.ts";
import type { Clock } from "../lib/clock.ts";
import type { Ids } from "../lib/ids.ts";
import type { Seal } from "../lib/seal.ts";
import type { Log } from "../log/log.ts";
import type { Store, Write } from "../store/contract.ts";
import { createMailLimit } from "./mail-limit.ts";
import type { Mail, SendMail } from "./mailer.ts";
import {
  haveAccount,
  toEmailChangeMail,
  toEmailNote,
  toEmailTakenMail,
  toInvitationMail,
  toResetMail,
  toSignUpMail,
} from "./mail-texts.ts";

type Body =
  | { readonly mail: "reset" | "sign-up"; readonly email: string }
  | { readonly mail: "none" }
  /** The link is sealed: only its hash may be stored in clear. */
  | { readonly mail: "invitation" | "email-change"; readonly email: string; readonly sealed: string }
  | { readonly mail: "email-taken"; readonly email: string }
  /** To the old address. */
  | { readonly mail: "email-note"; readonly email: string; readonly to: string };

type Options = {
  readonly store: Pick<Store, "read">;
  readonly log: Pick<Log, "commit">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly seal: Seal;
  readonly planAudit: PlanAudit;
  readonly send: SendMail;
  readonly publicUrl: string;
  readonly signUpDomains: readonly string[];
};

const KIND = "mail";
/** Owner of the jobs. It is no account, so no suspension stops them. */
const OWNER = "server";
const EXPIRED_BATCH = 100;

/**
 * Mails with links. A request only stores a job, for any address, so neither its response nor its time shows whether there is an
 * account. The job finds the account, creates the link and sends it; after a failure it is tried again with a new link.
 */
export function createMails(options: Options) {
  const { store, log, clock, ids, seal, planAudit, send, publicUrl, signUpDomains } = options;
  const { read } = store;
  const limit = createMailLimit(clock);
  const maySignUp = (email: string): boolean => signUpDomains.includes(email.split("@")[1] ?? "");

  const planMail = (body: Body, key: string): Write[] =>
    planJob({ id: ids.next(), kind: KIND, key, threadId: null, ownerId: OWNER, body, now: clock.now() });

  const request = async (mail: "reset" | "sign-up", email: string, address: string): Promise<void> => {
    const isAllowed = limit.countMail(`${mail} ${email}`, address);
    const key = createHash("sha256").update(email).digest("base64url");
    // Above the limit a job without a mail, so that the response takes the same time.
    const writes = isAllowed
      ? planMail({ mail, email }, `${mail}:${key}`)
      : planMail({ mail: "none" }, `none:${ids.next()}`);
    await log.commit({ events: [], writes });
  };

  const createReset = async (email: string): Promise<Mail | undefined> => {
    const account = await read.accountByEmail(email);
    if (account?.state !== "active") return undefined;
    const shared = { id: toResetId(account.id), account: account.id, email: null, role: account.role } as const;
    const { token, row } = createLink("reset", { ...shared, created_by: null }, clock);
    const { ok } = await log.commit({
      events: [],
      writes: [
        // Not if the account was suspended or got another address.
        {
          do: "update",
          table: "accounts",
          set: { email },
          where: { id: account.id, email, state: "active" },
          expectOne: true,
        },
        { do: "put", table: "links", row },
        ...planAudit({ action: "reset-mail-sent", actor: null, target: account.id }),
      ],
    });
    return ok ? toResetMail(email, `${publicUrl}${toLinkPath("reset", token)}`) : undefined;
  };

  const createSignUp = async (email: string): Promise<Mail | undefined> => {
    if (!maySignUp(email)) return undefined;
    if (await read.accountByEmail(email)) return haveAccount(email, publicUrl);
    const expired = await read.expiredSignUps(clock.now(), EXPIRED_BATCH);
    const shared = { id: toSignUpId(email), account: null, email, role: "member", created_by: null } as const;
    const { token, row } = createLink("sign-up", shared, clock);
    await log.commit({
      events: [],
      writes: [
        ...expired.map(({ id }): Write => ({ do: "delete", table: "links", where: { id } })),
        { do: "put", table: "links", row },
      ],
    });
    return toSignUpMail(email, `${publicUrl}${toLinkPath("sign-up", token)}`);
  };

  const createMail = async (body: Body): Promise<Mail | undefined> => {
    switch (body.mail) {
      case "none":
        return undefined;
      case "reset":
        return createReset(body.email);
      case "sign-up":
        return createSignUp(body.email);
      case "email-taken":
        return toEmailTakenMail(body.email);
      case "email-note":
        return toEmailNote(body.email, body.to);
      case "email-change":
      case "invitation": {
        const { path, from } = JSON.parse(seal.decrypt(body.sealed)) as { path: string; from: string };
        const link = `${publicUrl}${path}`;
        return body.mail === "invitation"
          ? toInvitationMail(body.email, link, from)
          : toEmailChangeMail(body.email, link);
      }
    }
  };

  const kind: JobKind = {
    ...{ kind: KIND, leaseMs: 120_000, maxAttempts: 8 },
    run: async (job) => {
      const mail = await createMail(job.body as Body);
      if (mail) await send(mail);
      return end(job);
    },
    giveUp: async (job) => {
      const outcome = await end(job);
      const body = job.body as Body;
      if (body.mail !== "invitation") return outcome;
      // The page has said that the link is on its way.
      const writes = planAudit({ action: "invitation-mail-failed", actor: null, detail: { email: body.email } });
      return { ...outcome, writes };
    },
  };

  return {
    kind,
    planInvitation: (({ email, token, from }) => {
      const sealed = seal.encrypt(JSON.stringify({ path: toLinkPath("invite", token), from }));
      return planMail({ mail: "invitation", email, sealed }, `invitation:${ids.next()}`);
    }) satisfies PlanInvitationMail,
    planEmailChange: (({ from, to, token, address }) => {
      if (!limit.countMail(`email ${to}`, address))
        throw new ApiError("busy", "Too many mails were sent to this address. Try again in an hour.", undefined, 3600);
      const sealed = seal.encrypt(JSON.stringify({ path: toLinkPath("email", token ?? ""), from: "" }));
      return [
        ...planMail(
          token === null ? { mail: "email-taken", email: to } : { mail: "email-change", email: to, sealed },
          `email-change:${ids.next()}`,
        ),
        ...planMail({ mail: "email-note", email: from, to }, `email-note:${ids.next()}`),
      ];
    }) satisfies PlanEmailMails,
    maySignUp,
    requestReset: (email: string, address: string): Promise<void> => request("reset", email, address),
    requestSignUp: async (email: string, address: string): Promise<void> => {
      if (signUpDomains.length === 0)
        throw new ApiError("invalid", "This server has no sign-up. Ask an admin for an invitation.");
      await request("sign-up", email, address);
    },
  };
}

export type Mails = ReturnType<typeof createMails>;

/** Deletes the job. */
const end = async ({ id }: { readonly id: string }): Promise<JobOutcome> => ({
  ...EMPTY_OUTCOME,
  // The row has an address, and perhaps a link.
  unlessPlannedAgain: [{ do: "delete", table: "jobs", where: { id } }],
});
