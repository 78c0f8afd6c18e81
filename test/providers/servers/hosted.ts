import { chunk, finish, text, toSse } from "../../support/chat-wire.ts";
import {
  anthropic,
  anthropicCall,
  anthropicText,
  completed,
  failed,
  google,
  incomplete,
  openai,
  WORDS,
} from "./hosted-wires.ts";
import {
  error,
  HEALTHY,
  raw,
  refuseLong,
  status,
  write,
  type Provider,
  type Reply,
  type Scenario,
} from "./scenario.ts";

type More = Partial<Scenario> & Pick<Scenario, "name" | "replies">;

const of =
  (server: string, provider: Provider) =>
  (more: More): Scenario => ({ server, provider, outcome: "done", sentence: null, answer: WORDS, calls: 1, ...more });

const LENGTH = "The answer was cut off at the model's output limit. Choose Continue to let the model go on.";
const FILTERED = "The provider's content filter cut this answer short.";
const DECLINED = "The model declined to answer this.";
const SHORTENED = "The prompt is too long for this model. It is shortened and sent again.";
const CUT = "The arguments were cut off by the output limit. Call the tool again with shorter arguments.";

const well = (provider: Provider): Reply => healthyOf[provider];
const healthyOf: Record<Provider, Reply> = {
  compatible: raw(toSse([text(HEALTHY), finish()])),
  openrouter: raw(toSse([text(HEALTHY), finish()])),
  openai: openai(HEALTHY, completed),
  anthropic: anthropic([anthropicText(HEALTHY)], "end_turn"),
  google: google([{ text: HEALTHY }], "STOP"),
};
export { healthyOf };

const longRefusal = (provider: Provider, reply: Exclude<Reply, (...args: never) => unknown>): readonly Reply[] => [
  (call, scene) => {
    if (call.text.length > 18_000) return reply;
    const answer = well(provider);
    return typeof answer === "function" ? answer(call, scene) : answer;
  },
];

const claude = of("Anthropic", "anthropic");
const anthropicError = (type: string, message: string) => ({ type: "error", error: { type, message } });

