import { expect, onTestFinished, test } from "vitest";
import { attach } from "../../support/attachments/attach.ts";
import { toPng } from "../../support/attachments/files.ts";
import { mintId, startInstance } from "../../support/instance.ts";
import { startRecordedInstance } from "../../support/model/recording-provider.ts";
import { createProviderServer } from "../../support/provider-server.ts";
import type { Json } from "../../support/model/validators/rule.ts";
import { validateRequest, type Dialect } from "../../support/model/validators/validate-request.ts";

const png = toPng(40, 30);
const base64 = png.toString("base64");
const dataUrl = `data:image/png;base64,${base64}`;

type Provider = {
  readonly model: string;
  readonly dialect: Dialect;
  readonly env: (url: string) => Record<string, string>;
  /** Where the request contains the image. */
  readonly pictureOf: (body: Json) => unknown;
  readonly expected: unknown;
};

const lastOf = (list: readonly Json[]): Json => list.at(-1);

const providers: Readonly<Record<string, Provider>> = {
  Anthropic: {
    model: "anthropic/claude-haiku-4-5",
    dialect: "anthropic",
    env: (url) => ({ ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url }),
    pictureOf: (body) => lastOf(body.messages).content.find(({ type }: Json) => type === "image")?.source,
    expected: { type: "base64", media_type: "image/png", data: base64 },
  },
  OpenAI: {
    model: "openai/gpt-5-mini",
    dialect: "openai",
    env: (url) => ({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: url }),
    pictureOf: (body) =>
      body.input.flatMap(({ content }: Json) => content ?? []).find(({ type }: Json) => type === "input_image")
        ?.image_url,
    expected: dataUrl,
  },
  Google: {
    model: "google/gemini-2.5-flash",
    dialect: "google",
    env: (url) => ({ GOOGLE_GENERATIVE_AI_API_KEY: "k", GOOGLE_BASE_URL: url }),
    pictureOf: (body) => lastOf(body.contents).parts.find((part: Json) => part.inlineData)?.inlineData,
    expected: { mimeType: "image/png", data: base64 },
  },
  OpenRouter: {
    model: "openrouter/openai/gpt-5-mini",
    dialect: "openrouter",
    env: (url) => ({ OPENROUTER_API_KEY: "k", OPENROUTER_BASE_URL: url }),
    pictureOf: (body) => lastOf(body.messages).content.find(({ type }: Json) => type === "image_url")?.image_url.url,
    expected: dataUrl,
  },
  "an address of one's own": {
    model: "compatible/llava",
    dialect: "compatible",
    env: (url) => ({ STONECHAT_COMPATIBLE_URL: url, STONECHAT_COMPATIBLE_MODELS: "llava" }),
    pictureOf: (body) => lastOf(body.messages).content.find(({ type }: Json) => type === "image_url")?.image_url.url,
    expected: dataUrl,
  },
};

/** The request that the provider got for a message with an image. */
async function capture(model: string, env: (url: string) => Record<string, string>): Promise<readonly Json[]> {
  const provider = await createProviderServer({
    next: () => ({ status: 400, body: '{"error":{"message":"enough"}}' }),
  });
  onTestFinished(provider.close);
  const { url, client, start, follow } = await startInstance({
    env: { ...env(provider.url), STONECHAT_FALLBACKS: "" },
  });
  const threadId = await start({ model });
  const { id } = await attach(url, { name: "cat.png", bytes: png, threadId });
  const live = follow(threadId);
  const body = { id: mintId("message"), text: "What is this?", attachments: [id] };
  await client.sendMessage({ params: { threadId }, body });
  await live.ended();
  return provider.calls.flatMap(({ body: sent, text }) => (text.includes("What is this?") ? [sent as Json] : []));
}

test.each(Object.entries(providers))("%s gets the image in its own format", async (_, provider) => {
  const [body] = await capture(provider.model, provider.env);
  expect(provider.pictureOf(body)).toEqual(provider.expected);
  const text = JSON.stringify(body);
  expect(text).toContain("The user attached a picture: cat.png, 40 × 30 pixels");
  expect(text).not.toContain("not shown");
  expect(validateRequest(body, provider.dialect)).toEqual([]);
});

