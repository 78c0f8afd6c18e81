import { say, sentence } from "../../../protocol/sentences.ts";
import type { ModelInfo } from "../../../protocol/api.ts";
import type { ModelEvent, ModelRequest } from "../../../protocol/model.ts";
import { composeAnswer } from "./answer.ts";
import { type Move, play } from "../play-events.ts";

/**
 * The built-in demonstration model. It needs no key and no network: it quotes the request or calls a tool, streamed word
 * by word. It is deterministic and knows only `protocol`. A prompt beyond its window fails, as with any model.
 */
export const offlineId = "offline/stone";
const windowTokens = 8_000;

export const createOfflineModel = (options: { readonly paceMs?: number | undefined } = {}) => ({
  info,
  stream: (request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> =>
    play(toMoves(request, options.paceMs ?? 15), signal),
});

const info: ModelInfo = {
  id: offlineId,
  name: "Demo model",
  provider: "offline",
  free: true,
  available: true,
  unavailable: null,
  note: "Built in, needs no key. Quotes this conversation and calls tools; it is not a language model",
  reasoning: false,
  vision: false,
  windowTokens,
  prices: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  source: null,
};

function* toMoves(request: ModelRequest, paceMs: number): Generator<Move> {
  const inputTokens = estimateTokens(JSON.stringify(request));
  // The estimate may be a quarter too high. A prompt that fits by an exact count must not fail.
  if (inputTokens * 0.75 > windowTokens) {
    yield { type: "failed", failure: tooLong };
    return;
  }
  const { text, calls } = composeAnswer(request);
  if (text !== "") {
    yield { type: "start", key: "answer", kind: "text" };
    for (const piece of toPieces(text)) {
      if (paceMs > 0) yield { type: "pause", ms: paceMs };
      yield { type: "delta", key: "answer", text: piece };
    }
    yield { type: "end", key: "answer" };
  }
  let outputTokens = estimateTokens(text);
  for (const { callId, name, input } of calls) {
    const inputText = JSON.stringify(input);
    yield { type: "tool-start", key: callId, callId, name };
    yield { type: "tool-call", key: callId, callId, name, inputText };
    outputTokens += estimateTokens(inputText) + 4;
  }
  yield {
    type: "finish",
    reason: calls.length > 0 ? "tool-calls" : "stop",
    usage: {
      inputTokens,
      outputTokens,
      reasoningTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      estimated: true,
    },
    costUsd: 0,
  };
}

/** Pieces of two words, or a dozen characters in unspaced scripts. No character is split. */
const toPieces = (text: string): string[] => text.match(/\s+|\S{1,12}(?:\s{1,3}\S{1,12})?/gu) ?? [];

const estimateTokens = (text: string): number => {
  const wide = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return Math.ceil((text.length - wide) / 4 + wide);
};

const tooLong = {
  code: "too-long",
  fault: "request",
  ...say(sentence("demo-too-long", 8_000)),
} as const;
