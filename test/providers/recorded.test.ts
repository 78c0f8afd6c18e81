import { readFileSync } from "node:fs";
import { afterEach, describe, expect, test } from "vitest";
import type { ModelEvent, ModelRequest } from "../../protocol/model.ts";
import { systemClock } from "../../server/lib/clock.ts";
import { createModels } from "../../server/model/registry.ts";
import { createProviderServer, type ProviderServer } from "../support/provider-server.ts";

const modelOf = {
  openrouter: "openrouter/moonshotai/kimi-k2.5",
  openai: "openai/gpt-5-mini",
  anthropic: "anthropic/claude-haiku-4-5",
  google: "google/gemini-2.5-flash",
  compatible: "compatible/qwen3:8b",
} as const;
type Name = keyof typeof modelOf;
const names = Object.keys(modelOf) as Name[];

const request: ModelRequest = {
  system: "Be brief.",
  messages: [{ role: "user", text: "What is the weather in Bergen?" }],
  tools: [
    {
      name: "get_weather",
      description: "Weather of a city",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ],
  toolChoice: "auto",
  effort: "medium",
  maxOutputTokens: null,
};

let server: ProviderServer | undefined;
afterEach(() => server?.close());

const readFixture = (name: Name, kind: string) =>
  readFileSync(new URL(`../fixtures/streams/${name}/${kind}.sse`, import.meta.url), "utf8");

const replay = (name: Name, kind: string, asked: ModelRequest = request) => play(name, readFixture(name, kind), asked);

const play = async (name: Name, body: string, asked: ModelRequest = request) => {
  await server?.close();
  server = await createProviderServer({ next: () => ({ body }) });
  const { url } = server;
  const model = createModels({
    config: {
      keys: { openrouter: "k-openrouter", openai: "k-openai", anthropic: "k-anthropic", google: "k-google" },
      baseUrls: { openrouter: url, openai: url, anthropic: url, google: url },
      compatible: { baseUrl: url, models: ["qwen3:8b"] },
    },
    clock: systemClock,
  }).find(modelOf[name])!;
  const events: ModelEvent[] = [];
  for await (const event of model.stream(asked, new AbortController().signal)) events.push(event);
  return { events, sent: server.calls[0]?.body as Record<string, unknown> };
};

const wordsOf = (events: readonly ModelEvent[], kind: "text" | "reasoning"): string => {
  const keys = new Set(events.flatMap((event) => (event.type === "start" && event.kind === kind ? [event.key] : [])));
  return events.map((event) => (event.type === "delta" && keys.has(event.key) ? event.text : "")).join("");
};

describe.each(names)("a recorded stream of %s", (name) => {
  test("yields the exact text, with usage", async () => {
    const { events } = await replay(name, "text");
    expect(wordsOf(events, "text")).toBe("Stones keep their words.");
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop", usage: { estimated: false } });
  });

  test("separates reasoning from the answer", async () => {
    const { events } = await replay(name, "reasoning");
    expect(wordsOf(events, "reasoning")).toBe("Two and two make four.");
    expect(wordsOf(events, "text")).toBe("Four.");
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });

  test("yields a complete tool call after its start", async () => {
    const { events } = await replay(name, "tool-call");
    const started = events.findIndex((event) => event.type === "tool-start");
    const called = events.findIndex((event) => event.type === "tool-call");
    expect(started).toBeGreaterThanOrEqual(0);
    expect(called).toBeGreaterThan(started);
    const call = events[called];
    expect(call).toMatchObject({ name: "get_weather" });
    expect(call?.type === "tool-call" && JSON.parse(call.inputText)).toEqual({ city: "Bergen" });
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
  });

  test("fails on an error event, after the text so far", async () => {
    const { events } = await replay(name, "error");
    expect(wordsOf(events, "text")).toBe("Half an ");
    expect(events.at(-1)).toMatchObject({ type: "failed", failure: { fault: "provider" } });
    expect(["overloaded", "server-error"]).toContain(
      events.at(-1)?.type === "failed" && (events.at(-1) as { failure: { code: string } }).failure.code,
    );
  });
});

/** The finish markers of each provider. */
const finishMarks: Record<Name, RegExp> = {
  openrouter: /"finish_reason": "stop".*\n\n/,
  compatible: /"finish_reason": "stop".*\n\n/,
  openai: /"type": "response\.completed".*\n\n/,
  anthropic: /"stop_reason": "end_turn".*\n\n/,
  google: /"finishReason": "STOP".*\r\n\r\n/,
};

test.each(names)("a stream of %s that is cut before its finish is never done", async (name) => {
  const whole = readFixture(name, "text");
  const outcomes = new Map<string, number>();
  for (let length = 0; length < whole.length; length += 41) {
    const body = whole.slice(0, length);
    const { events } = await play(name, body);
    const last = events.at(-1);
    const outcome = last?.type === "failed" ? last.failure.code : String(last?.type);
    const isDone = finishMarks[name].test(body);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    expect(isDone || outcome === "cut", `${outcome} at ${length}: ${body.slice(-80)}`).toBe(true);
  }
  expect(outcomes.get("cut")).toBeGreaterThan(10);
});

test.each(["openai", "anthropic", "google"] as const)("ignores an unknown event of %s", async (name) => {
  const body = readFixture(name, "text");
  const at = body.search(/\r?\n\r?\n/);
  const surprise = '\n\nevent: surprise\ndata: {"type":"surprise","hologram":true}';
  const { events } = await play(name, body.slice(0, at) + surprise + body.slice(at));
  expect(wordsOf(events, "text")).toBe("Stones keep their words.");
  expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
});

test("reads OpenRouter's cost, cache tokens and reasoning tokens", async () => {
  const { events } = await replay("openrouter", "text");
  expect(events.at(-1)).toMatchObject({
    costUsd: 0.0000123,
    usage: { inputTokens: 21, cacheReadTokens: 16, outputTokens: 7, reasoningTokens: 3 },
  });
});

test("counts Anthropic's cached tokens as input", async () => {
  const { events } = await replay("anthropic", "text");
  expect(events.at(-1)).toMatchObject({
    usage: { inputTokens: 97, cacheReadTokens: 64, cacheWriteTokens: 8, outputTokens: 15 },
  });
});

test("names the answering model if it differs", async () => {
  const { events } = await replay("anthropic", "text");
  expect(events.at(-1)).toMatchObject({ answeredBy: "claude-haiku-4-5-20251001" });
  expect((await replay("compatible", "text")).events.at(-1)).not.toHaveProperty("answeredBy");
});

describe("requests", () => {
  test("OpenRouter: medium effort, parallel tool calls, usage included", async () => {
    const { sent } = await replay("openrouter", "text");
    expect(sent).toMatchObject({
      reasoning: { effort: "medium" },
      parallel_tool_calls: true,
      usage: { include: true },
      stream: true,
    });
  });

  test("OpenAI: medium effort, parallel tool calls, nothing stored there", async () => {
    const { sent } = await replay("openai", "text");
    expect(sent).toMatchObject({
      reasoning: { effort: "medium" },
      parallel_tool_calls: true,
      store: false,
      include: ["reasoning.encrypted_content"],
    });
  });

  test("Anthropic: thinking budget; Google: visible thoughts", async () => {
    expect((await replay("anthropic", "text")).sent).toMatchObject({ thinking: { type: "enabled" } });
    expect((await replay("google", "text")).sent).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    });
  });

  test("send the chosen effort, or none", async () => {
    const high: ModelRequest = { ...request, effort: "high" };
    const none: ModelRequest = { ...request, effort: "none" };
    expect((await replay("openrouter", "text", high)).sent).toMatchObject({ reasoning: { effort: "high" } });
    expect((await replay("openrouter", "text", none)).sent).toMatchObject({ reasoning: { enabled: false } });
    expect((await replay("openai", "text", high)).sent).toMatchObject({ reasoning: { effort: "high" } });
    expect((await replay("google", "text", none)).sent).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: false } },
    });
    const budgetOf = async (asked: ModelRequest) =>
      ((await replay("anthropic", "text", asked)).sent["thinking"] as { budget_tokens?: number } | undefined)
        ?.budget_tokens ?? 0;
    expect(await budgetOf(high)).toBeGreaterThan(await budgetOf(request));
    expect(await budgetOf(none)).toBe(0);
  });

  test("have the same bytes for the same request", async () => {
    for (const name of names) {
      const once = JSON.stringify((await replay(name, "text")).sent);
      expect(JSON.stringify((await replay(name, "text")).sent)).toBe(once);
    }
  });
});

