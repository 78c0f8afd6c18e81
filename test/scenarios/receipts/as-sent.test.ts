import { expect, test } from "vitest";
import { startRecorded } from "../../support/model/recording-provider.ts";

type Sent = {
  readonly tools: readonly {
    readonly function: { readonly name: string; readonly description: string; readonly parameters: object };
  }[];
};

test("the request of a receipt has the tools as the provider received them: names, descriptions, parameters", async () => {
  const chat = await startRecorded({ provider: "compatible", reply: () => "Noted." });
  const threadId = await chat.start();
  const live = chat.follow(threadId);
  await chat.send(threadId, "Hello.");
  await live.ended();
  const { receipts } = await chat.client.listReceipts({ params: { threadId } });
  const { tools, verified } = await chat.client.getRequest({ params: { threadId, receiptId: receipts[0]!.id } });
  const sent = chat.sent()[0]!.body as unknown as Sent;
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
