import { define } from "../language.ts";
import type { Effort } from "../../../protocol/model.ts";

const efforts: Readonly<Record<Effort, { readonly name: string; readonly about: string }>> = {
  none: { name: "None", about: "Answers immediately." },
  low: { name: "Low", about: "Thinks briefly: fast and cheap." },
  medium: { name: "Medium", about: "The default: thinks when it helps." },
  high: { name: "High", about: "Thinks longer: slower and more expensive, for hard problems." },
};

const providers: Readonly<Record<string, string>> = {
  anthropic: "Anthropic",
  azure: "Azure OpenAI",
  bedrock: "Amazon Bedrock",
  compatible: "Your server",
  deepseek: "DeepSeek",
  google: "Google",
  groq: "Groq",
  mistral: "Mistral",
  offline: "Built in",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  xai: "xAI",
};

export const modelLabels = define("modelLabels", {
  efforts,
  providers,
  noThinking: "no thinking",
  effort: (effort: Effort) => `${effort} effort`,
  free: "free",
  paid: "paid",
  window: (tokens: string) => `${tokens} window`,
  perMillion: (price: string) => `${price} per million`,
  price: (input: string, output: string) => `${input} in, ${output} out`,
  unavailable: "Not available.",
  local: "on your network",
  noTools: "no tools",
  noteFavorite: "favorite",
});
