import type { Assertion, Attestation } from "../../protocol/account/factors.ts";
import { ApiError } from "../../protocol/errors.ts";
import { getBrowserSession, type Principal } from "../auth/principal.ts";
import type { Clock } from "../lib/clock.ts";
import type { Reads, Write } from "../store/contract.ts";
import type { RowOf } from "../store/schema.ts";
import { toPasskeySite, type PasskeySite } from "./passkey-site.ts";
import { planUseOfState } from "./used-states.ts";

type Row = RowOf<"passkeys">;

export const CHALLENGE_LIFE_MS = 5 * 60_000;

/** A challenge that was not answered yet. `session` is null before sign-in. */
export type PendingChallenge = {
  readonly challenge: string;
  readonly site: PasskeySite;
  readonly session: string | null;
  readonly expiresAt: number;
};

/** ES256, Ed25519 and RS256: every authenticator has one of them. */
export const ALGORITHMS = [-7, -8, -257];
export const EXPIRED =
  "This request has expired, was completed already or was started in another browser. Start again.";
/** Takes half a second and 27 MB, which servers without passkeys do not need. */
export const loadLibrary = () => import("@simplewebauthn/server");

type Options = {
  readonly read: Pick<Reads, "expiredStates">;
  readonly clock: Clock;
  readonly publicOrigin: string | null;
};

/** Requests to authenticators. Each has a challenge, which can be used once. */
export type PasskeyChallenges = ReturnType<typeof createPasskeyChallenges>;

export function createPasskeyChallenges({ read, clock, publicOrigin }: Options) {
  const toSite = (origin: string | undefined): PasskeySite => toPasskeySite(origin, publicOrigin);

  const toPending = (challenge: string, site: PasskeySite, session: string | null): PendingChallenge => ({
    ...{ challenge, site, session, expiresAt: clock.now() + CHALLENGE_LIFE_MS },
  });
  const planUse = (pending: PendingChallenge) => planUseOfState(pending.challenge, pending.expiresAt, { read, clock });

  const createRequest = async (site: PasskeySite, known: readonly Row[] = []) => {
    const { generateAuthenticationOptions } = await loadLibrary();
    return generateAuthenticationOptions({
      ...{ rpID: site.id, timeout: CHALLENGE_LIFE_MS, userVerification: "required" },
      allowCredentials: known.map(({ credential, transports }) => ({ id: credential, ...readTransports(transports) })),
    });
  };

  return { toSite, toPending, planUse, createRequest };
}

/** The challenge, if it was made for this session. */
export function getOfSession(principal: Principal, pending: PendingChallenge | undefined): PendingChallenge {
  if (pending && pending.session === getBrowserSession(principal)) return pending;
  throw new ApiError("invalid", EXPIRED);
}

/** The new counter; undefined if the assertion is not valid. */
export async function verifyAssertion(
  row: Row,
  { id, response }: Assertion,
  pending: PendingChallenge,
): Promise<number | undefined> {
  if (response.userHandle !== undefined && response.userHandle !== row.handle) return undefined;
  const { userHandle: _, ...signed } = response;
  const { verifyAuthenticationResponse } = await loadLibrary();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { id, rawId: id, type: "public-key", response: signed, clientExtensionResults: {} },
      ...toExpected(pending),
      credential: {
        ...{ id: row.credential, counter: row.counter },
        publicKey: new Uint8Array(Buffer.from(row.public_key, "base64url")),
      },
    });
    return verified ? authenticationInfo.newCounter : undefined;
  } catch {
    // The library throws for every invalid assertion, and the client chooses all of its fields.
    return undefined;
  }
}

/** Fails with `missing` if the passkey was removed or used in the meantime. */
export const planCounter = ({ credential, account, counter }: Row, next: number, clock: Clock): Write => ({
  do: "update",
  table: "passkeys",
  set: { counter: next, used_at: clock.now() },
  where: { credential, account, counter },
  expectOne: true,
});

export async function verifyAttestation({ id, response }: Attestation, pending: PendingChallenge) {
  const { transports: _, ...attested } = response;
  const { verifyRegistrationResponse } = await loadLibrary();
  const result = await verifyRegistrationResponse({
    response: { id, rawId: id, type: "public-key", response: attested, clientExtensionResults: {} },
    ...toExpected(pending),
    supportedAlgorithmIDs: ALGORITHMS,
    // The library throws for everything that does not fit, and the client chooses all of its fields.
  }).catch(() => undefined);
  if (!result?.verified) throw new ApiError("invalid", "This passkey could not be added. Start again.");
  const { credential } = result.registrationInfo;
  return {
    credential: credential.id,
    public_key: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
  };
}

const toExpected = ({ challenge, site }: PendingChallenge) => ({
  ...{ expectedChallenge: challenge, expectedOrigin: site.origin, expectedRPID: site.id },
  requireUserVerification: true,
});

export const readTransports = (stored: string): { readonly transports: string[] } => ({
  transports: JSON.parse(stored) as string[],
});
