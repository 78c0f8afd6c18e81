import { ResponseError, type Client } from "../../protocol/client.ts";
import { ShownError } from "../lib/error-text.ts";
import { factors } from "../strings/account/factors.ts";

const strings = factors.faults;

/** Why passkeys cannot be used on this page; null if they can. `origin`: the only address at which they work, if there is one. */
export function findPasskeyFault(origin: string | null): string | null {
  if (origin !== null && origin !== location.origin) return strings.elsewhere(origin);
  if (!isSecureContext) return strings.insecure;
  if (/^(?:[\d.]+|\[.*\])$/.test(location.hostname)) return strings.address;
  return "PublicKeyCredential" in globalThis ? null : strings.browser;
}

/** Loaded by the forms that use passkeys, before the button is pressed: some browsers open their dialog only right after it. */
export async function loadPasskeys() {
  const { startAuthentication, startRegistration } = await import("@simplewebauthn/browser");
  return { startAuthentication, startRegistration };
}
type Library = Awaited<ReturnType<typeof loadPasskeys>>;
type Creation = Parameters<Library["startRegistration"]>[0]["optionsJSON"];
type Request = Parameters<Library["startAuthentication"]>[0]["optionsJSON"];

/** Asks for one of the passkeys that the options allow. */
async function getPasskey(options: object) {
  const { startAuthentication } = await loadPasskeys();
  return explain(startAuthentication({ optionsJSON: options as Request }));
}

export async function signInWithPasskey(client: Client): Promise<{ readonly userId: string }> {
  const { options } = await client.startPasskeySignIn({ params: {}, body: {} });
  const credential = await getPasskey(options);
  return client.signInWithPasskey({ params: {}, body: { credential } });
}

export async function confirmWithPasskey(client: Client): Promise<void> {
  const { options, state } = await client.startConfirmation({ params: {}, body: {} });
  const credential = await getPasskey(options);
  await client.confirmUser({ params: {}, body: { passkey: { state, credential } } });
}

export async function addPasskey(client: Client, name: string): Promise<void> {
  const { options, state } = await client.startPasskey({ params: {}, body: {} });
  const { startRegistration } = await loadPasskeys();
  const credential = await explain(startRegistration({ optionsJSON: options as unknown as Creation }));
  await client.addPasskey({ params: {}, body: { state, name, credential } });
}

/** Errors of the browser do not say what to do, and are in its language. */
async function explain<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    if (error instanceof ResponseError) throw error;
    const { name } = error as Error;
    if (name === "InvalidStateError") throw new ShownError(strings.exists);
    throw new ShownError(name === "NotAllowedError" || name === "AbortError" ? strings.cancelled : strings.failed);
  }
}
