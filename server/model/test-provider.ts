import type { ProviderTest } from "../../protocol/settings/providers.ts";
import { classifyNetwork } from "./network-failure.ts";
import { BadStatus } from "./refresh.ts";
import type { Provider } from "./sdk/providers.ts";

export type Tested = Omit<ProviderTest, "at">;

const PATIENCE_MS = 15_000;

/** Asks for the models with the key, and says in a sentence what came of it; nothing of the key or the answer is in it. */
export async function testProvider(provider: Provider, signal: AbortSignal): Promise<Tested> {
  const { label } = provider;
  const late = AbortSignal.timeout(PATIENCE_MS);
  try {
    const models = await provider.countModels(AbortSignal.any([signal, late]));
    if (models === undefined)
      return wrong(`What answers there does not speak ${label}'s language: it names no models.`);
    const many = models === 1 ? "1 model" : `${models.toLocaleString("en")} models`;
    return { outcome: "ok", models, text: `${label} answers, and offers ${many}.` };
  } catch (error) {
    if (late.aborted) return away(`${label} did not answer within ${PATIENCE_MS / 1000} seconds. Check the network.`);
    if (error instanceof BadStatus) return toStatus(provider, error.status);
    if (error instanceof SyntaxError) return wrong(`What answers there is not ${label}: it sends no list of models.`);
    return toNetwork(provider, error);
  }
}

const refused = (text: string): Tested => ({ outcome: "refused-key", models: null, text });
const wrong = (text: string): Tested => ({ outcome: "wrong-address", models: null, text });
const away = (text: string): Tested => ({ outcome: "no-network", models: null, text });
const failed = (text: string): Tested => ({ outcome: "failed", models: null, text });

function toStatus({ label, namespace, secrets }: Provider, status: number): Tested {
  // Google calls a key that is not one a bad request.
  if (status === 401 || status === 403 || (status === 400 && namespace === "google")) {
    return refused(
      secrets.length === 0
        ? `${label} wants a key, and there is none.`
        : `${label} refuses this key. Is it whole, and still valid?`,
    );
  }
  if (status === 402) return failed(`${label} knows the key and says that there is no credit left on it.`);
  if (status === 429) return failed(`${label} is asked too often at the moment. Try again in a minute.`);
  if (status >= 500) return failed(`${label} has trouble of its own (status ${status}). Try again later.`);
  return wrong(`There is no list of models at this address (status ${status}). Is it whole, with its /v1?`);
}

/** For an address that somebody typed, what does not answer is more likely the address than the network. */
function toNetwork({ label, namespace }: Provider, error: unknown): Tested {
  const { code, message } = error as { code?: string; message?: string };
  const isOurs = error instanceof Error && error.name === "NetError";
  if (isOurs && (code === "blocked" || code === "bad-url")) return wrong(message ?? "This address is not opened.");
  if (isOurs && (code === "tls" || code === "protocol" || code === "encoding")) {
    return wrong(`${label} cannot be talked to: ${message ?? "it does not speak HTTP"} Check the address.`);
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
