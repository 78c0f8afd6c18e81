import { createHash } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import { randomKey } from "../lib/random.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";

type Link = RowOf<"links">;
type Kind = Link["kind"];

const TOKEN_BYTES = 32;
const DAY_MS = 24 * 3_600_000;
/** A setup link is replaced at the next start. */
const LIFE_MS: Readonly<Record<Kind, number>> = {
  setup: 365 * DAY_MS,
  invite: 7 * DAY_MS,
  reset: DAY_MS,
  "sign-up": DAY_MS,
  email: DAY_MS,
};

/** The token follows `#`: browsers do not send that part, so it is in no log of a proxy. */
export const toLinkPath = (kind: Kind, token: string): string => `/${kind === "sign-up" ? "invite" : kind}#${token}`;

export const SETUP_ID = "setup";
export const toInviteId = (invitationId: string): string => `invite:${invitationId}`;
export const toSignUpId = (email: string): string => `sign-up:${toHash(email)}`;
export const toEmailId = (accountId: string): string => `email:${accountId}`;
export const toResetId = (accountId: string): string => `reset:${accountId}`;

/** A new link. Only its hash is stored. */
export function createLink(
  kind: Kind,
  link: Pick<Link, "id" | "account" | "email" | "role" | "created_by">,
  clock: Pick<Clock, "now">,
): { readonly token: string; readonly row: Link } {
  const token = randomKey(TOKEN_BYTES);
  const created_at = clock.now();
  return { token, row: { ...link, kind, hash: toHash(token), created_at, expires_at: created_at + LIFE_MS[kind] } };
}

/** The valid link of this kind with this token. `join`: an invitation or a sign-up. */
export async function findLink(
  read: Pick<Reads, "linkByHash">,
  clock: Pick<Clock, "now">,
  { kind, token }: { readonly kind: Kind | "join"; readonly token: string },
): Promise<Link | undefined> {
  const row = await read.linkByHash(toHash(token));
  if (!row || row.expires_at <= clock.now()) return undefined;
  // Invitations and sign-up links both create an account.
  const isOfKind = kind === "join" ? row.kind === "invite" || row.kind === "sign-up" : row.kind === kind;
  return isOfKind ? row : undefined;
}

/** Uses up a link. The batch fails with `missing` if another one used, replaced or revoked it. */
export const planUse = ({ id, hash, expires_at }: Link): readonly Write[] => [
  { do: "update", table: "links", set: { expires_at: 0 }, where: { id, hash, expires_at }, expectOne: true },
  { do: "delete", table: "links", where: { id } },
];

function toHash(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}
