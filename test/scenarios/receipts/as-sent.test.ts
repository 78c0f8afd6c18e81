import { expect, test } from "vitest";
import { mintId } from "../../support/instance.ts";
import { startRecordedInstance } from "../../support/model/recording-provider.ts";
import { tool } from "../../support/server/loop-tools.ts";

type SentRequest = {
  readonly tools: readonly {
    readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
  }[];
};

test("the request of a receipt has the tools as the provider received them: names, descriptions, parameters", async () => {
  const chat = await startRecordedInstance({ provider: "compatible", reply: () => "Noted." });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  await chat.send(threadId, "Hello.");
  await live.ended();
  const { receipts } = await chat.client.listReceipts({ params: { threadId } });
  const { tools, verified } = await chat.client.getRequest({ params: { threadId, receiptId: receipts[0]!.id } });
  const sent = chat.sent()[0]!.body as unknown as SentRequest;
  expect(verified).toBe(true);
  expect(tools.length).toBeGreaterThan(5);
  expect(tools).toEqual(
    sent.tools.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      inputSchema: parameters,
    })),
  );
});

const REPORT = "The lantern at the north berth was lit again. ".repeat(900);
const report = tool({
  name: "report",
  limits: { timeoutMs: 20_000, resultTokens: 1_500 },
  execute: async () => ({ output: REPORT }),
});

test.each(["stone", "messages", "replay"] as const)(
  "%s: a shortened tool result is named in the receipt, with the size that it had",
  async (policy) => {
    const chat = await startRecordedInstance({
      provider: "compatible",
      tools: [report],
      reply: (_, index) => (index === 0 ? { calls: [{ name: "report", input: {} }] } : "Noted."),
    });
    const threadId = await chat.start();
    const params = { threadId };
    await chat.client.changeThread({ params, body: { id: mintId(), policy } });
    const live = chat.follow(threadId);
    for (const [index, text] of ["Report.", "And?"].entries()) {
      await chat.send(threadId, text);
      await live.ended(index + 1);
    }
    const { receipts } = await chat.client.listReceipts({ params });
    const answer = live.view().messages[1]!;
    const { n } = answer.parts.find(({ kind }) => kind === "tool")!;
    for (const [index, { id }] of receipts.toReversed().entries()) {
      const { receipt } = await chat.client.getReceipt({ params: { threadId, receiptId: id } });
      const named = receipt.items.flatMap(({ shortened = [] }) => shortened);
      const { text } = chat.sent()[index]!;
      const isIn = text.includes("The lantern at the north berth");
      const known = { part: `${answer.id}/${n}`, tool: "report", fromCharacters: REPORT.length };
      expect(text).not.toContain(REPORT);
      expect(named.map(({ characters: _, ...one }) => one)).toEqual(isIn ? [known] : []);
    }
    expect(chat.sent()[1]!.text).toContain("The lantern at the north berth");
  },
);
