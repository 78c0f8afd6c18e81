import { onTestFinished, expect, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { finish, healthyReply, text, toSse } from "../support/chat-wire.ts";
import { startInstance } from "../support/instance.ts";
import {
  createProviderServer,
  findRefusedUrl,
  type ProviderCall,
  type RecordedReply,
} from "../support/provider-server.ts";
import { until } from "../support/server/until.ts";

type Options = {
  readonly models: readonly object[];
  readonly reply?: (call: ProviderCall & { readonly model: string }) => RecordedReply;
  readonly port?: number;
};

/** A model server with a list of its models. */
const startServer = async ({ models, reply = () => healthyReply("Here."), port }: Options) => {
  const asked: string[] = [];
  const server = await createProviderServer({
    next: (call) => {
      if (call.path.endsWith("/models"))
        return { headers: { "content-type": "application/json" }, body: JSON.stringify({ data: models }) };
      const { model = "" } = (call.body ?? {}) as { model?: string };
      asked.push(model);
      return reply({ ...call, index: asked.length - 1, model });
    },
    ...(port === undefined ? {} : { port }),
  });
  onTestFinished(server.close);
  return { ...server, asked };
};

const start = (url: string, env: Record<string, string> = {}) =>
  startInstance({
    env: {
      STONECHAT_SCRIPTED: "0",
      STONECHAT_COMPATIBLE_URL: url,
      STONECHAT_SUMMARY_MODELS: "none/none",
      ...env,
    },
  });

const listed = async ({ client }: Awaited<ReturnType<typeof start>>) =>
  (await client.listModels({})).models.filter(({ provider }) => provider === "compatible");

test("a model server that was off at startup is called again: its models are listed and answer", async () => {
  const url = await findRefusedUrl();
  const instance = await start(url, { STONECHAT_MODEL: "compatible/llama" });
  expect(await listed(instance)).toEqual([]);
  expect((await instance.client.getMe({})).defaultModel).toBe("compatible/llama");
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "Is anybody there?");
  const failed = await live.ended(1);
  expect(failed).toMatchObject({ outcome: "failed", reason: { code: "unreachable" } });
  expect(failed.reason?.text).toContain(
    `${url.slice("http://".length)} cannot be reached: nothing is listening at its address`,
  );

  const server = await startServer({
    models: [{ id: "llama", max_model_len: 9_000 }],
    port: Number(new URL(url).port),
  });
  await until("its list is read", async () => (await listed(instance)).length === 1);
  expect(await listed(instance)).toMatchObject([{ id: "compatible/llama", windowTokens: 9_000 }]);
  await instance.send(threadId, "And now?");
  expect((await live.ended(2)).outcome).toBe("done");
  expect(server.asked).toEqual(["llama"]);
  // Any other id is sent to the server, which decides.
  const other = await instance.start({ model: "compatible/other" });
  const typed = instance.follow(other);
  await instance.send(other, "And you?");
  expect((await typed.ended(1)).outcome).toBe("done");
  expect(server.asked).toEqual(["llama", "other"]);
  await expect(instance.start({ model: "nobody/other" })).rejects.toThrow(/Unknown model "nobody\/other"/);
});

test("configured models take windows and prices from the server's list, and no others are added", async () => {
  const server = await startServer({ models: [{ id: "a", context_length: 8_192 }, { id: "c" }] });
  const instance = await start(server.url, { STONECHAT_COMPATIBLE_MODELS: "a,b" });
  await until("its list is read", async () =>
    (await listed(instance)).some(({ windowTokens }) => windowTokens !== null),
  );
  expect(await listed(instance)).toMatchObject([
    { id: "compatible/a", windowTokens: 8_192 },
    { id: "compatible/b", windowTokens: null },
  ]);
});

const cut: RecordedReply = { body: `data: ${JSON.stringify(text("Half an"))}\n\n` };

test("a cut answer is retried with the same model, and with no model that was not configured", async () => {
  const server = await startServer({
    models: [{ id: "nomic-embed-text" }, { id: "llama" }, { id: "qwen" }],
    reply: ({ index }) => (index === 0 ? cut : healthyReply("A whole answer.")),
  });
  const instance = await start(server.url);
  await until("its list is read", async () => (await listed(instance)).length > 0);
  expect((await listed(instance)).map(({ id }) => id)).toEqual(["compatible/llama", "compatible/qwen"]);
  const threadId = await instance.start();
  const live = instance.follow(threadId);
  await instance.send(threadId, "Hello.");
  expect((await live.ended(1)).outcome).toBe("done");
  expect(server.asked).toEqual(["llama", "llama"]);
  expect(textOf(live.view().messages.at(-1)?.parts ?? [])).toBe("A whole answer.");
});

test("an answer that is cut twice fails, or goes to the configured fallback", async () => {
  const broken = await startServer({ models: [{ id: "llama" }, { id: "qwen" }], reply: () => cut });
  const alone = await start(broken.url);
  await until("its list is read", async () => (await listed(alone)).length > 0);
  const threadId = await alone.start();
  const live = alone.follow(threadId);
  await alone.send(threadId, "Hello.");
  expect(await live.ended(1)).toMatchObject({ outcome: "failed", reason: { code: "cut" } });
  expect(broken.asked).toEqual(["llama", "llama"]);

  const server = await startServer({
    models: [{ id: "llama" }, { id: "qwen" }],
    reply: ({ model }) => (model === "llama" ? cut : { body: toSse([text("From qwen."), finish()]) }),
  });
  const instance = await start(server.url, { STONECHAT_FALLBACKS: "compatible/qwen" });
  await until("its list is read", async () => (await listed(instance)).length > 0);
  const other = await instance.start();
  const second = instance.follow(other);
  await instance.send(other, "Hello.");
  expect((await second.ended(1)).outcome).toBe("done");
  expect(server.asked).toEqual(["llama", "llama", "qwen"]);
});
