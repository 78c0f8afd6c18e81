import { describe, expect, test, vi } from "vitest";
import type { ModelEvent, ModelRequest, PromptMessage } from "../../protocol/model.ts";
import { createScriptedModel, type Script, scriptedIds } from "./scripted.ts";

const ask = (text: string, after: readonly PromptMessage[] = []): ModelRequest => ({
  system: "",
  messages: [{ role: "user", text: "say something else" }, { role: "user", text }, ...after],
  tools: [],
  toolChoice: "auto",
  effort: "medium",
  maxOutputTokens: null,
});
const step = (name: string, text: string): PromptMessage[] => [
  { role: "assistant", parts: [{ kind: "tool-call", callId: "c", name, input: {} }] },
  { role: "tool", results: [{ callId: "c", name, text, failed: false }] },
];
const collect = async (stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> => {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
};
const create = (id: string = scriptedIds.main) => createScriptedModel(id, "directives");
const run = (text: string, after: readonly PromptMessage[] = [], model = create()) =>
  collect(model.stream(ask(text, after), new AbortController().signal));
const said = (events: readonly ModelEvent[]) =>
  events.map((event) => (event.type === "delta" ? event.text : "")).join("");

describe("directives", () => {
  test("echoes a message without directives", async () => {
    expect(said(await run("Good morning"))).toBe("You said: Good morning");
  });

  test("sends the given number of words and deltas", async () => {
    const events = await run("say 3 words");
    expect(events.filter((event) => event.type === "delta").map((event) => event.text)).toEqual(["w1", " w2", " w3"]);
    expect(events.at(-1)).toMatchObject({ type: "finish", reason: "stop", usage: { outputTokens: 3 } });
    expect(said(await run("say 2 deltas of 4 characters"))).toBe("xxxxxxxx");
    expect(said(await run("say so it is"))).toBe("so it is");
  });

  test("sends thinking as reasoning, and a finish with its reason", async () => {
    const events = await run("think 2 words then say yes then finish length");
    expect(events.flatMap((event) => (event.type === "start" ? [event.kind] : []))).toEqual(["reasoning", "text"]);
    expect(events.at(-1)).toMatchObject({ reason: "length" });
  });

  test("runs the directives after a call in the next step", async () => {
    const text = 'call first {"key":"a then b"} then say results then call second {} and call third {} then say end';
    const first = await run(text);
    expect(first.find((event) => event.type === "tool-call")).toMatchObject({ inputText: '{"key":"a then b"}' });
    expect(first.at(-1)).toMatchObject({ reason: "tool-calls" });
    const second = await run(text, step("first", "RESULT"));
    expect(said(second)).toBe("RESULT");
    expect(second.flatMap((event) => (event.type === "tool-call" ? [event.name] : []))).toEqual(["second", "third"]);
    expect(said(await run(text, [...step("first", ""), ...step("second", "")]))).toBe("end");
    expect(said(await run(text, [...step("", ""), ...step("", ""), ...step("", "")]))).toBe("done");
  });

  test("sends raw arguments unchanged", async () => {
    expect((await run("call x raw {bad")).find((event) => event.type === "tool-call")).toMatchObject({
      inputText: "{bad",
    });
  });

  test("fails with the code at the given place, the given number of times", async () => {
    expect((await run("fail 401")).at(-1)).toMatchObject({ failure: { code: "unauthorized", fault: "settings" } });
    const late = await run("fail cut after 2 words");
    expect(said(late)).toBe("w1 w2");
    expect(late.at(-1)).toMatchObject({ failure: { code: "cut", fault: "provider" } });
    expect((await run("fail 429 retry 3s")).at(-1)).toMatchObject({
      failure: { code: "rate-limited", retryAfterMs: 3000 },
    });
    const model = create();
    const text = "fail 503 2 times then say ok";
    const tries = [await run(text, [], model), await run(text, [], model), await run(text, [], model)];
    expect(tries.map((events) => events.at(-1)?.type)).toEqual(["failed", "failed", "finish"]);
  });

  test("uses backup lines only for the backup model", async () => {
    const text = "fail 500\nbackup: say from the backup";
    expect((await run(text)).at(-1)?.type).toBe("failed");
    expect(said(await run(text, [], create(scriptedIds.backup)))).toBe("from the backup");
    expect(said(await run("fail 500", [], create(scriptedIds.backup)))).toBe("The backup answers.");
  });

  test("hangs until stopped, and uses timers only for pauses", async () => {
    vi.useFakeTimers();
    const stop = new AbortController();
    const hung = collect(create().stream(ask("say a then hang"), stop.signal));
    await vi.advanceTimersByTimeAsync(1_000_000);
    stop.abort();
    expect((await hung).map((event) => event.type)).toEqual(["start", "delta", "end", "failed"]);
    const paced = create().stream(ask("say 3 words every 10ms"), new AbortController().signal)[Symbol.asyncIterator]();
    await paced.next();
    const first = paced.next();
    await vi.advanceTimersByTimeAsync(10);
    expect((await first).value).toMatchObject({ text: "w1" });
    await paced.return?.();
    expect(said(await run("say 500 words"))).toContain("w500");
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});

describe("script functions", () => {
  const play = (script: Script) =>
    collect(createScriptedModel(scriptedIds.main, script).stream(ask("x"), new AbortController().signal));
  const done: ModelEvent = { type: "finish", reason: "stop", usage: null };

  test("get the request and the number of the call", async () => {
    const model = createScriptedModel(scriptedIds.main, (request, index) => [
      { type: "delta", key: "k", text: `${request.messages.length} ${index}` },
      done,
    ]);
    await collect(model.stream(ask("x"), new AbortController().signal));
    expect(said(await collect(model.stream(ask("x"), new AbortController().signal)))).toBe("2 1");
  });

  test("end with exactly one terminal event, even if they omit it, continue after it or throw", async () => {
    const broken: Script = async function* () {
      yield { type: "start", key: "k", kind: "text" } satisfies ModelEvent;
      throw new Error("no");
    };
    const forgetful: Script = async function* () {
      yield { type: "start", key: "k", kind: "text" } satisfies ModelEvent;
    };
    expect((await play(() => [])).map((event) => event.type)).toEqual(["failed"]);
    expect((await play(() => [done, done])).map((event) => event.type)).toEqual(["finish"]);
    expect((await play(broken)).map((event) => event.type)).toEqual(["start", "failed"]);
    expect((await play(forgetful)).map((event) => event.type)).toEqual(["start", "failed"]);
  });
});
