import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PromptMessage } from "../../../../protocol/model.ts";
import { arbitraryGrowth, arbitraryMessages, toRequest } from "../../../../test/support/model/arbitrary-request.ts";
import { createEncoder, targets, toSpine } from "../../../../test/support/model/encode.ts";
import { createProviderServer } from "../../../../test/support/provider-server.ts";
import { validateRequest } from "../../../../test/support/model/validators/validate-request.ts";

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
});

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
