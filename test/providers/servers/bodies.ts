import { error, HEALTHY, healthy, raw, status, type Scenario } from "./scenario.ts";

const half = "Stones keep words";
const completion = (message: object, more: object = {}, reason: string | null = "stop") => ({
  id: "x",
  object: "chat.completion",
  created: 1_780_000_000,
  model: "test/model",
  choices: [{ index: 0, message: { role: "assistant", ...message }, finish_reason: reason }],
  usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
  ...more,
});

const used = (server: string, name: string, body: object, more: Partial<Scenario> = {}): Scenario => ({
  server,
  name: `200 with JSON: ${name}`,
  replies: [status(200, body), healthy],
  outcome: "done",
  sentence: null,
  answer: half,
  calls: 1,
  ...more,
});

const page = "<!DOCTYPE html><html><head><title>Sign in to the wireless network</title></head><body></body></html>";

/** A success status without a stream. */
export const documents: readonly Scenario[] = [
  used("proxies without streaming", "a whole answer", completion({ content: half })),
  used(
    "proxies without streaming",
    "reasoning and an answer",
    completion({ content: half, reasoning_content: "Hm." }),
    {
      reasoning: "Hm.",
    },
  ),
  used("proxies without streaming", "cut at the output limit", completion({ content: half }, {}, "length"), {
    outcome: "limit",
    sentence: "The answer was cut off at the model's output limit. Choose Continue to get the rest.",
  }),
  used("proxies without streaming", "without a finish reason", completion({ content: half }, {}, null), {
    sentence: "The model server did not say why the answer ended. It may be incomplete.",
  }),
  used(
    "proxies without streaming",
    "a tool call",
    completion(
      { content: null, tool_calls: [{ id: "c1", type: "function", function: { name: "now", arguments: "{}" } }] },
      {},
      "tool_calls",
    ),
    { tools: ["now ok"], answer: HEALTHY, calls: 2 },
  ),
  {
    server: "LiteLLM",
    name: "200 with an error document",
    replies: [status(200, error("No connected db.", "no_db_connection", 400))],
    outcome: "failed",
    sentence: "{server} did not accept the request. Choose another model, or try again. It said: “No connected db.”",
    answer: "",
    calls: 1,
  },
  {
    server: "any server",
    name: "200 with an error as plain text",
    replies: [status(200, { error: "CUDA out of memory" })],
    outcome: "failed",
    sentence:
      "{server} sent something that is not an answer. Try again, or choose another model. It said: “CUDA out of memory” Tried 3 times ({model}).",
    answer: "",
    calls: 3,
  },
  {
    server: "any server",
    name: "200 with an error about a long prompt",
    replies: [status(200, error("This model's maximum context length is 4096 tokens.")), healthy],
    isLong: true,
    outcome: "done",
    sentence: "The prompt is too long for this model. It is shortened and sent again.",
    answer: HEALTHY,
    calls: 2,
  },
  {
    server: "captive portals",
    name: "200 with a web page",
    replies: [{ status: 200, headers: { "content-type": "text/html" }, body: page }],
    outcome: "failed",
    sentence:
      "{server} sent something that is not an answer. Try again, or choose another model. It said: “a web page: Sign in to the wireless network” Tried 3 times ({model}).",
    answer: "",
    calls: 3,
  },
  {
    server: "proxies",
    name: "200 with plain text",
    replies: [status(200, "upstream connect error or disconnect/reset before headers")],
    outcome: "failed",
    sentence:
      "{server} sent something that is not an answer. Try again, or choose another model. It said: “upstream connect error or disconnect/reset before headers” Tried 3 times ({model}).",
    answer: "",
    calls: 3,
  },
  {
    server: "proxies",
    name: "200 with an empty body",
    replies: [status(200, "")],
    outcome: "failed",
    sentence: "{server} sent an empty response. Try again, or choose another model. Tried 3 times ({model}).",
    answer: "",
    calls: 3,
  },
  {
    server: "vLLM",
    name: "an error event in the stream",
    replies: [raw(`data: ${JSON.stringify(error("EngineCore died", "InternalServerError", 500))}\n\ndata: [DONE]\n\n`)],
    outcome: "failed",
    sentence:
      "Something broke at {server}. Try again, or choose another model. It said: “EngineCore died” Tried 3 times ({model}).",
    answer: "",
    calls: 3,
  },
];

const fails = (
  server: string,
  name: string,
  reply: Scenario["replies"][number],
  sentence: string,
  calls = 1,
): Scenario => ({
  server,
  name,
  replies: [reply],
  outcome: "failed",
  sentence: calls === 1 ? sentence : `${sentence} Tried ${calls} times ({model}).`,
  answer: "",
  calls,
});

const LIMITED = "{server} is limiting requests right now. Wait a little, or choose another model.";

