import { chunk, finish, healthyReply, text, toSse, usage } from "../../support/chat-wire.ts";
import { events, HEALTHY, healthy, raw, write, type Scenario } from "./scenario.ts";

const half = "Stones keep words";
const said = (reason: string) => events(text(half), finish(reason));

const natural = (server: string, word: string): Scenario => ({
  server,
  name: `finish reason ${word}`,
  replies: [said(word)],
  outcome: "done",
  sentence: null,
  answer: half,
  calls: 1,
});

const early = (server: string, word: string, sentence: string): Scenario => ({
  ...natural(server, word),
  outcome: "limit",
  sentence,
});

const LENGTH = "The answer was cut off at the model's output limit. Choose Continue to get the rest.";
const interrupted = (word: string) =>
  `The model server ended the answer early (“${word}”). Choose Continue to get the rest.`;
const unknown = (word: string) =>
  `The model server ended the answer with the unknown reason “${word}”. The answer may be incomplete. Choose Continue to get the rest.`;
const FILTERED = "The provider's content filter cut this answer short.";
const UNSTATED = "The model server did not say why the answer ended. It may be incomplete.";
const DECLINED = "The model declined to answer this.";

/** Finish reasons. */
export const finishReasons: readonly Scenario[] = [
  natural("OpenAI chat", "stop"),
  natural("TGI", "eos_token"),
  natural("TGI", "stop_sequence"),
  natural("LM Studio", "eos"),
  natural("Anthropic proxies", "end_turn"),
  natural("Cohere", "COMPLETE"),
  early("OpenAI chat", "length", LENGTH),
  early("Mistral", "model_length", LENGTH),
  early("Anthropic proxies", "max_tokens", LENGTH),
  early("Gemini proxies", "MAX_TOKENS", LENGTH),
  early("TabbyAPI", "max_new_tokens", LENGTH),
  early("any server", "context_length_exceeded", LENGTH),
  early("vLLM and SGLang", "abort", interrupted("abort")),
  early("OpenRouter and Fireworks", "error", interrupted("error")),
  early("DeepSeek", "insufficient_system_resource", interrupted("insufficient_system_resource")),
  early("GLM", "network_error", interrupted("network_error")),
  early("any server", "timeout", interrupted("timeout")),
  early("any server", "cancelled", interrupted("cancelled")),
  early("Gemini proxies", "OTHER", unknown("OTHER")),
  early("any server", "tired", unknown("tired")),
  early("Gemini proxies", "FINISH_REASON_UNSPECIFIED", unknown("FINISH_REASON_UNSPECIFIED")),
  { ...natural("OpenAI chat", "content_filter"), sentence: FILTERED },
  { ...natural("GLM", "sensitive"), sentence: FILTERED },
  { ...natural("Gemini proxies", "SAFETY"), sentence: FILTERED },
  { ...natural("Anthropic proxies", "refusal"), sentence: DECLINED },
  {
    server: "Anthropic proxies",
    name: "finish reason pause_turn is followed by another call",
    replies: [said("pause_turn"), healthy],
    outcome: "done",
    sentence: null,
    answer: `${half}\n\n${HEALTHY}`,
    calls: 2,
    requests: (bodies) => bodies[1]?.includes(half) === true,
  },
  {
    server: "OpenAI chat",
    name: "a refusal in a separate field",
    replies: [events(chunk({ role: "assistant", refusal: "I cannot help with that." }), finish())],
    outcome: "done",
    sentence: DECLINED,
    answer: "I cannot help with that.",
    calls: 1,
  },
];

/** Answers without text. */
export const silentEnds: readonly Scenario[] = [
  {
    server: "any server",
    name: "stop without text",
    replies: [events(finish())],
    outcome: "failed",
    sentence: "The model returned an empty answer. Try again, or choose another model. Tried 3 times ({model}).",
    answer: "",
    calls: 3,
  },
  {
    server: "any server",
    name: "length without text",
    replies: [events(finish("length"))],
    outcome: "failed",
    sentence:
      "The model reached its output limit before it wrote any text. Choose a model with a larger limit. Tried 3 times ({model}).",
    answer: "",
    calls: 3,
  },
  {
    server: "vLLM and SGLang",
    name: "abort without text, then an answer",
    replies: [events(finish("abort")), healthy],
    outcome: "done",
    sentence:
      "The model server ended the answer before it began (“abort”). Try again, or choose another model. Trying again.",
    answer: HEALTHY,
    calls: 2,
  },
  {
    server: "OpenAI chat",
    name: "content_filter without text",
    replies: [events(finish("content_filter"))],
    outcome: "failed",
    sentence: "The provider's content filter withheld the answer.",
    answer: "",
    calls: 1,
  },
];

const LONG_WORDS = "This model's maximum context length is 4096 tokens. However, your prompt has 9210 tokens.";
const sse = (...list: readonly object[]) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

