import { anthropicRules, goodAnthropic } from "./anthropic.ts";
import { chatRules, goodChat, mistralRules, reasoningRules } from "./chat.ts";
import { goodGoogle, googleRules } from "./google.ts";
import { goodResponses, responsesRules } from "./responses.ts";
import { type Json, listFaults, type Rule } from "./rule.ts";

/** Each API dialect with its rules and a body that follows all of them. */
export const dialects = {
  anthropic: { rules: anthropicRules, good: goodAnthropic },
  openai: { rules: responsesRules, good: goodResponses },
  google: { rules: googleRules, good: goodGoogle },
  openrouter: { rules: chatRules, good: goodChat },
  compatible: { rules: chatRules, good: goodChat },
  mistral: { rules: [...chatRules, ...mistralRules], good: goodChat },
  deepseek: {
    rules: [...chatRules, ...reasoningRules],
    good: () => {
      const body = goodChat();
      body.messages[2].reasoning_content = "";
      return body;
    },
  },
} as const satisfies Record<string, { readonly rules: readonly Rule[]; readonly good: () => Json }>;

export type Dialect = keyof typeof dialects;

/** The rules that this body breaks; empty if none. */
export const validateRequest = (body: unknown, dialect: Dialect): readonly string[] =>
  listFaults(dialects[dialect].rules, body);
