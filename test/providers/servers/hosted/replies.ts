import { finish, text, toSse } from "../../../support/chat-wire.ts";
import { HEALTHY, raw, type Provider, type Reply, type Scenario } from "../scenario.ts";
import { anthropic, anthropicText, completed, google, openai, WORDS } from "./wires.ts";

type More = Partial<Scenario> & Pick<Scenario, "name" | "replies">;

export const of =
  (server: string, provider: Provider) =>
  (more: More): Scenario => ({ server, provider, outcome: "done", sentence: null, answer: WORDS, calls: 1, ...more });

export const LENGTH = "The answer was cut off at the model's output limit. Choose Continue to get the rest.";
export const FILTERED = "The provider's content filter cut this answer short.";
export const DECLINED = "The model declined to answer this.";
export const SHORTENED = "The prompt is too long for this model. It is shortened and sent again.";
export const CUT = "The arguments were cut off by the output limit. Call the tool again with shorter arguments.";

export const well = (provider: Provider): Reply => healthyOf[provider];
export const healthyOf: Record<Provider, Reply> = {
  compatible: raw(toSse([text(HEALTHY), finish()])),
  openrouter: raw(toSse([text(HEALTHY), finish()])),
  openai: openai(HEALTHY, completed),
  anthropic: anthropic([anthropicText(HEALTHY)], "end_turn"),
  google: google([{ text: HEALTHY }], "STOP"),
};

export const longRefusal = (
  provider: Provider,
  reply: Exclude<Reply, (...args: never) => unknown>,
): readonly Reply[] => [
  (call, context) => {
    if (call.text.length > 18_000) return reply;
    const answer = well(provider);
    return typeof answer === "function" ? answer(call, context) : answer;
  },
];
