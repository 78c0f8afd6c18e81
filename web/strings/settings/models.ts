import { define } from "../language.ts";
import type { ProviderTest } from "../../../protocol/settings/providers.ts";
import { plural } from "../plural.ts";

const outcomes: Readonly<Record<Exclude<ProviderTest["outcome"], "ok">, string>> = {
  "no-key": "No key",
  "refused-key": "Key rejected",
  "no-network": "Unreachable",
  "wrong-address": "Wrong address",
  failed: "Not responding",
};

export const modelSettings = define("modelSettings", {
  providers: "Providers",
  about: "Once you add a key, its models can be used in every thread. Without a key, the built-in demo model answers.",
  states: {
    noAddress: "No address",
    noKey: "No key",
    noModels: "No models yet",
    models: (count: number, text: string) => plural(count, "model", "models", text),
    outcomes,
  },
  /** Where a provider's key is stored. */
  keys: {
    environment: (variable: string) => `The operator has set the key in ${variable}.`,
    none: (variable: string) => `Add a key here, or set ${variable} on the server.`,
    optional: "No key set. Local servers such as Ollama usually don't need one.",
    stored: "A key is set. It is stored encrypted and never shown again.",
    storedSince: (day: string) => `A key was set on ${day}. It is stored encrypted and never shown again.`,
  },
  card: {
    operatorAddress: "The operator has set this address.",
    test: "Test",
    testing: "Testing…",
    tested: (moment: string) => `Tested ${moment}`,
    addAddress: "Add address",
    changeAddress: "Change address",
    addKey: "Add key",
    replaceKey: "Replace key",
    /** For screen readers: the button's text and its provider. */
    actionFor: (action: string, provider: string) => `${action}: ${provider}`,
  },
  addressForm: {
    label: (provider: string) => `Address of ${provider}`,
    address: "Address",
    addressAbout:
      "The API address, usually ending in /v1, as of Ollama, vLLM or LM Studio. An address on this machine or in your network must be listed in STONECHAT_ALLOW_PRIVATE, or set as STONECHAT_COMPATIBLE_URL when the server starts.",
    addressExample: "https://models.example.com/v1",
    models: "Models",
    modelsAbout: "Optional. Model names, separated by commas, if the server can't list them.",
  },
  keyForm: {
    label: (provider: string) => `Key for ${provider}`,
    /** The name of the environment variable follows. */
    about: "Stored encrypted and never shown again. The operator can override it with",
    show: "Show key",
    hide: "Hide key",
  },
  models: {
    title: "Models",
    about: "Prices are in US dollars per million input and output tokens.",
    filter: "Filter models",
    filterHint: "Filter by name or provider",
    kind: "Model type",
    kinds: {
      all: "All models",
      ready: "Ready to use",
      free: "Free",
      paid: "Paid",
      reasoning: "With reasoning",
    },
    loading: "Loading models…",
    noMatch: "No matching models.",
    ready: "Ready to use",
    showAll: (count: number) => `Show all ${count}`,
    default: "Default",
    reasoning: "reasoning",
    free: "Free",
    paid: "Paid",
    window: (tokens: string) => `${tokens} window`,
    unknownWindow: "window unknown",
  },
});
