import fc from "../fast-check.ts";
import type { ModelRequest, PromptMessage } from "../../../protocol/model.ts";

export const toRequest = (messages: readonly PromptMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "You are careful.",
  messages,
  tools: [
    {
      name: "look",
      description: "Looks something up.",
      inputSchema: { type: "object", required: ["q"], properties: { q: { type: "string" }, a: { type: "number" } } },
    },
  ],
  toolChoice: "auto",
  effort: "medium",
  maxOutputTokens: null,
  ...more,
});

const text = fc.oneof(
  { weight: 5, arbitrary: fc.lorem({ maxCount: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\ud83e", "a\u0000b", "漢字", "👩‍👧") },
  { weight: 1, arbitrary: fc.lorem({ maxCount: 800 }) },
);
const callId = fc.constantFrom("a", "b", "a", "call-1", "ü!", "");
const provider = fc.option(
  fc.constantFrom<object>(
    { anthropic: { signature: "c2ln" }, stonechat: { model: "anthropic/claude-sonnet-5-5" } },
    { openai: { itemId: "rs_1", reasoningEncryptedContent: "gAAA" } },
    { google: { thoughtSignature: "c2ln" } },
    { stonechat: { model: "compatible/deepseek-chat" } },
  ),
  { nil: undefined },
);
const call = fc
  .record({ callId, provider, input: fc.constantFrom<unknown>({}, { q: "x" }, "text", null, [1]) })
  .map(({ provider: own, ...rest }) => ({
    kind: "tool-call" as const,
    name: "look",
    ...rest,
    ...(own && { provider: own }),
  }));
const textParts = text.map((one) => ({ kind: "text" as const, text: one }));
const thought = fc
  .record({ text, provider })
  .map(({ provider: own, ...rest }) => ({ kind: "reasoning" as const, ...rest, ...(own && { provider: own }) }));
const result = fc.record({ callId, name: fc.constant("look"), text, failed: fc.boolean() });
const breakpoint = fc.option(fc.constant(true as const), { nil: undefined, freq: 3 });

/** Any messages in any order: results without calls, calls without results, repeated roles. */
export const arbitraryMessages: fc.Arbitrary<readonly PromptMessage[]> = fc.array(
  fc
    .tuple(
      fc.oneof(
        fc.record({ role: fc.constant("user" as const), text }),
        fc.record({
          role: fc.constant("assistant" as const),
          parts: fc.array(fc.oneof(textParts, thought, call), { maxLength: 4 }),
        }),
        fc.record({ role: fc.constant("tool" as const), results: fc.array(result, { maxLength: 3 }) }),
      ),
      breakpoint,
    )
    .map(([message, marked]) => (marked ? { ...message, breakpoint: marked } : message) as PromptMessage),
  { maxLength: 12 },
);

const step = fc
  .tuple(textParts, fc.array(thought, { maxLength: 1 }), fc.array(call, { maxLength: 3 }))
  .map(([words, thoughts, calls]): readonly PromptMessage[] => {
    const answer: PromptMessage = { role: "assistant", parts: [...thoughts, words, ...calls] };
    const results = calls.map((one, at) => ({ callId: one.callId, name: "look", text: `result ${at}`, failed: false }));
    return calls.length > 0 ? [answer, { role: "tool", results }] : [answer];
  });

/** A growing conversation: each piece is what one event adds, never between a call and its result. */
export const arbitraryGrowth: fc.Arbitrary<readonly (readonly PromptMessage[])[]> = fc
  .array(
    fc.oneof(
      { weight: 2, arbitrary: text.map((one): readonly PromptMessage[] => [{ role: "user", text: one }]) },
      { weight: 3, arbitrary: step },
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((pieces) => [
    [
      { role: "user", text: "The head. ".repeat(600), breakpoint: true },
      { role: "user", text: "Hi" },
    ],
    ...pieces,
  ]);
