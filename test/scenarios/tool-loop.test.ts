import { expect, test } from "vitest";
import { z } from "zod";
import type { PartOf } from "../../protocol/parts.ts";
import { defineTool, type Tool } from "../../server/tools/tool.ts";
import { call, createGate, say, startInstance, type Follower } from "../support/instance.ts";

const tool = (given: Partial<Tool> & Pick<Tool, "name">): Tool =>
  defineTool({
    description: "for a test",
    input: z.object({ q: z.string().optional() }),
    repeat: "pure",
    effects: ["read"],
    limits: { timeoutMs: 5000 },
    execute: async () => ({ output: "found" }),
    ...given,
  } as Tool);

const toolParts = (live: Follower): PartOf<"tool">[] =>
  live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "tool"));
const notices = (live: Follower): string[] =>
  live.view().messages.flatMap(({ parts }) => parts.flatMap((part) => (part.kind === "notice" ? [part.code] : [])));

test("calls that write the same object run one after the other, the rest side by side", async () => {
  const order: string[] = [];
  const together = createGate();
  const write = tool({
    name: "write",
    repeat: "keyed",
    touches: (input) => [(input as { q: string }).q],
    execute: async (input) => {
      const { q } = input as { q: string };
      order.push(`begin ${q}`);
      if (order.filter((one) => one.startsWith("begin")).length === 2) together.open();
      await together.passed;
      order.push(`end ${q}`);
      return { output: q };
    },
  });
  const { start, send, follow } = await startInstance({
    tools: [write],
    script: (_, index) =>
      index === 0
        ? call(
            { name: "write", input: '{"q":"a"}' },
            { name: "write", input: '{"q":"a"}' },
            { name: "write", input: '{"q":"b"}' },
          )
        : say("done"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  const own = order.filter((one) => one.endsWith("a"));
  expect(own).toEqual(["begin a", "end a", "begin a", "end a"]);
  expect(order.slice(0, 2).toSorted()).toEqual(["begin a", "begin b"]);
});

test("the same read again is answered from memory, with a note, until something is written", async () => {
  let reads = 0;
  const prompts: string[] = [];
  const steps = ["read", "read", "write", "read"];
  const { start, send, follow } = await startInstance({
    tools: [
      tool({ name: "read", execute: async () => ({ output: `read ${++reads}` }) }),
      tool({ name: "write", repeat: "keyed", effects: ["write"] }),
    ],
    script: (request, index) => {
      prompts.push(JSON.stringify(request.messages.at(-1)));
      return steps[index] ? call({ name: steps[index], input: '{"q":"x"}' }) : say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect((await live.ended()).outcome).toBe("done");
  expect(reads).toBe(2);
  expect(toolParts(live).map(({ output }) => output)).toEqual(["read 1", "read 1", "found", "read 2"]);
  expect(toolParts(live)[1]?.note).toContain("made before");
  expect(prompts[2]).toContain("made before");
});

test("A-A-A is answered instead of run, and the run goes on", async () => {
  let made = 0;
  const fails = tool({
    name: "fails",
    execute: () => {
      made += 1;
      return Promise.reject(new Error("no"));
    },
  });
  const { start, send, follow } = await startInstance({
    tools: [fails],
    script: (_, index) => (index < 3 ? call({ name: "fails", input: "{}" }) : say("I give up")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  expect((await live.ended()).outcome).toBe("done");
  expect(made).toBe(2);
  expect(toolParts(live)[2]).toMatchObject({ state: "error", errorText: expect.stringContaining("twice already") });
});

test("arguments are repaired once, and what the thread knows is filled in before they are shown", async () => {
  const seen: unknown[] = [];
  const filled = tool({
    name: "filled",
    input: z.object({ q: z.string(), thread: z.string() }),
    fill: (input, { threadId }) => ({ thread: threadId, ...input }),
    execute: async (input) => ({ output: seen.push(input) }),
  });
  const { start, send, follow } = await startInstance({
    tools: [filled],
    script: (_, index) => (index === 0 ? call({ name: "filled", input: '```json\n{"q": "a\nb",}\n```' }) : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  expect(seen).toEqual([{ q: "a\nb", thread: threadId }]);
  const first = live.rows.find(({ event }) => event.type === "part-settled" && event.part.kind === "tool");
  expect(first?.event).toMatchObject({ part: { input: { q: "a\nb", thread: threadId }, note: expect.any(String) } });
});

test("failed and unknown writes are told by code, whatever the answer claims", async () => {
  const { start, send, follow } = await startInstance({
    tools: [
      tool({
        name: "save",
        repeat: "keyed",
        effects: ["write"],
        describe: (input) => `Save ${(input as { q: string }).q}`,
        execute: async (input) => {
          if ((input as { q: string }).q === "bad") throw new Error("disk");
          return { output: "saved" };
        },
      }),
    ],
    script: (_, index) =>
      index === 0
        ? call({ name: "save", input: '{"q":"good"}' }, { name: "save", input: '{"q":"bad"}' })
        : say("All saved!"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "save both");
  await live.ended();
  const notice = live
    .view()
    .messages.at(-1)
    ?.parts.find((part) => part.kind === "notice");
  expect(notice).toMatchObject({ code: "failed-writes", text: expect.stringContaining("Save bad: it failed") });
  expect(JSON.stringify(notice)).not.toContain("Save good");
});

test("secrets in a result reach neither the model nor the rows; their owner can see them", async () => {
  const secret = "sk-proj-Zx8Qw3Er5Ty7Ui9Op1As2Df4Gh6Jk8Lz0Xc3Vb5Nm";
  const prompts: string[] = [];
  const { start, send, follow, client, server } = await startInstance({
    tools: [
      tool({
        name: "leak",
        execute: async (_, context) => {
          context.keep({ kind: "result", title: "Settings", type: "text/plain", text: `OPENAI_API_KEY=${secret}` });
          return { output: { api_key: secret, text: `the key is ${secret} indeed` } };
        },
      }),
    ],
    script: (request, index) => {
      prompts.push(JSON.stringify(request));
      return index === 0 ? call({ name: "leak", input: "{}" }) : say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  expect(prompts.join()).not.toContain(secret);
  expect(JSON.stringify(live.rows)).not.toContain(secret);
  const artifact = await client.getArtifact({ params: { threadId, ref: 1 } });
  expect(artifact.text).not.toContain(secret);
  const [part] = toolParts(live);
  expect(part?.redacted).toBeGreaterThan(0);
  const [row] = await server.store.read.hiddenValues(threadId);
  expect(row?.sealed).not.toContain(secret);
  const { value } = await client.revealValue({ params: { threadId }, body: { placeholder: row?.placeholder ?? "" } });
  expect(value).toBe(secret);
});

test("what a tool keeps and where it looked stand in the thread, each address once", async () => {
  const look = tool({
    name: "look",
    untrusted: true,
    execute: async (input, context) => {
      const { q = "" } = input as { q?: string };
      context.source({ url: "https://a.example/", title: "A", status: "found", relevance: 0.9 });
      if (q === "read") {
        const { ref } = context.keep({
          kind: "page",
          title: "A",
          url: "https://a.example/",
          type: "text/html",
          text: "granite",
        });
        context.source({ url: "https://a.example/", status: "read", ref });
      }
      return { output: q };
    },
  });
  const { start, send, follow, client } = await startInstance({
    tools: [look],
    script: (_, index) =>
      index < 3
        ? call({ name: "look", input: ["{}", '{"q":"read"}', '{"q":"again"}'][index] ?? "" })
        : say("granite [1]"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "what?");
  await live.ended();
  const sources = live.view().messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "source"));
  expect(sources).toMatchObject([{ url: "https://a.example/", title: "A", status: "read", relevance: 0.9, ref: 1 }]);
  const kept = await client.getArtifact({ params: { threadId, ref: 1 } });
  expect(kept).toMatchObject({ id: sources[0]?.artifactId, text: "granite", url: "https://a.example/" });
});

test("a tool's progress is shown while it runs and gone when it is done", async () => {
  const shown = createGate();
  const slow = tool({
    name: "slow",
    execute: async (_, { progress }) => {
      progress({ text: "half way", done: 1, of: 2 });
      await shown.passed;
      return { output: "done" };
    },
  });
  const { start, send, follow } = await startInstance({
    tools: [slow],
    script: (_, index) => (index === 0 ? call({ name: "slow", input: "{}" }) : say("done")),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.until(() => toolParts(live)[0]?.progress?.text === "half way");
  shown.open();
  await live.ended();
  expect(toolParts(live)[0]).toMatchObject({ state: "ok", startedAt: expect.any(Number), endedAt: expect.any(Number) });
  expect(toolParts(live)[0]?.progress).toBeUndefined();
  expect(notices(live)).toEqual([]);
});

test("a tool that is not offered is used by name, with its own arguments checked", async () => {
  const hidden = tool({
    name: "hidden",
    describe: (input) => `Hide ${(input as { n: number }).n}`,
    input: z.object({ n: z.number() }),
    execute: async (input) => ({ output: input }),
  });
  const { start, send, follow } = await startInstance({
    tools: [hidden],
    script: (_, index) =>
      index === 0
        ? call(
            { name: "use_tool", input: '{"name":"hidden","input":{"n":3}}' },
            { name: "use_tool", input: '{"name":"hidden","input":{"n":"x"}}' },
            { name: "use_tool", input: '{"name":"use_tool","input":{}}' },
          )
        : say("done"),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "go");
  await live.ended();
  expect(toolParts(live)).toMatchObject([
    { state: "ok", title: "Hide 3", output: { n: 3 } },
    { state: "error", errorText: expect.stringContaining("n:") },
    { state: "error", errorText: expect.stringContaining("There is no tool") },
  ]);
});

test("citations of an answer are checked against what was kept, and told with their passages", async () => {
  const text = "Granite is an igneous rock. It is hard and coarse-grained.";
  const { start, send, follow } = await startInstance({
    tools: [
      tool({
        name: "look",
        execute: async (_, context) => ({
          output: context.keep({ kind: "page", title: "A", type: "text/html", text }).ref,
        }),
      }),
    ],
    script: (_, index) =>
      index === 0
        ? call({ name: "look", input: "{}" })
        : say('It is "an igneous rock" [1]. It is "made of cheese" [1]. See also [7], but `x[1]` is code.'),
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "what is granite?");
  await live.ended();
  const part = live
    .view()
    .messages.at(-1)
    ?.parts.find((one) => one.kind === "data");
  expect(part).toMatchObject({ name: "citations" });
  const citations = (part as { value: { ref: number; state: string; span?: [number, number] }[] }).value;
  expect(citations.map(({ ref, state }) => [ref, state])).toEqual([
    [1, "verified"],
    [1, "unverified"],
    [7, "missing"],
  ]);
  expect(text.slice(...(citations[0]?.span ?? [0, 0]))).toBe("an igneous rock");
});

test("a command chooses its tool and the arguments that come with it", async () => {
  const choices: unknown[] = [];
  const { start, send, follow } = await startInstance({
    tools: [tool({ name: "search_web", input: z.object({ query: z.string(), provider: z.string().optional() }) })],
    script: (request, index) => {
      choices.push(request.toolChoice);
      return index === 0 ? call({ name: "search_web", input: '{"query":"granite"}' }) : say("done");
    },
  });
  const threadId = await start();
  const live = follow(threadId);
  await send(threadId, "please @BASIC granite, or write to me@basic.org");
  await live.ended();
  expect(choices).toEqual([{ tool: "search_web" }, "auto"]);
  expect(toolParts(live)[0]?.input).toEqual({ query: "granite", provider: "tavily" });
});

test("the tools of a thread stay the same from turn to turn, and all of them can be reached", async () => {
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

test("what is remembered of the person stands in the prompt", async () => {
  const systems: string[] = [];
  const { start, send, follow, client } = await startInstance({
    script: (request) => {
      systems.push(request.system);
      return say("hello");
    },
  });
  await client.setMemory({ params: {}, body: { id: "edit-1", field: "name", value: "Ada" } });
  const threadId = await start({ profile: "assistant" });
  const live = follow(threadId);
  await send(threadId, "hi");
  await live.ended();
  expect(systems[0]).toContain('name: "Ada"');
});
