import { createHash } from "node:crypto";
import type { ModelRequest, PromptMessage, ToolSpec } from "../../protocol/model.ts";
import type { Unit } from "./prompt.ts";
import { writeTools } from "./tools.ts";

/** Of the rendering: it rises whenever the same pieces would give other bytes. */
export const CODEC = 1;

/** What a request is made of, in order. */
export type Block = { readonly head: string } | { readonly unit: Unit } | { readonly text: string };

type Pieces = {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly blocks: readonly Block[];
  readonly toolChoice: ModelRequest["toolChoice"];
  readonly effort: ModelRequest["effort"];
};

/** The one way from pieces to a request: assembling and verifying both go through it. */
export function render({ system, tools, blocks, toolChoice, effort }: Pieces): ModelRequest {
  const messages = blocks.flatMap((block): readonly PromptMessage[] => {
    if ("unit" in block) return block.unit.messages;
    return [{ role: "user", text: "head" in block ? block.head : block.text }];
  });
  return { system, messages, tools, toolChoice, effort, maxOutputTokens: null };
}

/** What goes over the wire, whichever provider's, begins with the same bytes when this does. Breakpoints are not content. */
export const toBytes = (system: string, tools: readonly ToolSpec[], messages: readonly PromptMessage[]): string =>
  [
    `[${writeTools(tools).json},${JSON.stringify(system)}]`,
    ...messages.map(({ breakpoint: _, ...message }) => JSON.stringify(message)),
  ].join("\n");

export const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");

export const hashRequest = (request: ModelRequest): string => {
  const { system, tools, messages, toolChoice, effort } = request;
  return hashText(`${toBytes(system, tools, messages)}\n${JSON.stringify([toolChoice, effort])}`);
};

/**
 * Where a cache is worth marking: after the head, at the end of the turn before, and at the end. `settled` messages at the
 * front are in every request of the epoch; the last `loose` are said only once.
 */
export function markBreakpoints(
  messages: readonly PromptMessage[],
  { head, previous, loose }: { readonly head: number; readonly previous: number; readonly loose: number },
): readonly PromptMessage[] {
  const places = new Set([head - 1, previous - 1, messages.length - loose - 1]);
  return messages.map((message, index) => (places.has(index) ? { ...message, breakpoint: true as const } : message));
}
