import fc from "../../test/support/fast-check.ts";
import { expect, test } from "vitest";
import type { ModelRequest, PromptMessage, ToolSpec } from "../../protocol/model.ts";
import { hashRequest, hashText, toBytes } from "./render.ts";
import { hashParts } from "./request-hashes.ts";

/** Any UTF-16: also lone surrogates, and pairs that a prefix can cut. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("a", "ä", "😀", "\ud83d", "\n") }),
);
const message: fc.Arbitrary<PromptMessage> = fc.oneof(
  fc.record({ role: fc.constant("user" as const), text }),
  fc.record({ role: fc.constant("user" as const), text, breakpoint: fc.constant(true as const) }),
  fc.record({
    role: fc.constant("assistant" as const),
    parts: fc.array(fc.record({ kind: fc.constant("text" as const), text })),
  }),
);
const tool: fc.Arbitrary<ToolSpec> = fc.record({
  name: text,
  description: text,
  inputSchema: fc.constant({ type: "object", properties: {} }),
});
/** Few lists and instructions, so that most requests continue the hash of an earlier one. */
const lists: readonly (readonly ToolSpec[])[] = [
  [],
  ...fc.sample(fc.array(tool, { minLength: 1, maxLength: 4 }), { numRuns: 3, seed: 1 }),
];
const systems: readonly string[] = ["", ...fc.sample(text, { numRuns: 40, seed: 1 })];

const request: fc.Arbitrary<ModelRequest> = fc.record({
  system: fc.constantFrom(...systems),
  tools: fc.constantFrom(...lists),
  messages: fc.array(message, { minLength: 1, maxLength: 6 }),
  toolChoice: fc.constantFrom("auto" as const, "none" as const),
  effort: fc.constantFrom("none" as const, "low" as const),
  maxOutputTokens: fc.constant(null),
});

test("hashes of a request are those of its bytes, hashed piece by piece", () => {
  fc.assert(
    fc.property(request, fc.constantFrom(0, 1), fc.double({ min: 0, max: 1.1, noNaN: true }), (one, loose, share) => {
      const bytes = toBytes(one.system, one.tools, one.messages.slice(0, one.messages.length - loose));
      const parts = hashParts(one, loose);
      expect(parts.request).toBe(hashRequest(one));
      expect(parts.system).toBe(hashText(one.system));
      expect(parts.stable).toEqual({ bytes: bytes.length, hash: hashText(bytes) });
      const length = Math.floor(bytes.length * share);
      const expected = length > bytes.length ? undefined : hashText(bytes.slice(0, length));
      expect(parts.ofPrefix(length)).toBe(expected);
      expect(parts.ofPrefix(bytes.length)).toBe(hashText(bytes));
      const opening = toBytes(one.system, one.tools, []);
      expect(parts.ofPrefix(opening.length)).toBe(hashText(opening));
    }),
    { numRuns: 2_000 },
  );
});

test("the prefix of a request is that of the request before it, for every length of characters outside the BMP", () => {
  const messages: PromptMessage[] = [{ role: "user", text: "😀ä😀" }];
  const one: ModelRequest = {
    system: "😀",
    tools: [],
    messages,
    toolChoice: "auto",
    effort: "none",
    maxOutputTokens: null,
  };
  const bytes = toBytes(one.system, one.tools, one.messages);
  const { ofPrefix } = hashParts(one, 0);
  for (let length = 0; length <= bytes.length; length += 1)
    expect(ofPrefix(length)).toBe(hashText(bytes.slice(0, length)));
  expect(ofPrefix(bytes.length + 1)).toBeUndefined();
});
