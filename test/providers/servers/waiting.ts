import type { ServerResponse } from "node:http";
import { chunk, finish, text, toSse } from "../../support/chat-wire.ts";
import { HEALTHY, healthy, write, type Scenario, type ReplyContext } from "./scenario.ts";

const half = "Stones keep words";
const shortTimeouts = { hasShortTimeouts: true } as const;
const sse = (...list: readonly object[]) => list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

/** Writes a piece repeatedly for longer than the silence timeout, then the rest. */
export const keepAlive =
  (piece: string, before = "", rest: string | null = toSse([text(half), finish()])) =>
  (res: ServerResponse): void => {
    res.write(before);
    let left = 50;
    const timer = setInterval(() => {
      left -= 1;
      if (res.destroyed || (left === 0 && rest !== null)) {
        clearInterval(timer);
        if (!res.destroyed) res.end(rest);
      } else res.write(piece);
    }, 50);
  };

const alive = (server: string, name: string, send: (res: ServerResponse) => void): Scenario => ({
  server,
  name,
  replies: [write(send)],
  ...shortTimeouts,
  outcome: "done",
  sentence: null,
  answer: half,
  calls: 1,
});

/** Any byte resets the silence timeout. Silence and long answers end at their limits. */
export const silences: readonly Scenario[] = [
  alive("OpenRouter", "comments for longer than the silence allowed", keepAlive(": OPENROUTER PROCESSING\n\n")),
  alive("LiteLLM", ": ping for longer than the silence allowed", keepAlive(": ping\n\n")),
  alive("any server", "blank lines for longer than the silence allowed", keepAlive("\n")),
  alive("any server", "empty deltas for longer than the silence allowed", keepAlive(sse(chunk({ role: "assistant" })))),
  alive(
    "any server",
    "comments in the middle of an answer",
    keepAlive(": ping\n\n", sse(text("Stones ")), toSse([text("keep words"), finish()])),
  ),
  {
    server: "any server",
    name: "headers never come",
    replies: [{ name: "", respond: () => {} }],
    ...shortTimeouts,
    outcome: "failed",
    sentence:
      "{server} sent nothing for 1 s. It may be overloaded: try again, or choose another model. Tried 3 times ({model}).",
    answer: "",
    calls: 3,
    isEstimated: true,
  },
  {
    server: "any server",
    name: "silence in the middle, once",
    replies: [write((res) => void res.write(sse(text(half)))), healthy],
    ...shortTimeouts,
    outcome: "done",
    sentence: "{server} sent nothing for 1 s. It may be overloaded: try again, or choose another model. Trying again.",
    answer: HEALTHY,
    calls: 2,
    isEstimated: true,
  },
  {
    server: "slow hardware",
    name: "an answer that takes longer than the time limit",
    replies: [write(keepAlive(": ping\n\n", sse(text(half)), null))],
    ...shortTimeouts,
    outcome: "limit",
    sentence: "The answer took longer than the time limit of 10 s and was cut off. Choose Continue to get the rest.",
    answer: half,
    calls: 1,
    isEstimated: true,
  },
  {
    server: "slow hardware",
    name: "reasoning that takes longer than the time limit",
    replies: [write(keepAlive(": ping\n\n", sse(chunk({ role: "assistant", reasoning_content: "Hm." })), null))],
    ...shortTimeouts,
    outcome: "limit",
    sentence: "The answer took longer than the time limit of 10 s and was cut off. Choose Continue to get the rest.",
    answer: "",
    calls: 1,
    reasoning: "Hm.",
    isEstimated: true,
  },
  {
    server: "slow hardware",
    name: "no text within the time limit",
    replies: [write(keepAlive(": ping\n\n", "", null))],
    ...shortTimeouts,
    outcome: "failed",
    sentence: "{server} did not begin its answer within 10 s. Ask for less at once, or choose a faster model.",
    answer: "",
    calls: 1,
    isEstimated: true,
  },
  {
    server: "Ollama",
    name: "a model that loads without output is shown as loading and waited for",
    replies: [
      (_call, context: ReplyContext) => ({
        name: "",
        respond: async (_again, res) => {
          await context.isShown;
          res.writeHead(200, { "content-type": "text/event-stream" });
          res.end(toSse([text(half), finish()]));
        },
      }),
    ],
    outcome: "done",
    sentence: null,
    answer: half,
    calls: 1,
    waitingFor: "Waiting for the model server {server}. It may be loading the model or reading a long prompt…",
  },
];
