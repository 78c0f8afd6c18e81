import type { PromptMessage, ToolSpec } from "../../protocol/model.ts";
import { countTokens } from "../../server/lib/tokens.ts";

/**
 * A request as bytes: tools, system, then one piece for each message. Marks for a provider's cache are no content. Pieces are
 * made and counted once, because most of them come again in the next request.
 */
export type Piece = { readonly bytes: string; readonly tokens: number };

const kept = new Map<string, Piece>();
const ofMessages = new WeakMap<PromptMessage, Piece>();
const ofTools = new WeakMap<readonly ToolSpec[], Piece>();

export function toPiece(bytes: string): Piece {
  let piece = kept.get(bytes);
  if (piece === undefined) kept.set(bytes, (piece = { bytes, tokens: countTokens(bytes) }));
  return piece;
}

/** Clears the cache. Called between threads, so that memory stays small. */
export const forgetPieces = (): void => kept.clear();

export function toMessagePiece(message: PromptMessage): Piece {
  let piece = ofMessages.get(message);
  if (piece === undefined) ofMessages.set(message, (piece = toPiece(toBytes(message))));
  return piece;
}

/** Texts as they are: what a provider's JSON adds to them is no token of the model's. */
function toBytes(message: PromptMessage): string {
  if (message.role === "user") return `user\n${message.text}`;
  if (message.role === "tool")
    return message.results.map(({ callId, name, text }) => `result ${callId} ${name}\n${text}`).join("\n");
  const parts = message.parts.map((part) =>
    part.kind === "tool-call" ? `call ${part.callId} ${part.name} ${JSON.stringify(part.input)}` : part.text,
  );
  return `assistant\n${parts.join("\n")}`;
}

export function toPieces(
  tools: readonly ToolSpec[],
  sent: { readonly system: string; readonly messages: readonly PromptMessage[] },
): readonly Piece[] {
  let first = ofTools.get(tools);
  if (first === undefined) ofTools.set(tools, (first = toPiece(JSON.stringify(tools))));
  return [first, toPiece(sent.system), ...sent.messages.map(toMessagePiece)];
}

export const sumTokens = (pieces: readonly Piece[]): number => pieces.reduce((sum, { tokens }) => sum + tokens, 0);

/** Tokens of the longest beginning that two requests have in common, to the byte. */
export function countShared(before: readonly Piece[], after: readonly Piece[]): number {
  let total = 0;
  for (const [index, piece] of after.entries()) {
    const other = before[index];
    if (other === undefined) return total;
    if (other.bytes !== piece.bytes) return total + countTokens(takeShared(other.bytes, piece.bytes));
    total += piece.tokens;
  }
  return total;
}

function takeShared(a: string, b: string): string {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return a.slice(0, at).toWellFormed();
}
