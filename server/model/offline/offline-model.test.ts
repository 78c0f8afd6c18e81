import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test, vi } from "vitest";
import type { ModelEvent, ModelRequest, PromptMessage, ToolSpec } from "../../../protocol/model.ts";
import { createOfflineModel } from "./offline-model.ts";

const time: ToolSpec = {
  name: "now",
  description: "The time",
  inputSchema: { type: "object", properties: {} },
};
const search: ToolSpec = {
  name: "search_web",
  description: "Search",
  inputSchema: {
    type: "object",
    properties: { query: { type: "string" }, count: { type: "integer" } },
    required: ["query"],
  },
};
const user = (text: string): PromptMessage => ({ role: "user", text });
const stone = (text: string): PromptMessage => ({ role: "assistant", parts: [{ kind: "text", text }] });

const ask = async (messages: readonly PromptMessage[], more: Partial<ModelRequest> = {}): Promise<ModelEvent[]> => {
  const request: ModelRequest = {
    system: "You are Stonechat. Help the user. Use tools where they help.",
    messages,
    tools: [time, search],
    toolChoice: "auto",
    effort: "medium",
    maxOutputTokens: null,
    ...more,
  };
  const events: ModelEvent[] = [];
  const stream = createOfflineModel({ paceMs: 0 }).stream(request, new AbortController().signal);
  for await (const event of stream) events.push(event);
  return events;
};
const say = async (...messages: readonly PromptMessage[]) =>
  (await ask(messages)).map((event) => (event.type === "delta" ? event.text : "")).join("");
const calls = (events: readonly ModelEvent[]) =>
  events.flatMap((event) => (event.type === "tool-call" ? [[event.name, JSON.parse(event.inputText)]] : []));

describe("answers", () => {
  test("introduces itself and says how to connect a model", async () => {
    for (const words of ["hi", "Hello!", "help", "Who are you?", "你好"]) {
      const text = await say(user(words));
      expect(text).toContain("demo model");
      expect(text).toContain("OPENROUTER_API_KEY");
    }
  });

  test.each([
    ["My dog is called Rex.", "What is the name of my dog?"],
    ["The launch is on 14 March in Bergen.", "When is the launch?"],
    ["Die Katze schläft im Garten.", "Wo schläft die Katze?"],
    ["Mon anniversaire est le 3 mai.", "Quand est mon anniversaire ?"],
    ["我的狗叫小白。", "我的狗叫什么？"],
    ["会議は金曜日です。", "会議はいつですか？"],
  ])("quotes %j for %j, and does not know without it", async (fact, question) => {
    const filler = [user("I had soup today."), stone("I have read it."), user("It rains a lot here.")];
    const known = await say(filler[0]!, user(fact), ...filler, user(question));
    expect(known).toContain(`You said:\n\n> ${fact}`);
    expect(await say(...filler, user(question))).toContain("I do not know");
  });

  test("names the source of a quotation", async () => {
    const result: PromptMessage = {
      role: "tool",
      results: [{ callId: "c", name: "look_up", text: "Everest is 8849 m high.", failed: false }],
    };
    expect(await say(user("x."), result, user("How high is Everest?"))).toContain("The tool `look_up` answered:");
    expect(await say(stone("The capital of Peru is Lima."), user("What is the capital of Peru?"))).toContain("I said:");
  });

  test("quotes the system prompt", async () => {
    const events = await ask([user("What is the wifi password?")], {
      system: "Facts: the wifi password is 'granite'.",
    });
    expect(JSON.stringify(events)).toContain("granite");
  });

  test("does not quote an earlier question as the answer", async () => {
    expect(await say(user("Where is my passport?"), stone("I do not know."), user("Where is my passport?"))).toContain(
      "I do not know",
    );
  });

  test("acknowledges a statement", async () => {
    expect(await say(user("My dog is called Rex."))).toContain("> My dog is called Rex.");
  });

  test("answers the same request with the same events", async () => {
    const messages = [user("My dog is called Rex."), user("What is my dog called?")];
    expect(await ask(messages)).toEqual(await ask(messages));
  });
});

