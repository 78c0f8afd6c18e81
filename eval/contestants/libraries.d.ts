/** The little of the peers that is used: they are installed for the evaluation only, and the check must not need them. */
declare module "@langchain/core/messages" {
  export class LangchainMessage {
    readonly content: unknown;
    readonly id?: string;
  }
  export class HumanMessage extends LangchainMessage {
    constructor(fields: object);
  }
  export class SystemMessage extends LangchainMessage {
    constructor(fields: object);
  }
  export class AIMessage extends LangchainMessage {
    constructor(fields: object);
  }
  export class ToolMessage extends LangchainMessage {
    constructor(fields: object);
  }
  export function trimMessages(
    messages: readonly LangchainMessage[],
    options: {
      readonly maxTokens: number;
      readonly tokenCounter: (messages: readonly LangchainMessage[]) => number;
      readonly strategy: "first" | "last";
      readonly startOn?: string;
      readonly includeSystem?: boolean;
    },
  ): Promise<readonly LangchainMessage[]>;
}
declare module "langchain" {
  import type { LangchainMessage } from "@langchain/core/messages";
  export class ClearToolUsesEdit {
    constructor(config: {
      readonly trigger: { readonly tokens: number };
      readonly keep: { readonly messages: number };
    });
    apply(params: {
      readonly messages: LangchainMessage[];
      readonly model: unknown;
      readonly countTokens: (messages: readonly LangchainMessage[]) => number;
    }): Promise<void>;
  }
}
declare module "@mastra/core/processors" {
  type Answer = { readonly prompt: readonly unknown[] } | undefined;
  export class TokenLimiter {
    constructor(options: { readonly limit: number; readonly trimMode?: "best-fit" | "contiguous" });
    processLLMRequest(request: { readonly prompt: readonly unknown[] }): Promise<Answer>;
  }
  export class ToolCallFilter {
    processLLMRequest(request: { readonly prompt: readonly unknown[]; readonly state: object }): Promise<Answer>;
  }
}
