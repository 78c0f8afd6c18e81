import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { UIMessage } from "ai";
import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "../../server/tools/tool.ts";
import {
  approvalsOf,
  openChat,
  postChat,
  readMessage,
  receive,
  resumeChat,
  textsOf,
  toChunks,
  toPlain,
} from "../support/clients/ai-sdk.ts";
import { call, say, startInstance, type Instance } from "../support/instance.ts";
import { startModernServer } from "../support/mcp/modern-server.ts";

const transportOptions = { body: { model: "scripted/script" } };

type Question = {
  readonly id: string;
  readonly data: { toolCallId: string; text: string; fields: { name: string }[] };
};
const questionsOf = ({ messages }: { readonly messages: readonly UIMessage[] }): readonly Question[] =>
  (messages.at(-1)?.parts ?? []).filter(({ type }) => type === "data-question") as unknown as Question[];

/** The message as a client gets it that loads the page now. */
async function reload({ url, client }: Instance, chatId: string): Promise<UIMessage> {
  const resumed = await receive(await resumeChat(url, chatId));
  const message = await readMessage(await toChunks(resumed.text));
  expect((await client.getChat({ params: { chatId } })).messages.at(-1)).toEqual(message);
  return message;
}

test("a question of an MCP server reaches the client after an approval, and its answer continues the call", async () => {
  const server = await startModernServer();
  const path = join(mkdtempSync(join(tmpdir(), "stonechat-mcp-")), "mcp.json");
  writeFileSync(path, JSON.stringify({ mcpServers: { web: { url: server.url } } }));
  const tool = "mcp__web__book";
  const instance = await startInstance({
    env: { STONECHAT_MCP: path, STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1" },
    script: ({ messages }) =>
      messages.at(-1)?.role === "tool" ? say("Booked.") : call({ name: tool, input: `{"name":"Ada"}` }),
  });
  await expect
    .poll(async () => (await instance.client.listTools({ params: {} })).tools.map(({ name }) => name))
    .toContain(tool);
  const chat = openChat(instance.url, "book", { transportOptions });
  await chat.sendMessage({ text: "Book a table" });
  await chat.addToolApprovalResponse({ id: approvalsOf(chat)[0]!, approved: true });
  await expect.poll(() => questionsOf(chat).length).toBe(1);
  await expect.poll(() => chat.status).toBe("ready");
  const [{ data }] = questionsOf(chat) as [Question];
  expect(data).toMatchObject({
    from: "web",
    text: "How many for Ada?",
    fields: [
      { type: "number", required: true },
      { type: "choice", options: ["garden", "hall"] },
    ],
  });
  expect(approvalsOf(chat)).toEqual([]);
  expect(await reload(instance, "book")).toEqual(toPlain(chat.messages.at(-1)));
  const answers = { [data.fields[0]!.name]: 4, [data.fields[1]!.name]: "hall" };
  await chat.addToolOutput({ tool, toolCallId: data.toolCallId, output: { answers } });
  await expect.poll(() => textsOf(chat.messages.at(-1)!)).toEqual(["Booked."]);
  await expect.poll(() => chat.status).toBe("ready");
  expect(questionsOf(chat)).toEqual([]);
  expect(chat.messages.at(-1)!.parts).toContainEqual(
    expect.objectContaining({ type: "dynamic-tool", state: "output-available", output: "4 seats, hall, table-7" }),
  );
  expect(server.calls).toEqual(["book Ada first", "book Ada accept"]);
});

test("a call may ask twice; a repeated answer to its first question does not answer the second", async () => {
  const given: unknown[] = [];
  const tour = defineTool({
    name: "tour",
    description: "Plans a tour.",
    input: z.object({}),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 5000 },
    execute: async (_, { answered }) => {
      given.push(answered?.answers);
      const count = (answered?.resume as number | undefined) ?? 0;
      if (count === 2) return { output: "planned" };
      return {
        output: null,
        asks: { question: { question: `Question ${count + 1}?` }, text: "tour", resume: count + 1 },
      };
    },
  });
  const instance = await startInstance({
    tools: [tour],
    script: ({ messages }) => (messages.at(-1)?.role === "tool" ? say("Done.") : call({ name: "tour", input: "{}" })),
  });
  const sent: object[] = [];
  const chat = openChat(instance.url, "tour", {
    transportOptions: {
      ...transportOptions,
      prepareSendMessagesRequest: ({ id, messages, trigger }) => {
        sent.push(structuredClone({ id, messages, trigger }));
        return { body: { id, messages, trigger, ...transportOptions.body } };
      },
    },
  });
  await chat.sendMessage({ text: "Plan it" });
  for (const count of [1, 2]) {
    await expect.poll(() => questionsOf(chat).at(-1)?.data.text).toBe(`Question ${count}?`);
    await expect.poll(() => chat.status).toBe("ready");
    const { data } = questionsOf(chat).at(-1)!;
    expect(await reload(instance, "tour")).toEqual(toPlain(chat.messages.at(-1)));
    // As if the client had lost the response to its last request.
    const repeated = await readMessage(
      await toChunks((await receive(await postChat(instance.url, sent.at(-1)!))).text),
    );
    expect(questionsOf({ messages: [repeated] })[0]?.data.text).toBe(`Question ${count}?`);
    await chat.addToolOutput({ tool: "tour", toolCallId: data.toolCallId, output: `answer ${count}` });
  }
  await expect.poll(() => textsOf(chat.messages.at(-1)!)).toEqual(["Done."]);
  expect(given).toEqual([undefined, { answer: "answer 1" }, { answer: "answer 2" }]);
  expect(await reload(instance, "tour")).toEqual(toPlain(chat.messages.at(-1)));
});