describe("tools", () => {
  test.each(["What time is it?", "what's the date today"])("%j calls now", async (text) => {
    expect(calls(await ask([user(text)]))).toEqual([["now", {}]]);
  });

  test.each(["The last time I was there it rained.", "Mail me at a@now.org", "We date since May."])(
    "%j calls nothing",
    async (text) => {
      expect(calls(await ask([user(text)]))).toEqual([]);
    },
  );

  test("calls a named tool with the user's words", async () => {
    const events = await ask([user("@search granite quarries")], { toolChoice: { tool: "search_web" } });
    expect(calls(events)).toEqual([["search_web", { query: "granite quarries" }]]);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "tool-calls" });
  });

  test("reports failures in the same step as the next calls", async () => {
    const turn: PromptMessage[] = [
      user("Find out how high Everest is"),
      {
        role: "assistant",
        parts: [
          { kind: "tool-call", callId: "c", name: "plan_research", input: { queries: [{ query: "Everest height" }] } },
        ],
      },
      { role: "tool", results: [{ callId: "c", name: "plan_research", text: "no paper", failed: true }] },
    ];
    const types = (await ask(turn)).map(({ type }) => type);
    expect(types.filter((type, index) => type !== types[index - 1])).toEqual([
      "start",
      "delta",
      "end",
      "tool-start",
      "tool-call",
      "finish",
    ]);
  });

  test("quotes results, reports failures and repeats no call", async () => {
    const turn: PromptMessage[] = [
      user("What time is it?"),
      { role: "assistant", parts: [{ kind: "tool-call", callId: "c", name: "now", input: {} }] },
    ];
    const answer = (text: string, failed: boolean): PromptMessage => ({
      role: "tool",
      results: [{ callId: "c", name: "now", text, failed }],
    });
    expect(await say(...turn, answer("12:00 UTC", false))).toBe("The tool `now` answered:\n\n> 12:00 UTC");
    expect(await say(...turn, answer("the clock broke", true))).toContain("failed: the clock broke");
  });

  test("calls no tool when tools are off", async () => {
    expect(calls(await ask([user("What time is it?")], { toolChoice: "none" }))).toEqual([]);
  });
});

describe("the stream", () => {
  test("splits no character and reports an estimated usage without cost", async () => {
    const events = await ask([user("🪨".repeat(60))]);
    const deltas = events.flatMap((event) => (event.type === "delta" ? [event.text] : []));
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.every((text) => text.isWellFormed() && text.length > 0)).toBe(true);
    expect(deltas.join("")).toContain("🪨".repeat(60));
    expect(events.at(-1)).toMatchObject({ type: "finish", costUsd: 0, usage: { estimated: true } });
  });

  test("waits between pieces and stops on abort", async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const request = {
      system: "",
      messages: [user("hi")],
      tools: [],
      toolChoice: "auto",
      effort: "none",
      maxOutputTokens: null,
    } as const;
    const iterator = createOfflineModel({ paceMs: 20 }).stream(request, stop.signal)[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ type: "start" });
    const first = iterator.next();
    await vi.advanceTimersByTimeAsync(20);
    expect((await first).value).toMatchObject({ type: "delta" });
    const second = iterator.next();
    stop.abort();
    expect((await second).value).toMatchObject({ type: "failed", failure: { code: "cut" } });
    expect((await iterator.next()).done).toBe(true);
    vi.useRealTimers();
  });

  test("fails only when the prompt is beyond the window", async () => {
    const words = (count: number) => user(`${"granite ".repeat(count)}.`);
    expect((await ask([words(12_000)])).at(-1)).toMatchObject({ failure: { code: "too-long", fault: "request" } });
    expect((await ask([words(3000)])).at(-1)?.type).toBe("finish");
  });
});

test("imports only the protocol, server/lib and its own folder", () => {
  const files = readdirSync(new URL(".", import.meta.url)).filter((file) => !file.endsWith(".test.ts"));
  const imports = ["../play-events.ts", ...files].flatMap((file) =>
    [...readFileSync(new URL(file, import.meta.url), "utf8").matchAll(/from "(\.[^"]+)"/g)].map(
      ([, path = ""]) => new URL(path, new URL(file, import.meta.url)).pathname,
    ),
  );
  const root = new URL("../../../", import.meta.url).pathname;
  const allowed = [
    "protocol/",
    "server/lib/",
    "server/model/offline/",
    "server/model/play-events.ts",
    "server/model/stopped.ts",
  ];
  expect(imports.length).toBeGreaterThan(20);
  expect(imports.filter((path) => !allowed.some((start) => path.startsWith(`${root}${start}`)))).toEqual([]);
});
