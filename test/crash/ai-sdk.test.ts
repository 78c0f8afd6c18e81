import { expect, test } from "vitest";
import { readEffects } from "../support/server/effects.ts";
import { findPostgres } from "../support/postgres-binaries.ts";
import { createDatabase } from "../support/postgres.ts";
import { startServer } from "../support/server-process.ts";
import {
  approvalsOf,
  openChat,
  readMessage,
  receive,
  resumeChat,
  textsOf,
  toChunks,
  toPlain,
} from "../support/clients/ai-sdk.ts";
import { startNodes } from "./nodes/two-nodes.ts";

/** The client is the class behind `useChat`, unchanged. It learns of a crash as of any lost connection. */
const WORDS = 60;
const answer = Array.from({ length: WORDS }, (_, n) => `w${n + 1}`).join(" ");
const transportOptions = { body: { model: "scripted/script" } };
const script = `say before the tool then call effect_once {"token":"ai-sdk"} then say ${WORDS} words every 30ms`;

type Chat = ReturnType<typeof openChat>;
const countWords = ({ messages }: Chat): number =>
  textsOf(messages[1] ?? { parts: [] })
    .at(-1)
    ?.split(" ").length ?? 0;
const hasBegun = (chat: Chat): boolean =>
  textsOf(chat.messages[1] ?? { parts: [] }).length === 2 && countWords(chat) > 5;

test("after kill -9 in the middle of an answer the client resumes and gets all of it, in one piece", async () => {
  const server = await startServer();
  try {
    const chat = openChat(server.url, "killed", { transportOptions });
    const sending = chat.sendMessage({ text: script });
    await expect.poll(() => hasBegun(chat)).toBe(true);
    await server.kill();
    await sending;
    // A stream without its end is an error to the client, not a short answer.
    expect(chat.status).toBe("error");
    expect(countWords(chat)).toBeLessThan(WORDS);
    await server.restart();
    const tab = resumeChat(server.url, "killed").then(receive);
    await chat.resumeStream();
    expect(chat.status).toBe("ready");
    const message = toPlain(chat.messages.at(-1)!);
    expect(textsOf(message)).toEqual(["before the tool", answer]);
    expect(message.parts.filter(({ type }) => type === "data-notice")).toHaveLength(1);
    expect(readEffects(server.dataDir)).toHaveLength(1);
    expect(await readMessage(await toChunks((await tab).text))).toEqual(message);
    const history = await server.client.getChat({ params: { chatId: "killed" } });
    expect(history.messages.at(-1)).toEqual(message);
  } finally {
    await server.close();
  }
});

test.skipIf(!findPostgres())(
  "on two nodes: a tab on the other node follows, and takes over when the first is killed",
  async () => {
    const nodes = await startNodes(await createDatabase());
    const [first, second] = nodes.all;
    try {
      let url = first.url;
      const chat = openChat(() => url, "nodes", { transportOptions });
      const sending = chat.sendMessage({ text: script });
      await expect.poll(() => hasBegun(chat)).toBe(true);
      const tab = openChat(second.url, "nodes", { transportOptions });
      const following = tab.resumeStream();
      await expect.poll(() => tab.status).toBe("streaming");
      await first.kill();
      await sending;
      expect(chat.status).toBe("error");
      url = second.url;
      await Promise.all([chat.resumeStream(), following]);
      expect(chat.status).toBe("ready");
      expect(tab.status).toBe("ready");
      const message = toPlain(chat.messages.at(-1)!);
      expect(textsOf(message)).toEqual(["before the tool", answer]);
      // The tab on the second node saw the takeover live, without a break in its stream.
      expect(toPlain(tab.messages.at(-1)!)).toEqual(message);
      expect(readEffects(nodes.dataDir)).toHaveLength(1);
    } finally {
      await nodes.close();
    }
  },
);

test.skipIf(!findPostgres())(
  "an approval that waits survives kill -9, and the client gives it on another node",
  async () => {
    const nodes = await startNodes(await createDatabase());
    const [first, second] = nodes.all;
    try {
      let url = first.url;
      const chat = openChat(() => url, "approval", { transportOptions });
      await chat.sendMessage({
        text: 'say I will do it then call effect_once {"token":"approved","asks":true} then say done',
      });
      expect(chat.status).toBe("ready");
      const [id] = approvalsOf(chat);
      await first.kill();
      expect(readEffects(nodes.dataDir)).toEqual([]);
      url = second.url;
      await chat.addToolApprovalResponse({ id: id!, approved: true });
      await expect.poll(() => textsOf(chat.messages.at(-1)!)).toEqual(["I will do it", "done"]);
      await expect.poll(() => chat.status).toBe("ready");
      expect(chat.messages).toHaveLength(2);
      expect(readEffects(nodes.dataDir)).toHaveLength(1);
      const history = await second.client.getChat({ params: { chatId: "approval" } });
      expect(history.messages.at(-1)?.parts).toEqual(toPlain(chat.messages.at(-1)!).parts);
    } finally {
      await nodes.close();
    }
  },
);
