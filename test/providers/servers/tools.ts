import { call, chunk, finish, moreArguments, text, toSse } from "../../support/chat-wire.ts";
import { error, events, HEALTHY, healthy, raw, status, type Scenario } from "./scenario.ts";

const CUT = "The arguments were cut off by the output limit. Call the tool again with shorter arguments.";
const INCOMPLETE = "The arguments are incomplete JSON. Call the tool again with complete, shorter arguments.";

const mentions = (words: string) => (bodies: readonly string[]) => bodies.at(-1)?.includes(words) === true;

const cut = (server: string, name: string, args: readonly string[], reason: string, words: string): Scenario => ({
  server,
  name: `tool call cut off: ${name}`,
  replies: [
    events(call(0, "c1", "now", args[0] ?? ""), ...args.slice(1).map((more) => moreArguments(0, more)), finish(reason)),
    healthy,
  ],
  outcome: "done",
  sentence: null,
  answer: HEALTHY,
  calls: 2,
  tools: ["now error"],
  requests: mentions(words),
});

/** A call that was cut off is never run, and the model gets an error. */
export const cutCalls: readonly Scenario[] = [
  cut("OpenAI chat", "in a string", ['{"timeZone": "Europe/Zu'], "length", CUT),
  cut("OpenAI chat", "after a key", ['{"timeZone":'], "length", CUT),
  cut("OpenAI chat", "before its arguments", [""], "length", CUT),
  cut("llama.cpp", "with arguments that the server closed itself", ['{"timeZone": ""}'], "length", CUT),
  cut("Mistral", "model_length", ['{"timeZone": "Europe'], "model_length", CUT),
  cut("vLLM", "abort", ['{"timeZone": "Europe'], "abort", CUT),
  cut("any server", "without any sign of it", ['{"timeZone": "Eu'], "tool_calls", INCOMPLETE),
  cut("any server", "said to be complete", ['{"timeZone": "Europe/Zurich"'], "stop", INCOMPLETE),
  {
    server: "OpenAI chat",
    name: "the second of two tool calls is cut off: only the first runs",
    replies: [events(call(0, "c1", "now", "{}"), call(1, "c2", "now", '{"timeZone": "Eu'), finish("length")), healthy],
    outcome: "done",
    sentence: null,
    answer: HEALTHY,
    calls: 2,
    tools: ["now ok", "now error"],
    requests: mentions(CUT),
  },
  {
    server: "any server",
    name: "[DONE] without a finish reason, in the middle of a tool call",
    replies: [raw(toSse([call(0, "c1", "now", '{"timeZone": "Eu')])), healthy],
    outcome: "done",
    sentence: "The model server did not say why the answer ended. It may be incomplete.",
    answer: HEALTHY,
    calls: 2,
    tools: ["now error"],
    requests: mentions(INCOMPLETE),
  },
  {
    server: "any server",
    name: "the stream breaks off in the middle of a tool call",
    replies: [raw(toSse([call(0, "c1", "now", '{"timeZone": "Eu')]).replace("data: [DONE]\n\n", "")), healthy],
    outcome: "done",
    sentence: "The connection to {server} broke before the answer was complete. Try again. Trying again.",
    answer: HEALTHY,
    calls: 2,
    tools: ["now cancelled"],
  },
];

const runs = (server: string, name: string, ...list: readonly object[]): Scenario => ({
  server,
  name: `tool call: ${name}`,
  replies: [events(...list), healthy],
  outcome: "done",
  sentence: null,
  answer: HEALTHY,
  calls: 2,
  tools: ["now ok"],
});

const objectArguments = (value: object) =>
  chunk({ tool_calls: [{ index: 0, id: "c1", type: "function", function: { name: "now", arguments: value } }] });

/** Unusual but complete calls are run. */
export const wholeCalls: readonly Scenario[] = [
  runs("any server", "complete", call(0, "c1", "now", "{}"), finish("tool_calls")),
  runs("Ollama (older)", "arguments as an object", objectArguments({}), finish("tool_calls")),
  runs("any server", "arguments as an object with content", objectArguments({ timeZone: "UTC" }), finish("tool_calls")),
  runs("any server", "no arguments", call(0, "c1", "now", ""), finish("tool_calls")),
  runs("any server", "a fence around the arguments", call(0, "c1", "now", "```json\n{}\n```"), finish("tool_calls")),
  runs("any server", "a trailing comma", call(0, "c1", "now", '{"timeZone": "UTC",}'), finish("tool_calls")),
  runs("llama.cpp", "finish reason stop", call(0, "c1", "now", "{}"), finish("stop")),
  runs("Anthropic proxies", "finish reason tool_use", call(0, "c1", "now", "{}"), finish("tool_use")),
  runs("any server", "an unknown finish reason", call(0, "c1", "now", "{}"), finish("calls_made")),
  runs(
    "Ollama",
    "after <think> tags",
    text("<think>The time.</think>"),
    call(0, "c1", "now", "{}"),
    finish("tool_calls"),
  ),
  {
    ...runs("any server", "[DONE] without a finish reason", call(0, "c1", "now", "{}")),
    sentence: "The model server did not say why the answer ended. It may be incomplete.",
  },
];

const hasTools = (body: string | undefined): boolean => body?.includes('"tools":[') === true;

const withoutTools = (server: string, code: number, body: object): Scenario => ({
  server,
  name: `no tools: ${code}`,
  replies: [({ text: sent }) => (hasTools(sent) ? status(code, body) : (healthy as ReturnType<typeof status>))],
  outcome: "done",
  sentence: "This model of {server} does not support tools. Trying again without tools.",
  answer: HEALTHY,
  calls: 2,
  requests: (bodies) => hasTools(bodies[0]) && !hasTools(bodies[1]),
});

/** Models without tool support are called without tools, and a notice says so once. */
export const noTools: readonly Scenario[] = [
  withoutTools("Ollama", 400, error("registry.ollama.ai/library/gemma:2b does not support tools", "api_error")),
  withoutTools(
    "OpenRouter proxies",
    404,
    error(
      "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs",
      "error",
      404,
    ),
  ),
  withoutTools("vLLM", 400, {
    object: "error",
    message: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
    type: "BadRequestError",
    code: 400,
  }),
  withoutTools("llama.cpp", 500, error("tools param requires --jinja flag", "server_error", 500)),
  withoutTools("Groq", 400, error("`tool calling` is not supported with this model", "invalid_request_error")),
  withoutTools("DeepSeek", 400, error("deepseek-reasoner does not support Function Calling", "invalid_request_error")),
  withoutTools("Mistral", 400, {
    object: "error",
    message: "Function calling is not enabled for this model",
    type: "invalid_request_function_call",
  }),
  withoutTools(
    "Gemini proxies",
    400,
    error("Function calling is not enabled for models/gemma-3-27b-it", "INVALID_ARGUMENT", 400),
  ),
  withoutTools("LM Studio", 400, { error: "This model does not support tools" }),
  withoutTools("Together", 422, error("tool_choice is not supported for this model", "invalid_request_error")),
];