describe.each(names)("the second step at %s", (name) => {
  test("sends the call, its result and the provider's metadata back", async () => {
    const first = await replay(name, "tool-call");
    const call = first.events.find((event) => event.type === "tool-call")!;
    const second = await replay(name, "text", {
      ...request,
      messages: [
        ...request.messages,
        {
          role: "assistant",
          parts: [
            {
              kind: "tool-call",
              callId: call.callId,
              name: call.name,
              input: JSON.parse(call.inputText),
              ...("provider" in call ? { provider: call.provider } : {}),
            },
          ],
        },
        { role: "tool", results: [{ callId: call.callId, name: call.name, text: "Rain, 8 degrees", failed: false }] },
      ],
    });
    const sent = JSON.stringify(second.sent);
    expect(sent).toContain("Rain, 8 degrees");
    expect(sent).toContain("Bergen");
    expect(sent.includes("c2lnbmVk")).toBe(name === "google");
    expect(second.events.at(-1)).toMatchObject({ type: "finish", reason: "stop" });
  });

  test("sends reasoning back only to its provider", async () => {
    const first = await replay(name, "reasoning");
    const keys = new Map(first.events.flatMap((event) => (event.type === "start" ? [[event.key, event.kind]] : [])));
    const end = first.events.find((event) => event.type === "end" && keys.get(event.key) === "reasoning");
    const provider = end?.type === "end" ? end.provider : undefined;
    const withReasoning: ModelRequest = {
      ...request,
      messages: [
        ...request.messages,
        {
          role: "assistant",
          parts: [
            { kind: "reasoning", text: "Two and two make four.", ...(provider === undefined ? {} : { provider }) },
            { kind: "text", text: "Four." },
          ],
        },
        { role: "user", text: "And three?" },
      ],
    };
    const marks: Partial<Record<Name, string>> = {
      anthropic: "c2lnbmVk",
      openai: "gAAAA-sealed",
      openrouter: "make four.",
    };
    expect(JSON.stringify((await replay(name, "text", withReasoning)).sent)).toContain(marks[name] ?? "And three?");
    const other = name === "anthropic" ? "openai" : "anthropic";
    const elsewhere = JSON.stringify((await replay(other, "text", withReasoning)).sent);
    expect(elsewhere).not.toContain("Two and two make four.");
    expect(elsewhere).toContain("And three?");
  });
});
