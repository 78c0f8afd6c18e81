/** The little of `ai` that the peer uses: it is installed for the benchmarks only, and the check must not need it. */
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
