import { expect, onTestFinished, test } from "vitest";
import { attach } from "../../support/attachments/attach.ts";
import { toPng } from "../../support/attachments/files.ts";
import { mintId, startInstance } from "../../support/instance.ts";
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
  /** Where the picture stands in what is sent. */
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

/** What the provider was sent for words with a picture. */
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

test.each(Object.entries(providers))("%s is shown the picture itself, in its own form", async (_, provider) => {
  const [body] = await capture(provider.model, provider.env);
  expect(provider.pictureOf(body)).toEqual(provider.expected);
  const text = JSON.stringify(body);
  expect(text).toContain("The person attached a picture: cat.png, 40 × 30 pixels");
  expect(text).not.toContain("not shown");
  expect(validateRequest(body, provider.dialect)).toEqual([]);
});

test("a model that does not see is told so in words, and gets no picture", async () => {
  const env = (url: string) => ({ STONECHAT_COMPATIBLE_URL: url, STONECHAT_COMPATIBLE_MODELS: "plain-7b" });
  const [body] = await capture("compatible/plain-7b", env);
  const text = JSON.stringify(body);
  expect(text).toContain("The person attached a picture: cat.png");
  expect(text).toContain("this model does not see pictures");
  expect(text).not.toContain(base64);
});

test("the offline model says that it cannot see, and quotes a text that came with it", async () => {
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
  const said = JSON.stringify(messages.at(-1)?.parts.filter(({ kind }) => kind === "text"));
  expect(said).toContain("I cannot see pictures");
  expect(said).toContain("cat.png");
  expect(said).toContain("The quarry in Larvik sells larvikite.");
  const { models } = await client.listModels({});
  expect(models.find(({ id }) => id === "offline/stone")).toMatchObject({ vision: false });
  expect(models.find(({ id }) => id === "anthropic/claude-haiku-4-5")).toMatchObject({ vision: true });
});