/** How streams begin and end on the wire. */
export const wires: readonly Scenario[] = [
  {
    server: "llama.cpp (older)",
    name: "[DONE] without a finish reason",
    replies: [raw(`${sse(text(half))}data: [DONE]\n\n`)],
    outcome: "done",
    sentence: UNSTATED,
    answer: half,
    calls: 1,
  },
  {
    server: "proxies",
    name: "[DONE], and the connection is kept open",
    replies: [write((res) => void res.write(toSse([text(half), finish()])))],
    outcome: "done",
    sentence: null,
    answer: half,
    calls: 1,
  },
  {
    server: "proxies",
    name: "[DONE] without a finish reason, and the connection is kept open",
    replies: [write((res) => void res.write(`${sse(text(half))}data: [DONE]\n\n`))],
    outcome: "done",
    sentence: UNSTATED,
    answer: half,
    calls: 1,
  },
  {
    server: "proxies",
    name: "a finish reason without [DONE], and the connection is kept open",
    replies: [write((res) => void res.write(sse(text(half), finish())))],
    outcome: "done",
    sentence: null,
    answer: half,
    calls: 1,
  },
  {
    server: "any server",
    name: "the stream breaks off",
    replies: [raw(sse(text(half)))],
    outcome: "failed",
    sentence: "The connection to {server} broke before the answer was complete. Try again. Tried 2 times ({model}).",
    answer: half,
    calls: 2,
    isEstimated: true,
  },
  {
    server: "any server",
    name: "the stream breaks off once",
    replies: [raw(sse(text(half))), healthy],
    outcome: "done",
    sentence: "The connection to {server} broke before the answer was complete. Try again. Trying again.",
    answer: HEALTHY,
    calls: 2,
  },
  ...(
    [
      ["proxies", "an empty data line", `data:\n\n${sse(text(half))}data: \n\n${toSse([finish()])}`],
      [
        "Azure OpenAI",
        "choices: [] in the first event",
        sse({ ...chunk({}), choices: [] }) + toSse([text(half), finish()]),
      ],
      [
        "any server",
        "two choices, the first one last",
        toSse([
          {
            ...chunk({}),
            choices: [
              { index: 1, delta: { content: "Other " }, finish_reason: null },
              { index: 0, delta: { role: "assistant", content: half.slice(0, 6) }, finish_reason: null },
            ],
          },
          { ...chunk({}), choices: [{ index: 1, delta: { content: "words." }, finish_reason: "stop" }] },
          { ...chunk({}), choices: [{ index: 0, delta: { content: half.slice(6) }, finish_reason: null }] },
          finish(),
        ]),
      ],
      ["any server", "choices: null", sse({ ...chunk({}), choices: null }) + toSse([text(half), finish()])],
      ["LiteLLM", "an event with usage and nothing else", toSse([text(half), finish("stop", null), { usage }])],
      ["any server", "events of another type between", sse({ type: "ping" }) + toSse([text(half), finish()])],
      [
        "any server",
        "a finish reason in every event",
        toSse([chunk({ content: "Stones " }, "stop"), chunk({ content: "keep words" }, "stop"), finish()]),
      ],
      ["any server", "an empty role", toSse([chunk({ role: "", content: half }), finish()])],
      ["any server", "an unknown role", toSse([chunk({ role: "model", content: half }), finish()])],
      ["any server", "CRLF line ends", toSse([text(half), finish()], "\r\n")],
      ["any server", "no blank line at the end", toSse([text(half), finish()]).trimEnd()],
      [
        "OpenRouter",
        "comments before the answer",
        `: OPENROUTER PROCESSING\n\n: ping\n\n${toSse([text(half), finish()])}`,
      ],
      [
        "Mistral",
        "content as a list of parts",
        toSse([chunk({ role: "assistant", content: [{ type: "text", text: half }] }), finish()]),
      ],
    ] as const
  ).map(([server, name, body]): Scenario => ({
    server,
    name,
    replies: [raw(body)],
    outcome: "done",
    sentence: null,
    answer: half,
    calls: 1,
    isEstimated: false,
  })),
  {
    server: "LM Studio",
    name: "usage of 0 and 0 counts as not reported",
    replies: [events(text(half), finish("stop", { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }))],
    outcome: "done",
    sentence: null,
    answer: half,
    calls: 1,
    isEstimated: true,
  },
  ...(
    [
      ["numbers in quotes", { prompt_tokens: "12", completion_tokens: "5", total_tokens: "17" }, false],
      ["text instead of numbers", { prompt_tokens: "n/a", completion_tokens: true }, true],
      ["one word", "unknown", true],
    ] as const
  ).map(([name, figures, isEstimated]): Scenario => ({
    server: "any server",
    name: `usage as ${name}`,
    replies: [events(text(half), chunk({}, "stop", { usage: figures }))],
    outcome: "done",
    sentence: null,
    answer: half,
    calls: 1,
    isEstimated,
  })),
  ...(
    [
      ["vLLM", "a too-long error as an event", { error: { message: LONG_WORDS, type: "BadRequestError", code: 400 } }],
      ["any server", "a too-long error as an event, as plain text", { error: LONG_WORDS }],
      [
        "vLLM (older)",
        "a too-long error as a flat event",
        { object: "error", message: LONG_WORDS, type: "x", code: 400 },
      ],
      [
        "llama.cpp",
        "a too-long error as an event with a separate size",
        { error: { code: 400, message: "the request exceeds the available context size", n_ctx: 4096 } },
      ],
    ] as const
  ).map(([server, name, event]): Scenario => ({
    server,
    name,
    replies: [(call) => (call.text.length > 18_000 ? raw(sse(event)) : healthyReply(HEALTHY))],
    isLong: true,
    outcome: "done",
    sentence: "The prompt is too long for this model. It is shortened and sent again.",
    answer: HEALTHY,
    calls: 2,
  })),
  {
    server: "Ollama",
    name: "an error event as plain text",
    replies: [raw(sse(text(half), { error: "llama runner process has terminated" }))],
    outcome: "failed",
    sentence:
      "Something broke at {server}. Try again, or choose another model. It said: “llama runner process has terminated” Tried 2 times ({model}).",
    answer: half,
    calls: 2,
  },
];