/** HTTP statuses. */
export const statuses: readonly Scenario[] = [
  fails(
    "Groq",
    "429 with Retry-After of an hour",
    status(429, error("Slow down."), { "retry-after": "3600" }),
    `${LIMITED} It asks to wait 60 minutes. It said: “Slow down.”`,
  ),
  fails(
    "any server",
    "429 with Retry-After of a day",
    status(429, error("Daily limit."), { "retry-after": "86400" }),
    `${LIMITED} It asks to wait 24 hours. It said: “Daily limit.”`,
  ),
  {
    server: "any server",
    name: "429 with Retry-After of a second, then an answer",
    replies: [status(429, error("Slow down."), { "retry-after": "1" }), healthy],
    outcome: "done",
    sentence: `${LIMITED} It asks to wait 1 s. It said: “Slow down.” Trying again in 1 s.`,
    answer: HEALTHY,
    calls: 2,
  },
  fails(
    "any server",
    "429 without Retry-After",
    status(429, error("Slow down.")),
    `${LIMITED} It said: “Slow down.”`,
    3,
  ),
  fails(
    "OpenAI chat",
    "429 out of quota",
    status(429, error("You exceeded your current quota", "insufficient_quota")),
    "The account at {server} has no credit left. Top it up there, or choose a free model. It said: “You exceeded your current quota”",
  ),
  fails(
    "any server",
    "401",
    status(401, error("Incorrect API key provided")),
    "{server} did not accept the key. Check the key in the settings of this instance.",
  ),
  fails(
    "any server",
    "402",
    status(402, error("Insufficient credits")),
    "The account at {server} has no credit left. Top it up there, or choose a free model. It said: “Insufficient credits”",
  ),
  fails(
    "any server",
    "403 moderation",
    status(403, error("Your input was flagged by moderation")),
    "{server} refused to answer this. Say it differently, or choose another model. It said: “Your input was flagged by moderation”",
  ),
  fails(
    "Ollama",
    "404 unknown model",
    status(404, error('model "nope" not found, try pulling it first')),
    '{server} does not know this model, or the address is wrong. Choose another model. It said: “model "nope" not found, try pulling it first”',
  ),
  fails(
    "any server",
    "500",
    status(500, error("kaboom")),
    "Something broke at {server}. Try again, or choose another model. It said: “kaboom”",
    3,
  ),
  fails(
    "Ollama",
    "500 in plain text",
    status(500, "llama runner process has terminated: exit status 2"),
    "Something broke at {server}. Try again, or choose another model. It said: “llama runner process has terminated: exit status 2”",
    3,
  ),
  fails(
    "nginx",
    "502 as a web page",
    {
      status: 502,
      headers: { "content-type": "text/html" },
      body: "<html><head><title>502 Bad Gateway</title></head></html>",
    },
    "Something broke at {server}. Try again, or choose another model. It said: “a web page: 502 Bad Gateway”",
    3,
  ),
  fails(
    "TGI",
    "503 overloaded",
    status(503, { error: "Model is overloaded", error_type: "overloaded" }),
    "{server} is overloaded right now. Try again in a moment, or choose another model. It said: “Model is overloaded”",
    3,
  ),
  fails(
    "nginx",
    "504",
    status(504, "gateway timeout"),
    "{server} took too long. Try again, or choose another model. It said: “gateway timeout”",
    3,
  ),
  fails(
    "any server",
    "a redirect",
    { status: 307, headers: { location: "http://127.0.0.1:9/" }, body: "" },
    "{server} does not know this model, or the address is wrong. Choose another model.",
  ),
];

const loads = (server: string, reply: Scenario["replies"][number]): Scenario => ({
  server,
  name: "the model is being loaded",
  replies: [reply, reply, healthy],
  outcome: "done",
  sentence: null,
  answer: HEALTHY,
  calls: 1,
  waitingFor: "The model server {server} is loading the model…",
  requests: (bodies) => bodies.length === 3,
});

/** The call waits for these models and shows it. */
export const loadingModels: readonly Scenario[] = [
  loads("llama.cpp", status(503, error("Loading model", "unavailable_error", 503))),
  loads(
    "TGI and Hugging Face",
    status(503, { error: "Model meta-llama/Llama is currently loading", estimated_time: 20 }),
  ),
  loads("vLLM behind a proxy", status(503, "The engine is warming up")),
  loads("llama-swap", status(500, error("model is still loading, try again", "server_error"))),
  {
    ...fails(
      "llama.cpp",
      "the model is never loaded",
      status(503, error("Loading model", "unavailable_error", 503)),
      "{server} is still loading the model after 1 s. Wait until it is ready and try again, or choose another model.",
    ),
    hasShortTimeouts: true,
    waitingFor: "The model server {server} is loading the model…",
    requests: (bodies) => bodies.length > 1,
  },
];

export const plain: readonly Scenario[] = [
  {
    server: "OpenAI chat",
    name: "an answer",
    replies: [healthy],
    outcome: "done",
    sentence: null,
    answer: HEALTHY,
    calls: 1,
    answeredBy: "test/model",
    requests: (bodies) => bodies.length === 1 && bodies[0]?.includes("Newest question") === true,
  },
];
