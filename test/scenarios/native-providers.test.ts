import { crc32 } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { healthyReply } from "../support/chat-wire.ts";
import { startInstance } from "../support/instance.ts";
import { createProviderServer, type RecordedReply } from "../support/provider-server.ts";
import { until } from "../support/server/until.ts";

const json = (value: unknown): RecordedReply => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

/** xAI's package speaks the Responses API. */
const toResponses = (text: string): RecordedReply => {
  const response = { id: "r", object: "response", created_at: 1_780_000_000, model: "grok-4", output: [] };
  const item = { type: "message", id: "m", role: "assistant" };
  const content = [{ type: "output_text", text, annotations: [] }];
  const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 };
  const events = [
    { type: "response.created", response: { ...response, status: "in_progress" } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, status: "in_progress", content: [] } },
    { type: "response.output_text.delta", item_id: "m", output_index: 0, content_index: 0, delta: text },
    { type: "response.output_item.done", output_index: 0, item: { ...item, status: "completed", content } },
    { type: "response.completed", response: { ...response, status: "completed", usage } },
  ];
  return { body: events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("") };
};

/** One message of the binary format that Bedrock streams. */
const toFrame = (type: string, value: object): Buffer => {
  const headers = { ":event-type": type, ":content-type": "application/json", ":message-type": "event" };
  const encoded = Buffer.concat(
    Object.entries(headers).map(([name, text]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(text.length);
      return Buffer.concat([
        Buffer.from([name.length]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(text),
      ]);
    }),
  );
  const body = Buffer.from(JSON.stringify(value));
  const prelude = Buffer.alloc(12);
  prelude.writeUInt32BE(16 + encoded.length + body.length, 0);
  prelude.writeUInt32BE(encoded.length, 4);
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8);
  const message = Buffer.concat([prelude, encoded, body]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(message));
  return Buffer.concat([message, sum]);
};

const toConverse = (text: string): RecordedReply => ({
  headers: { "content-type": "application/vnd.amazon.eventstream" },
  body: Buffer.concat([
    toFrame("messageStart", { role: "assistant" }),
    toFrame("contentBlockDelta", { contentBlockIndex: 0, delta: { text } }),
    toFrame("contentBlockStop", { contentBlockIndex: 0 }),
    toFrame("messageStop", { stopReason: "end_turn" }),
    toFrame("metadata", { usage: { inputTokens: 5, outputTokens: 3, totalTokens: 8 }, metrics: { latencyMs: 1 } }),
  ]),
});

const cases = [
  { id: "mistral", model: "mistral-small-latest", variable: "MISTRAL", path: "/chat/completions", listed: true },
  { id: "xai", model: "grok-4", variable: "XAI", path: "/responses", listed: true, reply: toResponses },
  { id: "groq", model: "llama-3.3-70b-versatile", variable: "GROQ", path: "/chat/completions", listed: true },
  { id: "deepseek", model: "deepseek-chat", variable: "DEEPSEEK", path: "/chat/completions", listed: true },
  { id: "azure", model: "my-deployment", variable: "AZURE", path: "/chat/completions", listed: false },
  {
    id: "bedrock",
    model: "anthropic.claude-haiku-4-5-20251001-v1:0",
    variable: "BEDROCK",
    path: "/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/converse-stream",
    listed: true,
    reply: toConverse,
  },
] as const;

test.each(cases)("$id answers through its own package, with its key and the model's name", async (one) => {
  const key = `key-of-${one.id}-0123456789`;
  const server = await createProviderServer({
    next: ({ path }) => {
      if (path.includes("/foundation-models")) return json({ modelSummaries: [{ modelId: one.model }] });
      if (path.includes("/models")) return json({ object: "list", data: [{ id: one.model }] });
      return "reply" in one ? one.reply("It is granite.") : healthyReply("It is granite.");
    },
  });
  onTestFinished(server.close);
  const keyName = one.id === "bedrock" ? "AWS_BEARER_TOKEN_BEDROCK" : `${one.variable}_API_KEY`;
  const env = {
    STONECHAT_SCRIPTED: "0",
    STONECHAT_SUMMARY_MODELS: "none/none",
    [keyName]: key,
    [`${one.variable}_BASE_URL`]: server.url,
  };
  const instance = await startInstance({ env });
  const model = `${one.id}/${one.model}`;
  const { provider } = await instance.client.testProvider({ params: { provider: one.id }, body: {} });
  expect(provider).toMatchObject({ isProven: true, lastTest: { outcome: "ok", models: 1 } });
  if (one.listed)
    await until("its models are listed", async () =>
      (await instance.client.listModels({})).models.some(({ id, available }) => id === model && available),
    );
  // A model that no list has, such as a deployment, is used by its id.
  const threadId = await instance.start({ model });
  const live = instance.follow(threadId);
  await instance.send(threadId, "Which stone is it?");
  const ended = await live.ended();
  expect(ended.reason?.text ?? "").toBe("");
  expect(ended.outcome).toBe("done");
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("It is granite.");
  const call = server.calls.find(({ path }) => path.split("?")[0] === one.path);
  expect(call?.text).toContain("Which stone is it?");
  expect(call?.headers[one.id === "azure" ? "api-key" : "authorization"]).toContain(key);
  // Bedrock has the name in the path.
  expect(`${call?.path} ${call?.text}`).toContain(one.id === "bedrock" ? "claude-haiku" : `"model":"${one.model}"`);
});
