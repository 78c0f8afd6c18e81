/** The chat completions wire format of OpenRouter and OpenAI-compatible servers: events for replies and faults. */
const model = "test/model";

export const chunk = (delta: object, finish: string | null = null, more: object = {}): object => ({
  id: "gen-test",
  object: "chat.completion.chunk",
  created: 1_780_000_000,
  model,
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});

export const text = (content: string): object => chunk({ role: "assistant", content });

export const call = (index: number, id: string | undefined, name: string | undefined, args: string): object =>
  chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] });

export const moreArguments = (index: number, args: string): object =>
  chunk({ tool_calls: [{ index, function: { arguments: args } }] });

export const usage = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 };

export const finish = (reason = "stop", figures: object | null = usage): object =>
  chunk({}, reason, figures === null ? {} : { usage: figures });

export const toSse = (events: readonly object[], newline = "\n"): string =>
  [...events.map((event) => JSON.stringify(event)), "[DONE]"]
    .map((data) => `data: ${data}${newline}${newline}`)
    .join("");

/** A healthy reply, to prove that the next turn works. */
export const healthyReply = (words: string) => ({
  body: toSse([...words.split(/(?<= )/).map(text), finish()]),
});

/** A healthy step that calls one tool. */
export const healthyCall = (name: string, input: object) => ({
  body: toSse([call(0, "call_healthy", name, JSON.stringify(input)), finish("tool_calls")]),
});
