import { error, HEALTHY, refuseLong, status, type Scenario } from "./scenario.ts";

/** Each server's error for a prompt that does not fit. The prompt is shortened and answered. */
const errors: readonly (readonly [server: string, name: string, code: number, body: object | string])[] = [
  [
    "llama.cpp",
    "exceed_context_size_error",
    400,
    {
      error: {
        code: 400,
        message: "request (9210 tokens) exceeds the available context size (4096 tokens), try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 9210,
        n_ctx: 4096,
      },
    },
  ],
  [
    "llama.cpp",
    "older build",
    400,
    error(
      "the request exceeds the available context size. try increasing the context size or enable context shift",
      "invalid_request_error",
      400,
    ),
  ],
  [
    "llama.cpp",
    "batch size, with status 500",
    500,
    error("input is too large to process. increase the physical batch size", "server_error", 500),
  ],
  [
    "vLLM",
    "before 0.8",
    400,
    {
      object: "error",
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 9500 tokens (9000 in the messages, 500 in the completion). Please reduce the length of the messages or completion.",
      type: "BadRequestError",
      param: null,
      code: 400,
    },
  ],
  [
    "vLLM",
    "decoder prompt",
    400,
    error(
      "The decoder prompt (length 9210) is longer than the maximum model length of 4096. Make sure that `max_model_len` is no smaller than the number of text tokens.",
      "BadRequestError",
      400,
    ),
  ],
  [
    "vLLM",
    "0.11 and later",
    400,
    error(
      "You passed 9210 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4096 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=9210)",
      "BadRequestError",
      400,
    ),
  ],
  [
    "SGLang",
    "chat template",
    400,
    {
      object: "error",
      message: "The input (9210 tokens) is longer than the model's context length (4096 tokens).",
      type: "BadRequest",
      code: 400,
    },
  ],
  [
    "SGLang",
    "allowed length",
    400,
    {
      object: "error",
      message:
        "Input length (9210 tokens) exceeds the maximum allowed length (4090 tokens). Use a shorter input or enable --allow-auto-truncate.",
      type: "BadRequest",
      code: 400,
    },
  ],
  [
    "TGI",
    "tokens and new tokens",
    422,
    {
      error:
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 9210 `inputs` tokens and 100 `max_new_tokens`",
      error_type: "validation",
    },
  ],
  [
    "TGI",
    "inputs",
    422,
    {
      error: "Input validation error: `inputs` must have less than 4095 tokens. Given: 9210",
      error_type: "validation",
    },
  ],
  [
    "xAI",
    "prompt length",
    400,
    {
      code: "Client specified an invalid argument",
      error: "This model's maximum prompt length is 4096 but the request contains 9210 tokens.",
    },
  ],
  ["TabbyAPI", "max_seq_len", 400, { detail: "Prompt length 9210 is greater than max_seq_len 4096" }],
  [
    "TabbyAPI",
    "newer build",
    400,
    { error: { message: "Prompt is too long: 9210 tokens, max_seq_len is 4096", trace: null } },
  ],
  ["Ollama", "truncation off", 400, { error: "prompt too long; exceeded max context length by 5114 tokens" }],
  ["Ollama", "OpenAI route", 400, error("the input length exceeds the context length", "invalid_request_error", null)],
  [
    "LM Studio",
    "context overflow",
    400,
    {
      error:
        "Trying to keep the first 9210 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input",
    },
  ],
  [
    "LM Studio",
    "tokens to keep",
    400,
    {
      error:
        "The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input",
    },
  ],
  [
    "OpenAI chat",
    "context_length_exceeded",
    400,
    error(
      "This model's maximum context length is 4096 tokens. However, your messages resulted in 9210 tokens. Please reduce the length of the messages.",
      "invalid_request_error",
      "context_length_exceeded",
    ),
  ],
  [
    "OpenAI chat",
    "tokens per minute",
    429,
    error(
      "Request too large for gpt-5 in organization org-x on tokens per min (TPM): Limit 4096, Requested 9210. The input or output tokens must be reduced in order to run successfully.",
      "tokens",
      "rate_limit_exceeded",
    ),
  ],
  [
    "Mistral",
    "too large for model",
    400,
    {
      object: "error",
      message: "Prompt contains 9210 tokens and 0 draft tokens, too large for model with 4096 maximum context length",
      type: "invalid_request_prompt_error",
      code: 3051,
    },
  ],
  [
    "Groq",
    "context_length_exceeded",
    400,
    error(
      "Please reduce the length of the messages or completion.",
      "invalid_request_error",
      "context_length_exceeded",
    ),
  ],
  [
    "Groq",
    "413",
    413,
    error(
      "Request too large for model `llama-3.3-70b` in organization `org` service tier `on_demand` on tokens per minute (TPM): Limit 4096, Requested 9210, please reduce your message size and try again.",
      "tokens",
      "rate_limit_exceeded",
    ),
  ],
  [
    "DeepSeek",
    "maximum context",
    400,
    error(
      "This model's maximum context length is 4096 tokens. However, you requested 9210 tokens (9210 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
      "invalid_request_error",
      "invalid_request_error",
    ),
  ],
  [
    "Fireworks",
    "prompt is too long",
    400,
    error("The prompt is too long: 9210, model maximum context length: 4095", "invalid_request_error"),
  ],
  [
    "Cerebras",
    "current length",
    400,
    {
      message: "Please reduce the length of the messages or completion. Current length is 9210 while limit is 4096",
      type: "invalid_request_error",
      param: "messages",
      code: "context_length_exceeded",
    },
  ],
  [
    "Cohere",
    "too many tokens",
    400,
    { message: "too many tokens: total number of tokens in the prompt cannot exceed 4096 - received 9210." },
  ],
  ["nginx", "413 as a web page", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>"],
];

const wordsOf = (body: object): string => {
  const { error: inner, message, detail } = body as { error?: unknown; message?: string; detail?: string };
  const nested = typeof inner === "object" && inner !== null ? (inner as { message?: string }).message : inner;
  return String(nested ?? message ?? detail ?? "");
};

const isShortened = (bodies: readonly string[]): boolean =>
  (bodies.at(-1)?.length ?? 0) < (bodies[0]?.length ?? 0) && bodies.every((body) => body.includes("Newest question"));

export const tooLong: readonly Scenario[] = errors.map(([server, name, code, body]) => ({
  server,
  name: `prompt too long: ${name}`,
  replies: [refuseLong(status(code, body, typeof body === "string" ? { "content-type": "text/html" } : {}))],
  says: { status: code, words: typeof body === "string" ? "413 Request Entity Too Large" : wordsOf(body) },
  isLong: true,
  outcome: "done",
  sentence: "The prompt is too long for this model. It is shortened and sent again.",
  answer: HEALTHY,
  calls: 2,
  requests: isShortened,
}));

const unknown = (code: number, message: string): Scenario => ({
  server: "any server",
  name: `unknown ${code} on a long prompt: ${message}`,
  replies: [refuseLong(status(code, error(message)))],
  isLong: true,
  outcome: "done",
  sentence: `{server} did not accept the request. Choose another model, or try again. It said: “${message}” The prompt is long: it is shortened and sent again.`,
  answer: HEALTHY,
  calls: 2,
  requests: isShortened,
});

/** An unknown error may mean a long prompt: it is shortened and sent again once. */
export const unknownErrors: readonly Scenario[] = [
  unknown(400, "Bad Request"),
  unknown(422, "Unprocessable Entity"),
  unknown(400, "slot unavailable"),
  {
    server: "any server",
    name: "unknown 400 on a long prompt of any length",
    replies: [status(400, error("No."))],
    isLong: true,
    outcome: "failed",
    sentence:
      "{server} did not accept the request. Choose another model, or try again. It said: “No.” Tried 2 times ({model}).",
    answer: "",
    calls: 2,
  },
  {
    server: "any server",
    name: "unknown 400 on a short prompt",
    replies: [status(400, error("No."))],
    outcome: "failed",
    sentence: "{server} did not accept the request. Choose another model, or try again. It said: “No.”",
    answer: "",
    calls: 1,
  },
  {
    server: "FastAPI servers",
    name: "422 with a list of details",
    replies: [status(422, { detail: [{ loc: ["body", "messages"], msg: "Input should be a valid list" }] })],
    outcome: "failed",
    sentence:
      "{server} did not accept the request. Choose another model, or try again. It said: “Input should be a valid list”",
    answer: "",
    calls: 1,
  },
  {
    server: "any server",
    name: "a short prompt that is always too long",
    replies: [status(400, error("This model's maximum context length is 300 tokens."))],
    outcome: "failed",
    sentence:
      "The conversation is too long for this model of {server}. Choose a model with a larger window, or start a new thread. It said: “This model's maximum context length is 300 tokens.”",
    answer: "",
    calls: 1,
  },
  {
    server: "any server",
    name: "a long prompt that is still too long after it was shortened",
    replies: [status(400, error("This model's maximum context length is 300 tokens."))],
    isLong: true,
    outcome: "failed",
    sentence:
      "The conversation is too long for this model of {server}. Choose a model with a larger window, or start a new thread. It said: “This model's maximum context length is 300 tokens.” Tried 2 times ({model}).",
    answer: "",
    calls: 2,
  },
];
