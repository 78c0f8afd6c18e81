import OpenAI from "openai";
import { expect, test } from "vitest";
import type { ModelRequest } from "../../protocol/model.ts";
import { call, say, startInstance } from "../support/instance.ts";

/** A model names tools that it was not offered, as text from outside may make it do. */
const model = "scripted/script";
const wanted = [
  { name: "create_entities", input: '{"entities":[{"kind":"project","title":"Planted"}]}' },
  { name: "calculate", input: '{"expression":"6*7"}' },
  { name: "use_tool", input: '{"name":"calculate","input":{"expression":"6*7"}}' },
];
const weather: OpenAI.ChatCompletionFunctionTool = {
  type: "function",
  function: { name: "get_weather", parameters: { type: "object", properties: {} } },
};
const ours = { type: "stonechat", name: "calculate" } as unknown as OpenAI.ChatCompletionFunctionTool;

type Case = { readonly title: string; readonly tools: OpenAI.ChatCompletionFunctionTool[]; readonly none?: true };
const cases: readonly Case[] = [
  { title: "no tools", tools: [] },
  { title: "a tool of the caller", tools: [weather] },
  { title: "one of our tools, but no choice", tools: [ours], none: true },
];

/** Calls all tools once, then says what they returned. */
async function ask({ tools, none }: Case) {
  const requests: ModelRequest[] = [];
  const instance = await startInstance({
    script: (request) => {
      requests.push(request);
      return requests.length === 1 ? call(...wanted) : say("Finished.");
    },
  });
  const openai = new OpenAI({ baseURL: `${instance.url}/v1`, apiKey: "none", maxRetries: 0 });
  const { choices } = await openai.chat.completions.create({
    ...{ model, store: true, messages: [{ role: "user", content: "Hello" }] },
    ...(tools.length > 0 ? { tools } : {}),
    ...(none ? { tool_choice: "none" } : {}),
  });
  const [thread] = (await instance.client.listThreads({ query: {} })).threads;
  const { messages } = await instance.client.getThread({ params: { threadId: thread?.id ?? "" } });
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));
  const { projects } = await instance.client.listProjects({ query: {} });
  return { text: choices[0]?.message.content, calls, projects, requests };
}

test.each(cases)("a request with $title runs no tool that it did not offer", async (given) => {
  const { text, calls, projects, requests } = await ask(given);
  expect(text).toBe("Finished.");
  expect(calls.map(({ name, state }) => [name, state])).toEqual(wanted.map(({ name }) => [name, "error"]));
  for (const { errorText } of calls) expect(errorText).toMatch(/^There is no tool "/);
  expect(projects).toEqual([]);
  // The error names what the model may call, and nothing else of ours.
  expect(JSON.stringify(requests[1]?.messages)).not.toContain("search_web");
  expect(calls[0]?.errorText?.includes("get_weather")).toBe(given.tools.includes(weather));
});

test("control: a tool of ours that the request offers runs, the others do not", async () => {
  const { calls, projects } = await ask({ title: "", tools: [ours] });
  expect(calls.map(({ state }) => state)).toEqual(["error", "ok", "error"]);
  expect(projects).toEqual([]);
});

test("a profile that offers use_tool still reaches every tool of its catalog", async () => {
  let count = 0;
  const instance = await startInstance({
    script: () => {
      count += 1;
      return count === 1 ? call({ name: "calculate", input: '{"expression":"6*7"}' }) : say("Finished.");
    },
  });
  const threadId = await instance.start({ profile: "builder" });
  const live = instance.follow(threadId);
  await instance.send(threadId, "Hello");
  await live.ended(1);
  const { messages } = await instance.client.getThread({ params: { threadId } });
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));
  expect(calls).toMatchObject([{ name: "calculate", state: "ok" }]);
});
