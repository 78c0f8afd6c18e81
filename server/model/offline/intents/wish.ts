import type { Step } from "../research/next-steps.ts";
import type { Input } from "../turn.ts";

/** What a person plainly asks for. */
export type Wish =
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly input: Input;
      /** Asked for in so many words: worth looking for the tool when it is not offered. */
      readonly isExplicit: boolean;
    }
  | { readonly kind: "research"; readonly subject: string }
  /** In so many words, to a project or its workspace. */
  | { readonly kind: "steps"; readonly steps: readonly [Step, ...Step[]] }
  /** It cannot be done before something is known. */
  | { readonly kind: "ask"; readonly tool: string; readonly text: string };

export const wishFor = (tool: string, input: Input): Wish => ({ kind: "call", tool, input, isExplicit: true });
