import type { CDPSession, Page } from "playwright-core";

/** An authenticator of the browser itself: it makes and uses passkeys without a dialog. */
export type VirtualAuthenticator = {
  /** Whether its user passes the check of a fingerprint or PIN. */
  readonly verifyUser: (isVerified: boolean) => Promise<void>;
  readonly listCredentials: () => Promise<
    readonly { readonly rpId?: string; readonly isResidentCredential: boolean }[]
  >;
  readonly remove: () => Promise<void>;
};

/** Gives one page an authenticator. */
export async function addAuthenticator(page: Page): Promise<VirtualAuthenticator> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return {
    verifyUser: async (isUserVerified) => {
      await session.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified });
    },
    listCredentials: async () => (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    remove: async () => {
      await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
      await session.detach();
    },
  };
}
