import type { LanguageModelV4 } from "@ai-sdk/provider";
import type { ModelRequest } from "../../../protocol/model.ts";
import { createProviders } from "../../../server/model/sdk/providers.ts";
import { toCallOptions } from "../../../server/model/sdk/to-call-options.ts";
import type { Dialect } from "./validators/validate-request.ts";

/** The models that requests are encoded for: each address, and each family with different rules. */
export const targets = [
  { id: "anthropic/claude-sonnet-5-5", dialect: "anthropic" },
  { id: "anthropic/claude-haiku-4-5", dialect: "anthropic" },
  { id: "openai/gpt-5-mini", dialect: "openai" },
  { id: "google/gemini-3.8-flash", dialect: "google" },
  { id: "openrouter/anthropic/claude-sonnet-5-5", dialect: "openrouter" },
  { id: "openrouter/moonshotai/kimi-k2.5", dialect: "deepseek" },
  { id: "openrouter/mistralai/ministral-8b", dialect: "mistral" },
  { id: "openrouter/deepseek/deepseek-v4", dialect: "deepseek" },
  { id: "compatible/qwen3:8b", dialect: "compatible" },
  { id: "compatible/mistral-large", dialect: "mistral" },
  { id: "compatible/deepseek-chat", dialect: "deepseek" },
] as const satisfies readonly { readonly id: string; readonly dialect: Dialect }[];

export type Target = (typeof targets)[number];

/**
 * The body that a provider's package would send for a request, as text. Without an address nothing leaves the process,
 * because the package's fetch is answered here. With one, the body is sent to a real server, which records it.
 */
export const createEncoder = (url = "http://127.0.0.1:9") => {
  let body = "";
  const take: typeof globalThis.fetch = async (_input, init) => {
    body = String(init?.body);
    return new Response("data: [DONE]\n\n", { headers: { "content-type": "text/event-stream" } });
  };
  const isReal = url !== "http://127.0.0.1:9";
  const providers = createProviders(
    {
      keys: { openrouter: "k", openai: "k", anthropic: "k", google: "k" },
      baseUrls: { openrouter: url, openai: url, anthropic: url, google: url },
      compatible: { baseUrl: url, models: [] },
    },
    isReal ? globalThis.fetch : take,
  );
  const models = new Map<string, LanguageModelV4>();
  return async (request: ModelRequest, id: string): Promise<string> => {
    const [namespace = "", ...rest] = id.split("/");
    const provider = providers.get(namespace);
    if (provider === undefined) throw new Error(`no provider ${namespace}`);
    const name = rest.join("/");
    const model = models.get(id) ?? (await provider.languageModel(name));
    models.set(id, model);
    const options = toCallOptions(request, { provider, name, canReason: true }, new AbortController().signal);
    const { stream } = await model.doStream(options);
    await stream.cancel();
    return body;
  };
};

/** The stable bytes of a body: tools, instructions, messages; without cache marks and closing brackets. */
export const toSpine = (body: string): string => {
  const { tools, system, systemInstruction, messages, input, contents } = JSON.parse(body, dropMarks) as Record<
    string,
    unknown
  >;
  const text = JSON.stringify([tools ?? null, system ?? systemInstruction ?? null, messages ?? input ?? contents]);
  return text.replace(/["\]}]+$/, "");
};

const dropMarks = (key: string, value: unknown): unknown => (key === "cache_control" ? undefined : value);