test("a model without image support gets a sentence instead of the image", async () => {
  const env = (url: string) => ({ STONECHAT_COMPATIBLE_URL: url, STONECHAT_COMPATIBLE_MODELS: "plain-7b" });
  const [body] = await capture("compatible/plain-7b", env);
  const text = JSON.stringify(body);
  expect(text).toContain("The user attached a picture: cat.png");
  expect(text).toContain("It was not sent because this model cannot read pictures. Tell the user if it matters.]");
  expect(text).not.toContain(base64);
});

test("the receipt has the sentence that replaced an image, and the answer notes that it was not sent", async () => {
  const { url, client, start, follow, sent } = await startRecordedInstance({
    provider: "compatible",
    reply: () => "Noted.",
    env: { STONECHAT_MODEL: "compatible/plain-7b", STONECHAT_COMPATIBLE_MODELS: "plain-7b,llava" },
  });
  const threadId = await start();
  const params = { threadId };
  const live = follow(threadId);
  const { id } = await attach(url, { name: "cat.png", bytes: png, threadId });
  const asked: { text: string; model?: string; attachments?: string[] }[] = [
    { text: "What is this?", attachments: [id] },
    { text: "And now?" },
    { text: "Do you see it?", model: "compatible/llava" },
  ];
  for (const [index, body] of asked.entries()) {
    await client.sendMessage({ params, body: { id: mintId("message"), ...body } });
    await live.ended(index + 1);
  }
  const { messages } = await client.getThread({ params });
  const notices = messages.map(({ parts }) => parts.flatMap((part) => (part.kind === "notice" ? [part.text] : [])));
  expect(notices.flat()).toEqual(["This model is not known to accept images: cat.png was not sent."]);
  expect(notices[1]).toHaveLength(1);
  const { receipts } = await client.listReceipts({ params, query: {} });
  const found = await Promise.all(
    receipts.toReversed().map(async (row) => {
      const place = { threadId, receiptId: row.id };
      const { receipt } = await client.getReceipt({ params: place });
      const { blocks, verified } = await client.getRequest({ params: place });
      expect(verified).toBe(true);
      return { receipt, text: blocks.map((block) => block.text).join("\n\n") };
    }),
  );
  const sentence = /\[The user attached a picture: cat\.png[^\]]+\]/;
  for (const [index, { receipt, text }] of found.entries()) {
    const sentText = sentence.exec(sent()[index]?.text ?? "")?.[0];
    expect(sentence.exec(text)?.[0]).toBe(sentText);
    const isSeen = index === 2;
    expect(sentText?.includes("It was not sent because this model cannot read pictures.")).toBe(!isSeen);
    expect(sent()[index]?.text.includes(base64)).toBe(isSeen);
    expect(receipt.items.flatMap(({ note }) => note ?? [])).toContain(
      `with cat.png (${isSeen ? "picture" : "picture, not sent"})`,
    );
    const out = receipt.leftOut.filter(({ why }) => why === "no-vision");
    expect(out.flatMap(({ parts = [] }) => parts)).toHaveLength(isSeen ? 0 : 1);
  }
  expect(found.map(({ receipt }) => receipt.cache.broke)).toEqual([null, null, "pictures"]);
});

test("the offline model says that it cannot see images, and quotes the attached text", async () => {
  const { url, client, start, follow } = await startInstance();
  const threadId = await start({ model: "offline/stone" });
  const picture = await attach(url, { name: "cat.png", bytes: png, threadId });
  const notes = await attach(url, { name: "notes.txt", bytes: "The quarry in Larvik sells larvikite.", threadId });
  const live = follow(threadId);
  const attachments = [picture.id, notes.id];
  await client.sendMessage({
    params: { threadId },
    body: { id: mintId(), text: "Which quarry sells larvikite?", attachments },
  });
  await live.ended();
  const { messages } = await client.getThread({ params: { threadId } });
  const sentText = JSON.stringify(messages.at(-1)?.parts.filter(({ kind }) => kind === "text"));
  expect(sentText).toContain("I cannot see pictures");
  expect(sentText).toContain("cat.png");
  expect(sentText).toContain("The quarry in Larvik sells larvikite.");
  const { models } = await client.listModels({});
  expect(models.find(({ id }) => id === "offline/stone")).toMatchObject({ vision: false });
  expect(models.find(({ id }) => id === "anthropic/claude-haiku-4-5")).toMatchObject({ vision: true });
});
