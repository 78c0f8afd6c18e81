import { HEALTHY, status, write, type Scenario } from "../scenario.ts";
import { keepAlive } from "../waiting.ts";
import { CUT, DECLINED, LENGTH, longRefusal, of, SHORTENED, well } from "./replies.ts";
import { anthropic, anthropicCall, anthropicText, WORDS } from "./wires.ts";

const claude = of("Anthropic", "anthropic");
const anthropicError = (type: string, message: string) => ({ type: "error", error: { type, message } });

const answer = anthropic([anthropicText(WORDS)], "end_turn");

export const anthropicScenarios: readonly Scenario[] = [
  claude({ name: "an answer", replies: [answer] }),
  claude({
    name: "ping events before the answer",
    replies: [anthropic([anthropicText(WORDS)], "end_turn", [{ type: "ping" }])],
  }),
  claude({
    name: "ping events for longer than the silence allowed",
    replies: [write(keepAlive('event: ping\ndata: {"type":"ping"}\n\n', "", answer.body))],
    hasShortTimeouts: true,
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
    name: "refusal after some text",
    replies: [anthropic([anthropicText(WORDS)], "refusal")],
    sentence: DECLINED,
  }),
  claude({
    name: "refusal without text",
    replies: [anthropic([], "refusal")],
    outcome: "failed",
    sentence: "The model declined to answer this. Rephrase the message.",
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
      "The model server ended the answer with the unknown reason “daydream”. The answer may be incomplete. Choose Continue to get the rest.",
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
