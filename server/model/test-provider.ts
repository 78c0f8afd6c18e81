import type { ProviderTest } from "../../protocol/settings/providers.ts";
import { say, sentence, type Text } from "../../protocol/sentences.ts";
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
    if (models === undefined) return wrong(say(sentence("test-lists-nothing", label)));
    const works = models === 1 ? sentence("test-one-model", label) : sentence("test-models", label, models);
    return { outcome: "ok", models, ...say(works) };
  } catch (error) {
    if (late.aborted) return away(say(sentence("test-late", label, TIMEOUT_MS / 1000)));
    if (error instanceof BadStatus) return toStatus(provider, error.status);
    if (error instanceof SyntaxError) return wrong(say(sentence("test-no-list", label)));
    return toNetwork(provider, error);
  }
}

const refused = (text: Text): ProviderTestResult => ({ outcome: "refused-key", models: null, ...text });
const wrong = (text: Text): ProviderTestResult => ({ outcome: "wrong-address", models: null, ...text });
const away = (text: Text): ProviderTestResult => ({ outcome: "no-network", models: null, ...text });
const failed = (text: Text): ProviderTestResult => ({ outcome: "failed", models: null, ...text });

function toStatus({ label, namespace, secrets }: Provider, status: number): ProviderTestResult {
  // Google answers an invalid key with 400.
  if (status === 401 || status === 403 || (status === 400 && namespace === "google")) {
    return refused(say(sentence(secrets.length === 0 ? "test-needs-key" : "test-rejects-key", label)));
  }
  if (status === 402) return failed(say(sentence("test-no-credit", label)));
  if (status === 429) return failed(say(sentence("test-limited", label)));
  if (status >= 500) return failed(say(sentence("test-status", label, status)));
  return wrong(say(sentence("test-address", status)));
}

function toNetwork({ label }: Provider, error: unknown): ProviderTestResult {
  const { code, message } = error as { code?: string; message?: string };
  const isNetError = error instanceof Error && error.name === "NetError";
  if (isNetError && code === "blocked") return wrong(say(sentence("test-blocked", label)));
  if (isNetError && code === "bad-url") return wrong(say(sentence("test-invalid", label)));
  if (isNetError && (code === "tls" || code === "protocol" || code === "encoding")) {
    return wrong(say(sentence("test-unusable", label, message ?? code)));
  }
  const verdict = classifyNetwork(error);
  const text = say(verdict?.explain(label) ?? sentence("test-unreachable", label));
  return verdict?.fault === "settings" ? wrong(text) : away(text);
}
