/** The part of `ai` that the peer uses. It is installed only for the benchmarks, and the type check must not need it. */
declare module "ai" {
  import type { LanguageModelV4 } from "@ai-sdk/provider";
  export function convertToModelMessages(messages: readonly object[]): Promise<readonly object[]>;
  export function streamText(options: {
    readonly model: LanguageModelV4;
    readonly instructions: string;
    readonly messages: readonly object[];
    readonly abortSignal?: AbortSignal;
  }): { readonly toUIMessageStreamResponse: () => Response };
}
