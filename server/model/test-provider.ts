import type { ProviderTest } from "../../protocol/settings/providers.ts";
import { classifyNetwork } from "./network-failure.ts";
import { BadStatus } from "./lists/refresh.ts";
import type { Provider } from "./sdk/provider.ts";

export type ProviderTestResult = Omit<ProviderTest, "at">;

const TIMEOUT_MS = 15_000;

/** Reads the provider's model list with the key and describes the result. The text contains neither key nor response. */
export async function testProvider(provider: Provider, signal: AbortSignal): Promise<ProviderTestResult> {
  const { label } = provider;
  const late = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const either = AbortSignal.any([signal, late]);
    await provider.checkKey?.(either);
    const { count: models } = await provider.readList(either);
    if (models === undefined) return wrong(`The server at this address is not ${label}: its response lists no models.`);
    const many = models === 1 ? "1 model" : `${models.toLocaleString("en")} models`;
    return { outcome: "ok", models, text: `${label} works and offers ${many}.` };
  } catch (error) {
    if (late.aborted) return away(`${label} did not answer within ${TIMEOUT_MS / 1000} seconds. Check the network.`);
    if (error instanceof BadStatus) return toStatus(provider, error.status);
    if (error instanceof SyntaxError)
      return wrong(`The server at this address is not ${label}: its response is no list of models.`);
    return toNetwork(provider, error);
  }
}

const refused = (text: string): ProviderTestResult => ({ outcome: "refused-key", models: null, text });
const wrong = (text: string): ProviderTestResult => ({ outcome: "wrong-address", models: null, text });
const away = (text: string): ProviderTestResult => ({ outcome: "no-network", models: null, text });
const failed = (text: string): ProviderTestResult => ({ outcome: "failed", models: null, text });

function toStatus({ label, namespace, secrets }: Provider, status: number): ProviderTestResult {
  // Google answers an invalid key with 400.
  if (status === 401 || status === 403 || (status === 400 && namespace === "google")) {
    return refused(
      secrets.length === 0
        ? `${label} needs a key. Add one.`
        : `${label} rejects this key. Check that it is complete and still valid.`,
    );
  }
  if (status === 402) return failed(`${label} accepts the key, but the account has no credit left.`);
  if (status === 429) return failed(`${label} is limiting requests right now. Try again in a minute.`);
  if (status >= 500) return failed(`${label} failed with status ${status}. Try again later.`);
  return wrong(
    `There is no list of models at this address (status ${status}). Check that it is complete, with its /v1.`,
  );
}

/** If an address that a user typed does not answer, the address is more likely wrong than the network. */
function toNetwork({ label, namespace }: Provider, error: unknown): ProviderTestResult {
  const { code, message } = error as { code?: string; message?: string };
  const isNetError = error instanceof Error && error.name === "NetError";
  if (isNetError && (code === "blocked" || code === "bad-url")) return wrong(message ?? "This address is not allowed.");
  if (isNetError && (code === "tls" || code === "protocol" || code === "encoding")) {
    return wrong(`${label} cannot be used: ${message ?? "it does not use HTTP."} Check the address.`);
  }
  const verdict = classifyNetwork(error);
  const text = verdict?.explain(label) ?? `${label} cannot be reached. Check the network and the address.`;
  const isTyped = namespace === "compatible" && (code === "connect" || isRefused(error));
  return isTyped || verdict?.fault === "settings" ? wrong(text) : away(text);
}

const isRefused = (error: unknown): boolean =>
  typeof error === "object" &&
  error !== null &&
  ((error as { code?: unknown }).code === "ECONNREFUSED" || isRefused((error as { cause?: unknown }).cause));
