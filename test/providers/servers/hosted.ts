import { chunk, finish, text, toSse } from "../../support/chat-wire.ts";
import { anthropicScenarios } from "./hosted/anthropic.ts";
import { DECLINED, FILTERED, LENGTH, longRefusal, of, SHORTENED, well } from "./hosted/replies.ts";
import { completed, failed, google, incomplete, openai, WORDS } from "./hosted/wires.ts";
import { error, HEALTHY, raw, refuseLong, status, write, type Scenario } from "./scenario.ts";

const gemini = of("Google", "google");
const googleError = (code: number, message: string, state: string, details: readonly object[] = []) =>
  status(code, { error: { code, message, status: state, details } });

const googleScenarios: readonly Scenario[] = [
  gemini({ name: "an answer", replies: [google([{ text: WORDS }], "STOP")] }),
  gemini({
    name: "the connection is kept open after the answer",
    replies: [write((res) => void res.write(google([{ text: WORDS }], "STOP").body))],
  }),
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
      "The model server ended the answer with the unknown reason “OTHER”. The answer may be incomplete. Choose Continue to get the rest.",
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
    name: "finish reason error after some text",
    replies: [raw(toSse([text(WORDS), finish("error")]))],
    outcome: "limit",
    sentence: "The model server ended the answer early (“error”). Choose Continue to get the rest.",
  }),
  router({
    name: "a refusal in a separate field",
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
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 139210 tokens (139000 of text input, 210 of tool input). Please reduce the length of either one, or use the middle-out transform.",
            "error",
            400,
          ),
        ),
      ),
    ],
    says: {
      status: 400,
      words:
        "This endpoint's maximum context length is 131072 tokens. However, you requested about 139210 tokens (139000 of text input, 210 of tool input). Please reduce the length of either one, or use the middle-out transform.",
    },
    isLong: true,
    sentence: SHORTENED,
    answer: HEALTHY,
    calls: 2,
  }),
  router({
    name: "an upstream rate limit with a raw message",
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
    sentence: "This model of OpenRouter does not support tools. Trying again without tools.",
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
