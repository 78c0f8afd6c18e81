import { createHash } from "node:crypto";
import type { ModelRequest, PromptMessage, ToolSpec } from "../../protocol/model.ts";
import type { Unit } from "./units.ts";
import { writeTools } from "./count-tools.ts";

/** Version of the rendering. It must be raised whenever the same pieces would give different bytes. */
export const CODEC = 1;

/** A request consists of these blocks, in order. */
export type Block = { readonly head: string } | { readonly unit: Unit } | { readonly text: string };

type Pieces = {
  readonly system: string;
  readonly tools: readonly ToolSpec[];
  readonly blocks: readonly Block[];
  readonly toolChoice: ModelRequest["toolChoice"];
  readonly effort: ModelRequest["effort"];
  readonly settings?: ModelRequest["settings"] | undefined;
};

/** Assembling and verifying both use this function, so they give the same bytes. */
export function render({ system, tools, blocks, toolChoice, effort, settings }: Pieces): ModelRequest {
  const messages = blocks.flatMap((block): readonly PromptMessage[] => {
    if ("unit" in block) return block.unit.messages;
    return [{ role: "user", text: "head" in block ? block.head : block.text }];
  });
  const maxOutputTokens = settings?.maxOutputTokens ?? null;
  return { system, messages, tools, toolChoice, effort, maxOutputTokens, ...(settings ? { settings } : {}) };
}

/** Requests that share a prefix of these bytes share it on the wire of every provider. Breakpoints are not content. */
export const toBytes = (system: string, tools: readonly ToolSpec[], messages: readonly PromptMessage[]): string =>
  [
    `[${writeTools(tools).json},${JSON.stringify(system)}]`,
    ...messages.map(({ breakpoint: _, ...message }) => JSON.stringify(message)),
  ].join("\n");

export const hashText = (text: string): string => createHash("sha256").update(text).digest("hex");

export const hashRequest = (request: ModelRequest): string => {
  const { system, tools, messages, toolChoice, effort, settings } = request;
  const choices = [toolChoice, effort, ...(settings ? [settings] : [])];
  return hashText(`${toBytes(system, tools, messages)}\n${JSON.stringify(choices)}`);
};

/**
 * Marks cache breakpoints: after the compaction summary (`head` messages), at the end of the previous turn, and at the end. The
 * last `loose` messages are sent only once and are not cached.
 */
export function markBreakpoints(
  messages: readonly PromptMessage[],
  { head, previous, loose }: { readonly head: number; readonly previous: number; readonly loose: number },
): readonly PromptMessage[] {
  const places = new Set([head - 1, previous - 1, messages.length - loose - 1]);
  return messages.map((message, index) => (places.has(index) ? { ...message, breakpoint: true as const } : message));
}
