import { expect, onTestFinished, test } from "vitest";
import { textOf } from "../../protocol/fold.ts";
import { finish, text, toSse } from "../support/chat-wire.ts";
import { createProviderServer } from "../support/provider-server.ts";
import { startServer } from "../support/server-process.ts";
import { followThread } from "../support/server/event-stream.ts";

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;

test("after kill -9 the provider gets the stored text of the answer back, and the pieces become one answer", async () => {
  const provider = await createProviderServer({
    next: ({ path }) => ({
      name: "",
      respond: (_call, res) => {
        res.writeHead(200, { "content-type": path.endsWith("/models") ? "application/json" : "text/event-stream" });
        if (path.endsWith("/models")) res.end('{"data":[{"id":"tides"}]}');
        // The first answer stays open in the middle of a word.
        else if (answers++ === 0) res.write(event(text("The tide rises twice a d")));
        else res.end(toSse([text("The tide rises twice a day, and falls again."), finish()]));
      },
    }),
  });
  let answers = 0;
  onTestFinished(() => provider.close());
  const server = await startServer({
    program: "main",
    env: {
      STONECHAT_SCRIPTED: "0",
      STONECHAT_MODEL: "compatible/tides",
      STONECHAT_COMPATIBLE_URL: provider.url,
      STONECHAT_COMPATIBLE_MODELS: "tides",
      STONECHAT_LEASE_MS: "500",
    },
  });
  onTestFinished(() => server.close());
  const threadId = "tides";
  await server.client.createThread({ body: { id: threadId, model: "compatible/tides" } });
  const live = followThread({ url: server.url, threadId });
  onTestFinished(() => live.close());
  const message = { id: "first", text: "What does the tide do?", mode: "queue" } as const;
  await server.client.sendMessage({ params: { threadId }, body: message });
  await live.until(({ messages }) => textOf(messages.at(-1)?.parts ?? []) === "The tide rises twice a d");
  await server.restart();
  const { messages } = await live.until(({ run }) => run?.state === "ended");
  const parts = messages.at(-1)?.parts ?? [];
  expect(textOf(parts)).toBe("The tide rises twice a day, and falls again.");
  expect(parts.find((part) => part.kind === "notice")).toMatchObject({ code: "interrupted" });
  const asked = provider.calls.filter(({ path }) => path.endsWith("/chat/completions")).map(({ text: body }) => body);
  expect(asked).toHaveLength(2);
  expect(asked[0]).not.toContain("The tide rises");
  const { messages: sent } = JSON.parse(asked[1] ?? "") as { readonly messages: readonly object[] };
  expect(sent.at(-2)).toMatchObject({ role: "assistant", content: "The tide rises twice a d" });
  expect(JSON.stringify(sent.at(-1))).toContain("Begin with its last words");
});
