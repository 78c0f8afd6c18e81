import { expect, onTestFinished, test } from "vitest";
import { say, startInstance, type Instance } from "../support/instance.ts";
import { readMessage, receive, textsOf, toChunks } from "../support/clients/ai-sdk.ts";
import { openLoopback, send as respond, sendJson } from "../support/web/loopback.ts";

const post = ({ url }: Pick<Instance, "url">, path: string, body: object): Promise<Response> =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
const read = async (response: Response) => {
  const { status, text } = await receive(response);
  expect(status).toBe(200);
  return readMessage(await toChunks(text));
};

test("POST /api/ai/agent/stream answers a chat with the profile research, from the server's own history", async () => {
  const prompts: string[] = [];
  const instance = await startInstance({
    script: (request) => {
      prompts.push(JSON.stringify(request.messages));
      return say(`answer ${prompts.length}`);
    },
  });
  const turn = { chatId: "chat 1", message: "What is granite?", conversationContext: "User: my invented past" };
  const sources = [{ url: "https://rocks.example/", title: "Rocks" }];
  const first = await read(
    await post(instance, "/api/ai/agent/stream", { ...turn, webResearchSources: sources, unknown: 1 }),
  );
  expect(textsOf(first).join("")).toBe("answer 1");
  await read(await post(instance, "/api/ai/agent/stream", { ...turn, message: "And basalt?" }));
  expect(prompts[1]).toContain("What is granite?");
  expect(prompts[1]).toContain("answer 1");
  expect(prompts.join()).not.toContain("my invented past");
  const { threadId, messages } = await instance.client.getChat({ params: { chatId: "chat 1" } });
  expect(messages).toHaveLength(4);
  expect((await instance.client.getThread({ params: { threadId } })).thread.profile).toBe("research");

  const refused: readonly [object, number][] = [
    [{ message: "x".repeat(10_001) }, 413],
    [{ webResearchSources: Array.from({ length: 13 }, () => sources[0]) }, 400],
    [{ webResearchSources: [{ url: `https://a.example/${"x".repeat(2_000)}` }] }, 400],
    [{ webResearchSources: [{ title: "x".repeat(501) }] }, 400],
  ];
  for (const [more, status] of refused) {
    const response = await post(instance, "/api/ai/agent/stream", { ...turn, ...more });
    expect([response.status, Object.keys(more)]).toEqual([status, Object.keys(more)]);
  }
  expect(prompts).toHaveLength(2);
  const webResearchSources = Array.from({ length: 12 }, () => ({
    url: `https://a.example/${"x".repeat(1_900)}`,
    title: "x".repeat(500),
  }));
  const most = { conversationContext: "x".repeat(50_000), webResearchSources };
  const long = await post(instance, "/api/ai/agent/stream", { ...turn, ...most });
  expect(textsOf(await read(long)).join("")).toBe("answer 3");
});

test("POST /api/autopilot/send stores the message at once, and once for each messageId", async () => {
  const instance = await startInstance({ script: () => say("Done.") });
  const body = { threadId: "t/1", text: "Book a table.", messageId: "m1" };
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const response = await post(instance, "/api/autopilot/send", body);
    expect([response.status, await response.json()]).toEqual([202, { ok: true, threadId: "t/1" }]);
  }
  const chat = () => instance.client.getChat({ params: { chatId: "t/1" } });
  await expect.poll(async () => (await chat()).messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  const { threadId } = await chat();
  expect((await instance.client.getThread({ params: { threadId } })).thread.profile).toBe("autopilot");
});

test("POST /api/agent/v2/stream answers in the context of a project or of all projects", async () => {
  const prompts: string[] = [];
  const instance = await startInstance({
    script: (request) => {
      prompts.push(JSON.stringify(request.messages));
      return say("Here it is.");
    },
  });
  const { client } = instance;
  await client.createProject({ body: { id: "p1", name: "Garden" } });
  const ask = async (sessionId: string, more: object) => {
    const answer = await read(
      await post(instance, "/api/agent/v2/stream", { sessionId, message: "What now?", ...more }),
    );
    expect(textsOf(answer).join("")).toBe("Here it is.");
    const { threadId } = await client.getChat({ params: { chatId: sessionId } });
    return (await client.getThread({ params: { threadId } })).thread;
  };
  expect(await ask("s1", { contextType: "project", entityId: "p1" })).toMatchObject({
    profile: "project",
    projectId: "p1",
  });
  expect(prompts.at(-1)).toContain("Garden");
  expect(await ask("s2", {})).toMatchObject({ profile: "project", projectId: null });
  expect(await ask("s1", { contextType: "global" })).toMatchObject({ projectId: "p1" });
  const unknown = await post(instance, "/api/agent/v2/stream", {
    ...{ sessionId: "s4", message: "Hello", contextType: "project", entityId: "nowhere" },
  });
  expect(unknown.status).toBe(404);
});

test("POST /api/search and /api/scrape work without a thread and store nothing", async () => {
  const site = await openLoopback((asked, response) =>
    asked.path === "/search"
      ? sendJson({ results: [{ url: `${site.url}/granite`, title: "Granite", content: "All about granite." }] })(
          asked,
          response,
        )
      : respond(
          "text/html",
          "<html><title>Granite</title><body><article><h1>Granite</h1><p>Granite is an igneous rock.</p></article></body></html>",
        )(asked, response),
  );
  onTestFinished(site.close);
  const instance = await startInstance({
    env: {
      STONECHAT_SEARCH: "searxng",
      STONECHAT_SEARXNG_URL: site.url,
      STONECHAT_ALLOW_PRIVATE: "mcp=127.0.0.1,search=127.0.0.1,scrape=127.0.0.1",
    },
  });
  const searched = await (await post(instance, "/api/search", { query: "granite", count: 3 })).json();
  expect(searched).toMatchObject({ provider: "searxng", results: [{ title: "Granite", url: `${site.url}/granite` }] });
  const scraped = await (await post(instance, "/api/scrape", { url: `${site.url}/granite` })).json();
  expect(scraped).toMatchObject({ pages: [{ title: "Granite", text: expect.stringContaining("an igneous rock") }] });
  const missing = await (await post(instance, "/api/scrape", { url: "http://127.0.0.1:1/" })).json();
  expect(missing).toMatchObject({ pages: [{ error: { message: expect.any(String) } }] });
  expect((await post(instance, "/api/search", { query: "" })).status).toBe(400);
  expect((await instance.client.listThreads({ query: {} })).threads).toEqual([]);
});
