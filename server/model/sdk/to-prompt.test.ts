import { describe, expect, test } from "vitest";
import type { ModelRequest, PromptMessage } from "../../../protocol/model.ts";
import { chooseCodec } from "./codecs/choose-codec.ts";
import { toPrompt } from "./to-prompt.ts";

const ask = (messages: readonly PromptMessage[], more: Partial<ModelRequest> = {}): ModelRequest => ({
  system: "",
  messages,
  tools: [],
  toolChoice: "auto",
  effort: "medium",
  maxOutputTokens: null,
  ...more,
});
const user = (text: string): PromptMessage => ({ role: "user", text });
const call = (callId: string, input: unknown = {}, provider?: unknown) =>
  ({ kind: "tool-call", callId, name: "t", input, ...(provider === undefined ? {} : { provider }) }) as const;
const result = (callId: string, failed = false) => ({ callId, name: "t", text: `result of ${callId}`, failed });
const compatible = chooseCodec("compatible", "m");
const write = (messages: readonly PromptMessage[], codec = compatible) => toPrompt(ask(messages), codec).prompt;

describe("the prompt", () => {
  test("contains the system prompt, user message and answer, and nothing empty", () => {
    const messages: PromptMessage[] = [
      user("Hi"),
      { role: "assistant", parts: [{ kind: "text", text: "" }] },
      { role: "assistant", parts: [{ kind: "text", text: "Hello" }] },
      user(""),
    ];
    expect(toPrompt(ask(messages, { system: "Be brief." }), compatible).prompt).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: [{ type: "text", text: "Hello" }] },
      { role: "user", content: [{ type: "text", text: "[an empty message]" }] },
    ]);
  });

  test("begins with the user and ends with a message to answer", () => {
    const roles = write([{ role: "assistant", parts: [{ kind: "text", text: "So" }] }]).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "user"]);
    expect(write([])).toHaveLength(1);
  });

  test("joins consecutive user messages or sends them as blocks or separately, by provider", () => {
    const messages = [user("one"), user("two")];
    const contents = ["compatible", "google", "anthropic", "openai"].map((name) =>
      write(messages, chooseCodec(name, "m")).map(({ content }) => content),
    );
    const text = (words: string) => ({ type: "text", text: words });
    expect(contents).toEqual([
      [[text("one\n\ntwo")]],
      [[text("one\n\ntwo")]],
      [[text("one"), text("two")]],
      [[text("one")], [text("two")]],
    ]);
  });

  test("pairs each call with its result, marks a failed one and drops a result without a call", () => {
    const prompt = write([
      user("q"),
      { role: "assistant", parts: [call("a"), call("b"), call("c")] },
      { role: "tool", results: [result("b", true), result("a"), result("unknown")] },
    ]);
    expect(prompt[2]).toMatchObject({
      role: "tool",
      content: [
        { toolCallId: "a", output: { type: "text", value: "result of a" } },
        { toolCallId: "b", output: { type: "error-text", value: "result of b" } },
        { toolCallId: "c", output: { type: "error-text", value: "No result of this call was recorded." } },
      ],
    });
  });

  test("gives a repeated call id a new one, together with its result", () => {
    const step: readonly PromptMessage[] = [
      { role: "assistant", parts: [call("a")] },
      { role: "tool", results: [result("a")] },
    ];
    const [, first, , second, last] = write([user("q"), ...step, ...step]);
    const idOf = (message: unknown) =>
      (message as { content: readonly { toolCallId: string }[] }).content[0]?.toolCallId;
    expect(idOf(first)).toBe("a");
    expect(idOf(second)).not.toBe("a");
    expect(idOf(last)).toBe(idOf(second));
  });

  test("wraps input that is no object and makes tool names valid", () => {
    const [, message] = write([
      user("q"),
      { role: "assistant", parts: [call("a", [1]), call("b", "text"), { ...call("c", null), name: "9 lives!" }] },
    ]);
    expect(message?.content).toMatchObject([
      { input: { input: [1] } },
      { input: { input: "text" } },
      { input: { input: null }, toolName: "_9_lives_" },
    ]);
  });

  test("sorts the keys of schemas", () => {
    const spec = (inputSchema: object) => [{ name: "t", description: "T", inputSchema }];
    const one = toPrompt(ask([], { tools: spec({ type: "object", properties: { b: {}, a: {} } }) }), compatible);
    const other = toPrompt(ask([], { tools: spec({ properties: { a: {}, b: {} }, type: "object" }) }), compatible);
    expect(JSON.stringify(one.tools)).toBe(JSON.stringify(other.tools));
  });
});

describe("reasoning", () => {
  const codec = chooseCodec("anthropic", "claude-haiku-4-5");
  const marks = { anthropic: { signature: "sealed", nested: { deep: [1] } } };
  const made = { ...marks, stonechat: { model: "anthropic/claude-haiku-4-5" } };
  const answer = (provider: unknown): readonly PromptMessage[] => [
    user("q"),
    { role: "assistant", parts: [{ kind: "reasoning", text: "Hm.", provider }, call("a", {}, provider)] },
  ];

  test("is sent unchanged to the model that wrote it", () => {
    const [, own] = write(answer(made), codec);
    expect(own?.content).toMatchObject([
      { type: "reasoning", text: "Hm.", providerOptions: marks },
      { providerOptions: marks },
    ]);
    expect(JSON.stringify(own)).not.toContain("stonechat");
  });

  test("is sent to no other model or provider", () => {
    for (const other of [chooseCodec("anthropic", "claude-sonnet-5-5"), chooseCodec("openai", "gpt-5-mini")]) {
      const [, foreign] = write(answer(made), other);
      expect(JSON.stringify(foreign)).not.toContain("sealed");
      expect(foreign?.content).toHaveLength(1);
    }
  });

  test("without a following text or call is dropped", () => {
    const [, only] = write(
      [
        user("q"),
        {
          role: "assistant",
          parts: [
            { kind: "text", text: "So" },
            { kind: "reasoning", text: "Hm.", provider: made },
          ],
        },
      ],
      codec,
    );
    expect(only?.content).toEqual([{ type: "text", text: "So" }]);
  });

  test("is sent even if empty to models that require it with calls", () => {
    const deepseek = chooseCodec("compatible", "deepseek-chat");
    const [, told] = write(answer({ stonechat: { model: "compatible/deepseek-chat" } }), deepseek);
    expect(told?.content).toMatchObject([{ type: "reasoning", text: "Hm." }, { type: "tool-call" }]);
    const [, silent] = write(answer(undefined), deepseek);
    expect(silent?.providerOptions).toEqual({ openaiCompatible: { reasoning_content: "" } });
    const [, elsewhere] = write(answer(undefined), compatible);
    expect(elsewhere?.providerOptions).toBeUndefined();
  });
});
