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
  test("any messages give a request that the provider takes", async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryMessages, async (messages) => {
        const body = await encode(toRequest(messages), id);
        expect(validateRequest(JSON.parse(body), dialect), body).toEqual([]);
      }),
      { numRuns },
    );
  });

  test("what is appended changes no byte of what stands before it, and marks change nothing but themselves", async () => {
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

  test("reasoning is in the body when the rule by which requests are assembled says so, and only then", async () => {
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

/** What a provider may have kept beside its reasoning: whole, in part, and of another model. */
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

/** With nothing added by us at its end: it is the person's turn or a tool's that is to be answered. */
const endsOpen = (messages: readonly PromptMessage[]): boolean => messages.at(-1)?.role !== "assistant";

const markEnd = (messages: readonly PromptMessage[]): readonly PromptMessage[] =>
  messages.map((message, at) => (at === messages.length - 1 ? { ...message, breakpoint: true } : message));

/** But for the opening block's, which stays where it is throughout an epoch. */
const withoutMarks = (messages: readonly PromptMessage[]): readonly PromptMessage[] =>
  messages.map(({ breakpoint, ...message }, at) => (at === 0 && breakpoint ? { ...message, breakpoint } : message));

test("what is encoded here is what a package sends over HTTP, byte for byte", async () => {
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

test("a body in another order of bytes is noticed (control)", async () => {
  const messages: readonly PromptMessage[] = [{ role: "user", text: "Hi" }];
  const [one, other] = [toRequest(messages), toRequest(messages, { system: "You are careless." })];
  const [a, b] = [await encode(one, targets[0].id), await encode(other, targets[0].id)];
  expect(toSpine(b).startsWith(toSpine(a))).toBe(false);
});
