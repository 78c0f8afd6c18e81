import type { ModelInfo } from "../../protocol/api.ts";
import type { Clock } from "../../server/lib/clock.ts";
import { createBreaker } from "../../server/model/breaker.ts";
import type { Models } from "../../server/model/model.ts";
import { createSdkModel } from "../../server/model/sdk-model.ts";
import { createLanguageModel } from "./language-model.ts";

/** Replaces the registry: one model, called through the same adapter as all providers. */
export const createModels = ({ clock }: { readonly clock: Clock }): Models => {
  const info: ModelInfo = {
    id: "bench/bench",
    name: "Bench",
    provider: "bench",
    free: true,
    available: true,
    unavailable: null,
    note: "Says what the benchmark asks for",
    reasoning: false,
    windowTokens: 128_000,
    prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    source: null,
  };
  const provider = {
    label: "Bench",
    secrets: [],
    namespace: "bench",
    saysFinish: true,
    languageModel: createLanguageModel,
    callOptions: () => ({}),
    readList: async () => ({ listings: [], count: 0 }),
  };
  const breaker = createBreaker({ clock, label: provider.label });
  const model = createSdkModel({
    info,
    provider,
    clock,
    breakers: { foreground: breaker, background: breaker },
    timeouts: {},
  });
  const models: Models = {
    list: () => [info],
    find: (id) => (id === info.id ? model : undefined),
    isLocal: () => false,
    defaultId: info.id,
    fallbacks: () => [],
    lacksTools: () => false,
    noteNoTools: () => {},
    refresh: async () => {},
    reload: async () => {},
    close: () => {},
    forUser: () => models,
  };
  return models;
};
