import type { ModelFailure, ModelRequest, PromptMessage } from "../../protocol/model.ts";
import type { Move } from "./play-events.ts";
import { type Directive, parseScript } from "./parse.ts";

/**
 * The script is the user's last message. Directives are on separate lines or joined by ` then `:
 *
 *     say 200 words every 5ms            200 deltas, a pause before each; without `every` no timer is used
 *     say 50 deltas of 20 characters     deltas of an exact size
 *     say any other words                these words, one delta each (may end with `every 5ms`)
 *     say results                        quotes the results of the tools just called
 *     think 10 words every 5ms           the same as reasoning
 *     call NAME {"key":"a"}              a tool call; later directives belong to the next step
 *     call A {} and call B {}            two calls in one step
 *     call NAME raw TEXT                 arguments that are not JSON, up to the end of the line
 *     fail 429 [2 times] [retry 3s] [after 4 words]    an HTTP status, or a code such as `cut`, `stalled`, `garbled`
 *     hang                               nothing more, until stopped
 *     wait 100ms                         time passes
 *     finish length                      a finish reason other than `stop`
 *
 * With `fail ... N times`, attempt N+1 at the same place succeeds (counted in this process). Lines that begin with
 * `backup:` are for the model `scripted/backup`, the others for `scripted/script`. A message without a directive is
 * answered with `You said: ...`. The step is derived from the request alone, so a script continues after a crash.
 */
export function* directedMoves(
  request: ModelRequest,
  role: "main" | "backup",
  failCounts: Map<string, number>,
): Generator<Move> {
  const turn = findTurn(request.messages);
  const step = parseScript(turn.text, role)[turn.step] ?? [{ do: "say", deltas: ["done"], everyMs: 0 }];
  let key = 0;
  let words = 0;
  let texts = 0;
  let calls = 0;
  for (const [index, directive] of step.entries()) {
    switch (directive.do) {
      case "say":
      case "think":
      case "results": {
        const name = `p${key++}`;
        const pauseMs = directive.do === "results" ? 0 : directive.everyMs;
        const whole = directive.do === "results" ? [turn.results.map((one) => one.text).join("\n")] : directive.deltas;
        const started = directive.do === "think" ? undefined : turn.started[texts++];
        if (started !== undefined && texts < turn.started.length) break;
        const deltas = started === undefined ? whole : [...continueFrom(started, whole.join(""))];
        yield { type: "start", key: name, kind: directive.do === "think" ? "reasoning" : "text" };
        for (const text of deltas) {
          if (pauseMs > 0) yield { type: "pause", ms: pauseMs };
          yield { type: "delta", key: name, text };
        }
        words += deltas.length;
        yield { type: "end", key: name };
        break;
      }
      case "call": {
        const callId = `call-${turn.at}-${turn.step}-${calls++}`;
        yield { type: "tool-start", key: callId, callId, name: directive.name };
        yield { type: "tool-call", key: callId, callId, name: directive.name, inputText: directive.inputText };
        break;
      }
      case "fail": {
        const place = JSON.stringify([turn.text, turn.at, turn.step, index]);
        const attempts = (failCounts.get(place) ?? 0) + 1;
        failCounts.set(place, attempts);
        if (attempts <= directive.times) {
          yield { type: "failed", failure: toFailure(directive) };
          return;
        }
        break;
      }
      case "hang":
        yield { type: "hang" };
        return;
      case "wait":
        yield { type: "pause", ms: directive.ms };
        break;
      case "finish":
        yield { type: "finish", reason: directive.reason, usage: usageOf(request, words) };
        return;
    }
  }
  yield { type: "finish", reason: calls > 0 ? "tool-calls" : "stop", usage: usageOf(request, words), costUsd: 0 };
}

/** Continues an interrupted text as requested: its last words again, then the rest. */
function continueFrom({ text, lastWords }: StartedText, whole: string): readonly string[] {
  if (!whole.startsWith(text.trimEnd())) return [whole];
  return `${lastWords}${whole.slice(text.trimEnd().length)}`.split(/(?=\s)/);
}

type StartedText = { readonly text: string; readonly lastWords: string };

/** A note that the server appended to the request. */
const isNote = (message: PromptMessage, before: PromptMessage | undefined): boolean =>
  message.role === "user" &&
  before !== undefined &&
  before.role !== "user" &&
  message.text.startsWith("[") &&
  message.text.endsWith("]");

const findTurn = (all: readonly PromptMessage[]) => {
  const end = all.at(-1);
  const note = end && isNote(end, all.at(-2)) && end.role === "user" ? end.text : "";
  const messages = note === "" ? all : all.slice(0, -1);
  const [, quoted = ""] = note.split("its last words, “");
  const lastWords = quoted === "" ? undefined : quoted.slice(0, quoted.lastIndexOf("”, then continue"));
  const interrupted = messages.at(-1);
  const started: readonly StartedText[] =
    lastWords === undefined || interrupted?.role !== "assistant"
      ? []
      : interrupted.parts.flatMap((part) => (part.kind === "text" ? [{ text: part.text, lastWords }] : []));
  const at = messages.findLastIndex((message) => message.role === "user");
  const last = messages[at];
  const after = messages.slice(at + 1);
  const tools = after.filter((message) => message.role === "tool");
  return {
    at,
    started,
    text: last?.role === "user" ? last.text : "",
    step: after.filter((m) => m.role === "assistant" && m.parts.some((part) => part.kind === "tool-call")).length,
    results: tools.at(-1)?.results ?? [],
  };
};

/** Long requests report a realistic count: one far too low would look like a truncated prompt. */
const LONG_REQUEST = 100;

const countInput = ({ messages, tools, system }: ModelRequest): number =>
  messages.length < LONG_REQUEST ? messages.length * 10 : JSON.stringify([messages, tools, system]).length / 4;

const usageOf = (request: ModelRequest, words: number) => ({
  inputTokens: Math.ceil(countInput(request)),
  outputTokens: words,
  reasoningTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  estimated: false,
});

const toFailure = (directive: Directive & { do: "fail" }): ModelFailure => ({
  code: directive.code,
  fault: directive.fault,
  text: `The script says: fail ${directive.code}.`,
  ...(directive.retryAfterMs === undefined ? {} : { retryAfterMs: directive.retryAfterMs }),
});
