import OpenAI from "openai";
import { expect, onTestFinished, test } from "vitest";
import { call, finish, healthyReply, toSse } from "../support/chat-wire.ts";
import { startInstance } from "../support/instance.ts";
import { createProviderServer, type ProviderCall } from "../support/provider-server.ts";

/** Numbers that JavaScript cannot represent, or writes in another way. */
const args = '{"channel_id": 1187743202117849121, "price": 10.0, "all": [1e400, -0.10]}';
const numbers = '1187743202117849121,"price":10.0,"all":[1e400,-0.10]';
const parameters = { type: "object", properties: { channel_id: { type: "integer" } } };

const hasResult = ({ text }: ProviderCall): boolean => text.includes("sent it");

async function start(name: string) {
  const provider = await createProviderServer({
    next: (given) =>
      hasResult(given) ? healthyReply("Done.") : { body: toSse([call(0, "call_1", name, args), finish("tool_calls")]) },
  });
  onTestFinished(provider.close);
  const instance = await startInstance({
    env: { STONECHAT_COMPATIBLE_URL: `${provider.url}/v1`, STONECHAT_COMPATIBLE_MODELS: "tiny" },
  });
  const openai = new OpenAI({ baseURL: `${instance.url}/v1`, apiKey: "none", maxRetries: 0 });
  const sent = () => provider.calls.filter(({ path }) => path.endsWith("/chat/completions"));
  return { instance, openai, sent, model: "compatible/tiny" };
}

test("responses: arguments reach the program as the model wrote them, and the model again with all digits", async () => {
  const { instance, openai, sent, model } = await start("post");
  const tools = [{ type: "function" as const, name: "post", parameters, strict: false }];
  const stream = await openai.responses.create({ model, input: "Post it", tools, store: true, stream: true });
  let [written, first] = ["", ""];
  for await (const event of stream) {
    if (event.type === "response.function_call_arguments.done") written = event.arguments;
    if (event.type === "response.completed") first = event.response.id;
  }
  expect(written).toBe(args);
  const stored = await openai.responses.retrieve(first);
  expect(stored.output).toMatchObject([{ type: "function_call", arguments: args }]);
  const output = { type: "function_call_output" as const, call_id: "call_1", output: "sent it" };
  await openai.responses.create({ model, previous_response_id: first, input: [output], tools, store: true });
  const again = sent().find(hasResult);
  expect(again?.text).toContain(JSON.stringify(numbers).slice(1, -1));
  const [thread] = (await instance.client.listThreads({ query: {} })).threads;
  const { receipts } = await instance.client.listReceipts({ params: { threadId: thread!.id }, query: {} });
  expect(receipts).toHaveLength(2);
  for (const { id } of receipts) {
    const request = await instance.client.getRequest({ params: { threadId: thread!.id, receiptId: id } });
    expect(request).toMatchObject({ verified: true, missing: [] });
  }
});

test("chat completions: arguments are passed on unchanged, also in a history that the program sends", async () => {
  const { openai, sent, model } = await start("post");
  const tools = [{ type: "function" as const, function: { name: "post", parameters } }];
  const question = { role: "user" as const, content: "Post it" };
  const first = await openai.chat.completions.create({ model, messages: [question], tools });
  expect(first.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: args } }]);
  const history = { ...first.choices[0]!.message, role: "assistant" as const };
  const result = { role: "tool" as const, tool_call_id: history.tool_calls![0]!.id, content: "sent it" };
  const other = { role: "user" as const, content: "Another question" };
  await openai.chat.completions.create({ model, messages: [question, history, result, other], tools });
  expect(sent().find(hasResult)?.text).toContain(JSON.stringify(numbers).slice(1, -1));
});

test("a tool of ours is not run with a number that cannot be read exactly", async () => {
  const { instance, sent, model } = await start("calculate");
  const threadId = await instance.start({ model });
  const live = instance.follow(threadId);
  await instance.send(threadId, "Calculate it");
  await expect.poll(() => sent().length).toBeGreaterThan(1);
  expect(sent()[1]?.text).toContain("The number 1187743202117849121 has too many digits to be read exactly.");
  live.close();
});
