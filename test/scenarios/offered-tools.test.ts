import { expect, test } from "vitest";
import { policyNames } from "../../protocol/context/policy.ts";
import { call, mintId, say, startInstance } from "../support/instance.ts";

test("a thread's tool list stays the same across turns, and all tools are reachable", async () => {
  const offered: string[] = [];
  const { start, send, follow } = await startInstance({
    script: (request) => {
      offered.push(request.tools.map(({ name }) => name).join());
      return say("yes");
    },
  });
  const threadId = await start({ profile: "research" });
  const live = follow(threadId);
  for (const [index, text] of ["hello", "what is the weather in Rome?", "remember my name"].entries()) {
    await send(threadId, text);
    await live.ended(index + 1);
  }
  expect(new Set(offered).size).toBe(1);
  expect(offered[0]).toBe("find_tools,plan_research,read_artifact,scrape_webpage,search_web,use_tool");
});

test.each(policyNames)(
  "a thread moved into a project has its tools at the next turn under policy %s",
  async (policy) => {
    const offered: (readonly string[])[] = [];
    const { start, send, follow, client, url } = await startInstance({
      script: (request) => {
        offered.push(request.tools.map(({ name }) => name));
        return say("yes");
      },
    });
    const projectId = mintId("project");
    await client.createProject({ body: { id: projectId, name: "Harbour" } });
    const threadId = await start();
    await client.changeThread({ params: { threadId }, body: { id: mintId(), policy } });
    const live = follow(threadId);
    const chat = async (text: string, count: number) => {
      await send(threadId, text);
      await live.ended(count);
    };
    await chat("hello", 1);
    await client.changeThread({ params: { threadId }, body: { id: mintId(), projectId } });
    await chat("what is open here?", 2);
    await chat("and what is due?", 3);
    expect(offered.map((names) => names.includes("list_entities"))).toEqual([false, true, true]);
    expect(offered[2]).toEqual(offered[1]);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/prompt_prefix_breaks\S* 0$/m);
  },
);

test.each(policyNames)(
  "a tool that was spoken of is offered and runs at “yes, do it” under policy %s",
  async (policy) => {
    const { start, send, follow, client } = await startInstance({
      env: { STONECHAT_WEATHER: "simulated" },
      script: ({ messages, tools }) => {
        const lastMessage = messages.flatMap((message) => (message.role === "user" ? [message.text] : [])).at(-1) ?? "";
        if (!lastMessage.includes("yes, do it")) return say("Shall I look it up?");
        if (messages.at(-1)?.role === "tool") return say("done");
        const isOffered = tools.some(({ name }) => name === "weather");
        return isOffered ? call({ name: "weather", input: '{"place":"Rome"}' }) : say("I have no tool for that.");
      },
    });
    const threadId = await start({ profile: "project" });
    await client.changeThread({ params: { threadId }, body: { id: mintId(), policy } });
    const live = follow(threadId);
    await send(threadId, "What is the weather in Rome?");
    await live.ended();
    await send(threadId, "yes, do it");
    await live.ended(2);
    const parts = live.view().messages.flatMap((message) => message.parts);
    expect(parts.filter(({ kind }) => kind === "tool")).toMatchObject([{ name: "weather", state: "ok" }]);
  },
);
