import type { z } from "zod";
import type { LogEntry } from "../log/log.ts";
import type { Write } from "../store/contract.ts";

/**
 * The contract of a tool. `repeat` says what a crash between effect and result means for it:
 *   pure   no effect: run again
 *   keyed  its effect is idempotent under `key`: run again with the same key
 *   once   neither: after a crash the outcome is unknown, said so, and never repeated unasked
 */
export type Tool<Input = unknown> = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  readonly repeat: "pure" | "keyed" | "once";
  readonly timeoutMs: number;
  /** May throw: a failed tool is an outcome in the thread, with the error's message. */
  readonly execute: (input: Input, context: ToolContext) => Promise<ToolResult>;
};

export type ToolContext = {
  readonly userId: string;
  readonly threadId: string;
  /** The same for every try of this call. */
  readonly key: string;
  readonly signal: AbortSignal;
};

/** An effect on our own database is not made by the tool but returned, and committed together with the output. */
export type ToolResult = {
  readonly output: unknown;
  readonly commit?: { readonly writes: readonly Write[]; readonly events: readonly LogEntry[] };
};

/** Checks a tool against its own input, then forgets which: a catalog holds tools of every kind. */
export const defineTool = <Input>(tool: Tool<Input>): Tool => tool as unknown as Tool;