const anthropicScenarios: readonly Scenario[] = [
  claude({ name: "an answer", replies: [anthropic([anthropicText(WORDS)], "end_turn")] }),
  claude({
    name: "ping events before the answer",
    replies: [anthropic([anthropicText(WORDS)], "end_turn", [{ type: "ping" }])],
  }),
  claude({ name: "stop_sequence", replies: [anthropic([anthropicText(WORDS)], "stop_sequence")] }),
  claude({
    name: "max_tokens",
    replies: [anthropic([anthropicText(WORDS)], "max_tokens")],
    outcome: "limit",
    sentence: LENGTH,
  }),
  claude({
    name: "model_context_window_exceeded",
    replies: [anthropic([anthropicText(WORDS)], "model_context_window_exceeded")],
    outcome: "limit",
    sentence: LENGTH,
  }),
  claude({
    name: "pause_turn is followed by another call",
    replies: [anthropic([anthropicText(WORDS)], "pause_turn"), well("anthropic")],
    answer: `${WORDS}\n\n${HEALTHY}`,
    calls: 2,
  }),
  claude({
    name: "refusal after some words",
    replies: [anthropic([anthropicText(WORDS)], "refusal")],
    sentence: DECLINED,
  }),
  claude({
    name: "refusal without a word",
    replies: [anthropic([], "refusal")],
    outcome: "failed",
    sentence: "The model declined to answer this. Say it differently.",
    answer: "",
  }),
  claude({
    name: "a tool call cut off by max_tokens is not run",
    replies: [anthropic([anthropicCall('{"zone": "Europe/Zu')], "max_tokens"), well("anthropic")],
    answer: HEALTHY,
    calls: 2,
    tools: ["now error"],
    requests: (bodies) => bodies.at(-1)?.includes(CUT) === true,
  }),
  claude({
    name: "a tool call",
    replies: [anthropic([anthropicCall("{}")], "tool_use"), well("anthropic")],
    answer: HEALTHY,
    calls: 2,
    tools: ["now ok"],
  }),
  claude({
    name: "an unknown stop reason",
    replies: [anthropic([anthropicText(WORDS)], "daydream")],
    outcome: "limit",
    sentence:
      "The model server ended the answer with the reason “daydream”, which is not known here. The answer may be incomplete. Choose Continue to let the model go on.",
  }),
  claude({
    name: "prompt too long",
    replies: longRefusal(
      "anthropic",
      status(400, anthropicError("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
    ),
    says: { status: 400, words: "prompt is too long: 210000 tokens > 200000 maximum" },
    isLong: true,
    sentence: SHORTENED,
    answer: HEALTHY,
    calls: 2,
  }),
  claude({
    name: "prompt and max_tokens too long",
    replies: longRefusal(
      "anthropic",
      status(
        400,
        anthropicError(
          "invalid_request_error",
          "input length and `max_tokens` exceed context limit: 190000 + 21333 > 204798",
        ),
      ),
    ),
    says: { status: 400, words: "input length and `max_tokens` exceed context limit: 190000 + 21333 > 204798" },
    isLong: true,
    sentence: SHORTENED,
    answer: HEALTHY,
    calls: 2,
  }),
  claude({
    name: "request_too_large",
    replies: longRefusal(
      "anthropic",
      status(413, anthropicError("request_too_large", "Request exceeds the maximum size")),
    ),
    says: { status: 413, words: "Request exceeds the maximum size" },
    isLong: true,
    sentence: SHORTENED,
    answer: HEALTHY,
    calls: 2,
  }),
  claude({
    name: "529 overloaded once",
    replies: [status(529, anthropicError("overloaded_error", "Overloaded")), well("anthropic")],
    sentence:
      "Anthropic is overloaded right now. Try again in a moment, or choose another model. It said: “Overloaded” Trying again.",
    answer: HEALTHY,
    calls: 2,
  }),
  claude({
    name: "200 with a web page",
    replies: [{ status: 200, headers: { "content-type": "text/html" }, body: "<html><title>Proxy</title></html>" }],
    outcome: "failed",
    sentence:
      "Anthropic sent something that is not an answer. Try again, or choose another model. It said: “a web page: Proxy” Tried 3 times ({model}).",
    answer: "",
    calls: 3,
  }),
];

const gemini = of("Google", "google");
const googleError = (code: number, message: string, state: string, details: readonly object[] = []) =>
  status(code, { error: { code, message, status: state, details } });

const googleScenarios: readonly Scenario[] = [
  gemini({ name: "an answer", replies: [google([{ text: WORDS }], "STOP")] }),
  gemini({
    name: "modelVersion is recorded as the answering model",
    replies: [google([{ text: WORDS }], "STOP", { modelVersion: "gemini-2.5-flash-preview-09-2025" })],
    answeredBy: "gemini-2.5-flash-preview-09-2025",
  }),
  gemini({
    name: "MAX_TOKENS",
    replies: [google([{ text: WORDS }], "MAX_TOKENS")],
    outcome: "limit",
    sentence: LENGTH,
  }),
  gemini({ name: "SAFETY", replies: [google([{ text: WORDS }], "SAFETY")], sentence: FILTERED }),
  gemini({ name: "RECITATION", replies: [google([{ text: WORDS }], "RECITATION")], sentence: FILTERED }),
  gemini({
    name: "OTHER",
    replies: [google([{ text: WORDS }], "OTHER")],
    outcome: "limit",
    sentence:
      "The model server ended the answer with the reason “OTHER”, which is not known here. The answer may be incomplete. Choose Continue to let the model go on.",
  }),
  gemini({
    name: "MALFORMED_FUNCTION_CALL once",
    replies: [google([], "MALFORMED_FUNCTION_CALL"), well("google")],
    sentence:
      "The model server ended the answer before it began (“MALFORMED_FUNCTION_CALL”). Try again, or choose another model. Trying again.",
    answer: HEALTHY,
    calls: 2,
  }),
  gemini({
    name: "prompt too long",
    replies: longRefusal(
      "google",
      googleError(
        400,
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "INVALID_ARGUMENT",
      ),
    ),
    says: {
      status: 400,
      words: "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    },
    isLong: true,
    sentence: SHORTENED,
    answer: HEALTHY,
    calls: 2,
  }),
  gemini({
    name: "429 with a retryDelay",
    replies: [
      googleError(429, "Quota exceeded.", "RESOURCE_EXHAUSTED", [
        { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "180s" },
      ]),
    ],
    outcome: "failed",
    sentence:
      "Google is limiting requests right now. Wait a little, or choose another model. It asks to wait 3 minutes. It said: “Quota exceeded.”",
    answer: "",
  }),
  gemini({
    name: "503 overloaded once",
    replies: [googleError(503, "The model is overloaded. Please try again later.", "UNAVAILABLE"), well("google")],
    sentence:
      "Google is overloaded right now. Try again in a moment, or choose another model. It said: “The model is overloaded. Please try again later.” Trying again.",
    answer: HEALTHY,
    calls: 2,
  }),
];

const gpt = of("OpenAI responses", "openai");

const openaiScenarios: readonly Scenario[] = [
  gpt({ name: "an answer", replies: [openai(WORDS, completed)] }),
  gpt({
    name: "the connection is kept open after the answer",
    replies: [write((res) => void res.write(openai(WORDS, completed).body))],
  }),
  gpt({
    name: "max_output_tokens",
    replies: [openai(WORDS, incomplete("max_output_tokens"))],
    outcome: "limit",
    sentence: LENGTH,
  }),
  gpt({ name: "content_filter", replies: [openai(WORDS, incomplete("content_filter"))], sentence: FILTERED }),
  gpt({ name: "a refusal", replies: [openai(WORDS, completed, "refusal")], sentence: DECLINED }),
  gpt({
    name: "response.failed once",
    replies: [openai("", failed("server_error", "The model had an error.")), well("openai")],
    sentence:
      "Something broke at OpenAI. Try again, or choose another model. It said: “The model had an error.” Trying again.",
    answer: HEALTHY,
    calls: 2,
  }),
  gpt({
    name: "prompt too long",
    replies: longRefusal(
      "openai",
      status(
        400,
        error(
          "Your input exceeds the context window of this model. Please adjust your input and try again.",
          "invalid_request_error",
          "context_length_exceeded",
        ),
      ),
    ),
    says: {
      status: 400,
      words: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    },
    isLong: true,
    sentence: SHORTENED,
    answer: HEALTHY,
    calls: 2,
  }),
  gpt({
    name: "429 with retry-after-ms",
    replies: [status(429, error("Slow down."), { "retry-after-ms": "90000" })],
    outcome: "failed",
    sentence:
      "OpenAI is limiting requests right now. Wait a little, or choose another model. It asks to wait 90 s. It said: “Slow down.”",
    answer: "",
  }),
];

const router = of("OpenRouter", "openrouter");

const openrouterScenarios: readonly Scenario[] = [
  router({
    name: "processing comments before the answer",
    replies: [raw(`: OPENROUTER PROCESSING\n\n${toSse([text(WORDS), finish()])}`)],
  }),
  router({
    name: "[DONE] without a finish reason",
    replies: [raw(toSse([text(WORDS)]))],
    sentence: "The model server did not say why the answer ended. It may be incomplete.",
  }),
  router({
    name: "length",
    replies: [raw(toSse([text(WORDS), finish("length")]))],
    outcome: "limit",
    sentence: LENGTH,
  }),
  router({
    name: "finish reason error after some words",
    replies: [raw(toSse([text(WORDS), finish("error")]))],
    outcome: "limit",
    sentence: "The model server ended the answer early (“error”). Choose Continue to let the model go on.",
  }),
  router({
    name: "a refusal in its own field",
    replies: [raw(toSse([chunk({ role: "assistant", refusal: WORDS }), finish()]))],
    sentence: DECLINED,
  }),
  router({
    name: "reasoning in <think> tags",
    replies: [raw(toSse([text("<think>Hm.</think>"), text(WORDS), finish()]))],
    reasoning: "Hm.",
  }),
  router({
    name: "prompt too long",
    replies: [
      refuseLong(
        status(
          400,
          error(
            "This endpoint's maximum context length is 4096 tokens. However, you requested about 9210 tokens (9000 of text input, 210 of tool input). Please reduce the length of either one, or use the middle-out transform.",
            "error",
            400,
          ),
        ),
      ),
    ],
    says: {
      status: 400,
      words:
        "This endpoint's maximum context length is 4096 tokens. However, you requested about 9210 tokens (9000 of text input, 210 of tool input). Please reduce the length of either one, or use the middle-out transform.",
    },
    isLong: true,
    sentence: SHORTENED,
    answer: HEALTHY,
    calls: 2,
  }),
  router({
    name: "an upstream rate limit with its own words",
    replies: [
      status(429, {
        error: {
          message: "Provider returned error",
          code: 429,
          metadata: { raw: "model is temporarily rate-limited upstream" },
        },
      }),
      well("openrouter"),
    ],
    sentence:
      "OpenRouter is limiting requests right now. Wait a little, or choose another model. It said: “Provider returned error: model is temporarily rate-limited upstream” Trying again.",
    answer: HEALTHY,
    calls: 2,
  }),
  router({
    name: "200 with a whole answer",
    replies: [
      status(200, {
        id: "x",
        model: "openai/gpt-5-mini",
        choices: [{ message: { role: "assistant", content: WORDS }, finish_reason: "stop" }],
      }),
    ],
  }),
  router({
    name: "200 with an error that echoes the key",
    replies: [status(200, error("upstream refused key-of-openrouter", "error", 400))],
    outcome: "failed",
    sentence:
      "OpenRouter did not accept the request. Choose another model, or try again. It said: “upstream refused [key]”",
    answer: "",
  }),
  router({
    name: "no endpoints with tools",
    replies: [
      (call) =>
        call.text.includes('"tools":[')
          ? status(404, error("No endpoints found that support tool use.", "error", 404))
          : raw(toSse([text(HEALTHY), finish()])),
    ],
    sentence: "This model of OpenRouter does not take tools. It is asked again without them.",
    answer: HEALTHY,
    calls: 2,
  }),
];

export const hosted: readonly Scenario[] = [
  ...anthropicScenarios,
  ...googleScenarios,
  ...openaiScenarios,
  ...openrouterScenarios,
];
