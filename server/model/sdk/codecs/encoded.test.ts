import fc from "../../../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import type { PromptMessage } from "../../../../protocol/model.ts";
import { arbitraryGrowth, arbitraryMessages, toRequest } from "../../../../test/support/model/arbitrary-request.ts";
import { createEncoder, targets, toSpine } from "../../../../test/support/model/encode.ts";
import { createProviderServer } from "../../../../test/support/provider-server.ts";
import { validateRequest } from "../../../../test/support/model/validators/validate-request.ts";
import { chooseCodec } from "./choose-codec.ts";
import { toReasoning } from "./to-turns.ts";

const encode = createEncoder();
const numRuns = process.env["STONECHAT_DEEP"] === "1" ? 3_000 : 150;

describe.each(targets)("for $id", ({ id, dialect }) => {
  test("encodes any messages as a valid request", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryMessages, async (messages) => {
        const body = await encode(toRequest(messages), id);
        expect(validateRequest(JSON.parse(body), dialect), body).toEqual([]);
      }),
      { numRuns },
    );
  });

  test("appending changes no earlier byte, and cache marks change only themselves", async () => {
    let grown = 0;
    await fc.assert(
      fc.asyncProperty(arbitraryGrowth, async (pieces) => {
        let before = "";
        for (let count = 1; count <= pieces.length; count += 1) {
          const messages = pieces.slice(0, count).flat();
          if (!endsOpen(messages)) continue;
          const spine = toSpine(await encode(toRequest(markEnd(messages)), id));
          grown += Number(before !== "");
          expect(spine.startsWith(before), `${before}\n${spine}`).toBe(true);
          expect(toSpine(await encode(toRequest(withoutMarks(messages)), id))).toBe(spine);
          before = spine;
        }
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    );
    expect(grown).toBeGreaterThan(20);
  });

  test("sends reasoning exactly if sendsReasoning says so", async () => {
    const codec = chooseCodec(id.slice(0, id.indexOf("/")), id.slice(id.indexOf("/") + 1));
    const sent: boolean[] = [];
    for (const provider of marksOf(id)) {
      const part = { kind: "reasoning", text: "I ponder.", provider } as const;
      const call = { kind: "tool-call", callId: "a", name: "look", input: {} } as const;
      const messages: readonly PromptMessage[] = [
        { role: "user", text: "Look." },
        { role: "assistant", parts: [part, call] },
        { role: "tool", results: [{ callId: "a", name: "look", text: "Seen.", failed: false }] },
      ];
      const body = await encode(toRequest(messages), id);
      sent.push(toReasoning(part, codec).length > 0);
      expect(body.includes(part.text), JSON.stringify(provider)).toBe(sent.at(-1));
    }
    expect(sent).toContain(false);
    expect(sent.includes(true)).toBe(!/compatible\/(?:qwen|mistral)/.test(id));
  });
});

/** Provider metadata of reasoning: complete, partial and of another model. */
const marksOf = (id: string): readonly unknown[] => {
  const detail = { type: "reasoning.text", text: "I ponder.", index: 0 };
  const own = [
    { anthropic: { signature: "c2ln" } },
    { anthropic: {} },
    { openai: { itemId: "rs_1", reasoningEncryptedContent: "gAAA" } },
    { openai: { reasoningEncryptedContent: null } },
    { google: { thoughtSignature: "c2ln" } },
    { google: {} },
    { openrouter: { reasoning_details: [{ ...detail, signature: "c2ln" }] } },
    { openrouter: { reasoning_details: [{ ...detail, format: "unknown" }] } },
    { openrouter: { reasoning_details: [detail] } },
    { openrouter: { reasoning_details: [] } },
    {},
  ];
  return [
    undefined,
    ...own.flatMap((marks) => [id, "other/model"].map((model) => ({ ...marks, stonechat: { model } }))),
  ];
};

/** Ends with a user message or tool result, so that the encoder adds nothing. */
const endsOpen = (messages: readonly PromptMessage[]): boolean => messages.at(-1)?.role !== "assistant";

const markEnd = (messages: readonly PromptMessage[]): readonly PromptMessage[] =>
  messages.map((message, at) => (at === messages.length - 1 ? { ...message, breakpoint: true } : message));

/** Except the mark of the opening block, which stays in place until the next compaction. */
const withoutMarks = (messages: readonly PromptMessage[]): readonly PromptMessage[] =>
  messages.map(({ breakpoint, ...message }, at) => (at === 0 && breakpoint ? { ...message, breakpoint } : message));

test("encodes the same bytes that the package sends over HTTP", async () => {
  const server = await createProviderServer({ next: () => ({ body: "data: [DONE]\n\n" }) });
  const send = createEncoder(server.url);
  const messages = fc.sample(arbitraryGrowth, { numRuns: 5, seed: 4 }).map((pieces) => pieces.flat());
  for (const { id } of targets) {
    for (const one of messages) {
      await send(toRequest(one), id);
      expect(server.calls.at(-1)?.text).toBe(await encode(toRequest(one), id));
    }
  }
  expect(server.calls).toHaveLength(targets.length * 5);
  await server.close();
});

test("notices a body with another byte order (control)", async () => {
  const messages: readonly PromptMessage[] = [{ role: "user", text: "Hi" }];
  const [one, other] = [toRequest(messages), toRequest(messages, { system: "You are careless." })];
  const [a, b] = [await encode(one, targets[0].id), await encode(other, targets[0].id)];
  expect(toSpine(b).startsWith(toSpine(a))).toBe(false);
});
