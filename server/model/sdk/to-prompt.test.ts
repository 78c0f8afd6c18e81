import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ModelRequest, PromptMessage } from "../../../protocol/model.ts";
import { toPrompt } from "./to-prompt.ts";

const ask = (messages: readonly PromptMessage[], system = ""): ModelRequest => ({
  system,
  messages,
  tools: [],
  toolChoice: "auto",
  effort: "medium",
  maxOutputTokens: null,
});
const call = (callId: string, input: unknown = {}, provider?: unknown) =>
  ({ kind: "tool-call", callId, name: "t", input, ...(provider === undefined ? {} : { provider }) }) as const;
const result = (callId: string, failed = false) => ({ callId, name: "t", text: `result of ${callId}`, failed });

describe("the prompt", () => {
  test("holds the system text, the person's words and the answer, and nothing empty", () => {
    const messages: PromptMessage[] = [
      { role: "user", text: "Hi" },
      { role: "assistant", parts: [{ kind: "text", text: "" }] },
      { role: "assistant", parts: [{ kind: "text", text: "Hello" }] },
    ];
    expect(toPrompt(ask(messages, "Be brief."), "x")).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
    ]);
  });

  test("tells a failed result from a good one", () => {
    const prompt = toPrompt(
      ask([
        { role: "assistant", parts: [call("a"), call("b")] },
        { role: "tool", results: [result("b", true), result("a")] },
      ]),
      "x",
    );
    expect(prompt[1]).toMatchObject({
      role: "tool",
      content: [
        { toolCallId: "a", output: { type: "text", value: "result of a" } },
        { toolCallId: "b", output: { type: "error-text", value: "result of b" } },
      ],
    });
  });

  test("shows input that is no object inside one", () => {
    const [message] = toPrompt(
      ask([{ role: "assistant", parts: [call("a", [1]), call("b", "text"), call("c", null)] }]),
      "x",
    );
    expect(message?.content).toMatchObject([
      { input: { input: [1] } },
      { input: { input: "text" } },
      { input: { input: null } },
    ]);
  });

  test("hands a provider its own marks unchanged, and nobody else's", () => {
    const provider = { anthropic: { signature: "sealed", nested: { deep: [1] } } };
    const parts = [{ kind: "reasoning", text: "Hm.", provider } as const, call("a", {}, provider)];
    const [own] = toPrompt(ask([{ role: "assistant", parts }]), "anthropic");
    expect(own?.content).toMatchObject([
      { type: "reasoning", providerOptions: provider },
      { providerOptions: provider },
    ]);
    const [foreign] = toPrompt(ask([{ role: "assistant", parts }]), "openai");
    expect(JSON.stringify(foreign)).not.toContain("sealed");
    expect(foreign?.content).toHaveLength(1);
  });

  test("has every call followed by exactly one result of it, and no result without its call, whatever went in", () => {
    const id = fc.constantFrom("a", "b", "c");
    const message = fc.oneof(
      fc.record({ role: fc.constant("user"), text: fc.string() }),
      fc.record({
        role: fc.constant("assistant"),
        parts: fc.uniqueArray(id, { maxLength: 3 }).map((ids) => ids.map((one) => call(one))),
      }),
      fc.record({
        role: fc.constant("tool"),
        results: fc.array(
          id.map((one) => result(one)),
          { maxLength: 3 },
        ),
      }),
    ) as fc.Arbitrary<PromptMessage>;
    fc.assert(
      fc.property(fc.array(message, { maxLength: 8 }), (messages) => {
        const prompt = toPrompt(ask(messages), "x");
        for (const [at, one] of prompt.entries()) {
          const ids = (of: unknown) => (of as readonly { toolCallId: string }[]).map((part) => part.toolCallId);
          const next = prompt[at + 1];
          const calls = one.role === "assistant" ? ids(one.content) : [];
          expect(next?.role === "tool" ? ids(next.content) : []).toEqual(one.role === "tool" ? [] : calls);
        }
        expect(prompt[0]?.role).not.toBe("tool");
      }),
    );
  });
});
