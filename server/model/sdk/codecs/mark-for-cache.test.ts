import { describe, expect, test } from "vitest";
import type { PromptMessage } from "../../../../protocol/model.ts";
import { toRequest } from "../../../../test/support/model/arbitrary-request.ts";
import { createEncoder } from "../../../../test/support/model/encode.ts";

const encode = createEncoder();
type Block = { readonly type: string; readonly cache_control?: object };
type Body = {
  readonly system?: readonly Block[];
  readonly tools?: readonly Block[];
  readonly messages: readonly { readonly role: string; readonly content: readonly Block[] }[];
};
const native = "anthropic/claude-sonnet-5-5";
const send = async (messages: readonly PromptMessage[], id = native, system = "Be careful. ".repeat(500)) =>
  JSON.parse(await encode(toRequest(messages, { system }), id)) as Body;

/** Blocks in the order in which Anthropic hashes them: tools, system, messages. */
const listBlocks = ({ tools = [], system = [], messages }: Body): readonly Block[] => [
  ...tools,
  ...system,
  ...messages.flatMap(({ content }) => content),
];
const placesOf = (body: Body): readonly number[] =>
  listBlocks(body).flatMap((block, at) => (block.cache_control === undefined ? [] : [at]));
const countMarks = (body: Body) => JSON.stringify(body).match(/"cache_control":/g)?.length ?? 0;

const user = (text: string, breakpoint?: true): PromptMessage => ({
  role: "user",
  text,
  ...(breakpoint && { breakpoint }),
});
const said = (text: string): PromptMessage => ({ role: "assistant", parts: [{ kind: "text", text }] });
const step = (name: string, calls: number): readonly PromptMessage[] => {
  const ids = Array.from({ length: calls }, (_, at) => `${name}-${at}`);
  return [
    { role: "assistant", parts: ids.map((callId) => ({ kind: "tool-call", callId, name: "look", input: {} })) },
    { role: "tool", results: ids.map((callId) => ({ callId, name: "look", text: `result ${callId}`, failed: false })) },
  ];
};
const head = user("The head. ".repeat(500), true);

describe("cache marks", () => {
  test("are set after system, after the opening block and at the newest points, at most four", async () => {
    const body = await send([head, user("q"), ...step("a", 2), ...step("b", 1), ...step("c", 1), user("note")]);
    expect(placesOf(body)).toHaveLength(4);
    expect(body.system?.[0]?.cache_control).toEqual({ type: "ephemeral" });
    expect(body.messages[0]?.content[0]?.cache_control).toBeDefined();
    const last = body.messages.at(-1)?.content ?? [];
    expect(last.map(({ type, cache_control: mark }) => [type, mark !== undefined])).toEqual([
      ["tool_result", true],
      ["text", false],
    ]);
  });

  test("are not set below the model's minimum size", async () => {
    expect(placesOf(await send([user("Hi", true)], native, "Short."))).toEqual([]);
    const between = "Be careful. ".repeat(700);
    expect(placesOf(await send([user("Hi", true)], native, between)).length).toBeGreaterThan(0);
    expect(placesOf(await send([user("Hi", true)], "anthropic/claude-haiku-4-5", between))).toEqual([]);
  });

  test("are set on the tools if there is no system prompt", async () => {
    const tools = [{ name: "look", description: "Looks. ".repeat(1500), inputSchema: { type: "object" } }];
    const body = JSON.parse(await encode(toRequest([user("Hi")], { system: "", tools }), native)) as Body;
    expect(body.tools?.[0]?.cache_control).toBeDefined();
  });

  test("are not sent to other providers", async () => {
    const messages = [head, user("q"), ...step("a", 2), user("more", true)];
    for (const id of [
      "openai/gpt-5-mini",
      "google/gemini-3.8-flash",
      "compatible/qwen3:8b",
      "openrouter/moonshotai/kimi-k2.5",
    ])
      expect(countMarks(await send(messages, id)), id).toBe(0);
  });

  test("are sent to Anthropic's models at OpenRouter, too", async () => {
    const body = await send(
      [head, user("q"), ...step("a", 2), user("more", true)],
      "openrouter/anthropic/claude-sonnet-5-5",
    );
    expect(countMarks(body)).toBe(3);
    expect(body.messages[1]?.content[0]?.cache_control).toBeDefined();
    expect(body.messages.at(-1)?.content).toBe("more");
  });
});

/** Anthropic looks for a cached prefix at each mark and up to 20 blocks before it. */
const LOOKBACK = 20;

test("each call reads the whole prefix that the previous call cached, for any number of calls in a step", async () => {
  const steps = [1, 3, 12, 30, 1, 2, 25, 8].map((calls, at) => step(`s${at}`, calls));
  let remembered = new Set<string>();
  let [hits, blocksBefore] = [0, 0];
  const log: PromptMessage[] = [head, user("first question")];
  const look = async (messages: readonly PromptMessage[]) => {
    const body = await send(messages);
    const blocks = listBlocks(body).map(({ cache_control: _, ...block }) => JSON.stringify(block));
    const places = placesOf(body);
    const keyOf = (place: number) => blocks.slice(0, place + 1).join();
    const read = places
      .flatMap((place) => Array.from({ length: LOOKBACK + 1 }, (_, back) => place - back))
      .filter((place) => place >= 0 && remembered.has(keyOf(place)));
    hits += Number(read.length > 0);
    expect(Math.max(-1, ...read)).toBeGreaterThanOrEqual(blocksBefore - 1);
    remembered = new Set([...remembered, ...places.map(keyOf)]);
    blocksBefore = (places.at(-1) ?? -1) + 1;
  };
  const markedEnd = () => [...log.slice(0, -1), { ...(log.at(-1) as PromptMessage), breakpoint: true as const }];
  for (const [at, one] of steps.entries()) {
    await look(markedEnd());
    log.push(...one);
    if (at % 3 !== 2) continue;
    await look([...markedEnd(), user("[a note that is said once]")]);
    log.push(said("An answer."), user(`question ${at}`));
  }
  await look(log);
  expect(hits).toBe(steps.length + 2);
});
