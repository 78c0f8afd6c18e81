import { expect, test } from "vitest";
import { createStreamText, NotAStream } from "./repair-stream.ts";
import { watchCall, type WireFormat } from "./watch.ts";

const read = (pieces: readonly string[], format: WireFormat = "chat") => {
  const watch = watchCall(new AbortController().signal, () => {});
  const stream = createStreamText(format, watch);
  let text = "";
  for (const piece of pieces) {
    const step = stream.read(piece);
    text += step.text;
    if (step.isOver) return { text, watch };
  }
  return { text: text + stream.end(), watch };
};

/** The data of the events, as an event stream parser reads them. */
const dataOf = (text: string): readonly string[] =>
  text.split("\n").flatMap((line) => (line.startsWith("data:") ? [line.slice("data:".length).trim()] : []));

const event = (delta: object) => JSON.stringify({ choices: [{ index: 0, delta }] });
const body = [
  ": OPENROUTER PROCESSING",
  "",
  "data:",
  "",
  'data: {"id":"x","choices":null}',
  "",
  `data: ${event({ content: "Stones 🪨" })}`,
  "",
  `data: ${event({ tool_calls: [{ index: 0, function: { name: "now", arguments: { zone: "UTC" } } }] })}`,
  "",
  `data: ${event({ refusal: "No." })}`,
  "",
  "data: [DONE]",
  "",
  `data: ${event({ content: "after the end" })}`,
  "",
];
const expected = [
  '{"id":"x","choices":[]}',
  event({ content: "Stones 🪨" }),
  event({ tool_calls: [{ index: 0, function: { name: "now", arguments: '{"zone":"UTC"}' } }] }).replace(
    '"delta":{',
    '"delta":{"role":"assistant",',
  ),
  event({ role: "assistant", content: "No." }),
];

test.each(["\n", "\r\n", "\r"])(
  "a stream with line ends %j is repaired the same way, wherever it is cut",
  (newline) => {
    const text = body.join(newline);
    const check = (pieces: readonly string[]) => {
      const { text: repaired, watch } = read(pieces);
      expect(dataOf(repaired)).toEqual(expected);
      expect(watch).toMatchObject({ isDone: true, isRefusal: true });
    };
    check([text]);
    check([...text]);
    for (let at = 0; at < text.length; at += 1) check([text.slice(0, at), text.slice(at)]);
  },
);

test("drops the incomplete last line of a cut stream, which is not done", () => {
  const { text, watch } = read([`data: ${event({ content: "a" })}\n\ndata: {"choi`]);
  expect(dataOf(text)).toEqual([event({ content: "a" })]);
  expect(watch.isDone).toBe(false);
});

test.each(["<html><title>x</title></html>", '{"error":"no"}', "upstream connect error", "", "   "])(
  "%j is no stream, and its text is kept",
  (text) => {
    const error = (() => {
      try {
        return read([...text]);
      } catch (thrown) {
        return thrown;
      }
    })();
    expect(error).toBeInstanceOf(NotAStream);
    expect((error as NotAStream).body).toBe(text);
  },
);

test("turns a whole completion into events", () => {
  const whole = { model: "m", choices: [{ message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }] };
  const { text, watch } = read([JSON.stringify(whole, null, 2)]);
  expect(dataOf(text).map((data) => JSON.parse(data) as unknown)).toMatchObject([
    { model: "m", choices: [{ delta: { content: "Hello." }, finish_reason: "stop" }] },
  ]);
  expect(watch.isDone).toBe(true);
});

test("reads Google's modelVersion from the stream", () => {
  const { watch } = read(['data: {"candidates":[],"modelVersion": "gemini-x-001"}\r\n\r\n'], "google");
  expect(watch.answeredBy).toBe("gemini-x-001");
});

test("sees the end of a Google stream, and content after it", () => {
  const part = (parts: readonly object[], finishReason?: string) =>
    `data: ${JSON.stringify({ candidates: [{ content: { role: "model", parts }, finishReason }] })}\r\n\r\n`;
  const finishOf = (...events: readonly string[]) => read(events, "google").watch.finish;
  const finishInInput = { functionCall: { name: "save", args: { finishReason: "STOP" } } };
  expect({
    words: finishOf(part([{ text: '"finishReason":"STOP"' }])),
    input: finishOf(part([finishInInput])),
    last: finishOf(part([{ text: "Stones" }]), part([{ text: "." }], "STOP")),
    blocked: finishOf('data: {"promptFeedback":{"blockReason":"SAFETY"}}\r\n\r\n'),
    usage: finishOf(part([{ text: "" }], "STOP"), part([{ text: "" }]), 'data: {"usageMetadata":{}}\r\n\r\n'),
    every: finishOf(part([{ text: "Stones" }], "STOP"), part([{ text: " keep" }], "STOP")),
    call: finishOf(part([], "STOP"), part([finishInInput])),
  }).toEqual({
    words: "none",
    input: "none",
    last: "seen",
    blocked: "seen",
    usage: "seen",
    every: "unreliable",
    call: "unreliable",
  });
});

test("reads many small pieces in linear time", () => {
  const line = `data: ${event({ content: "x".repeat(200_000) })}\n\n`;
  const { text } = read([...line]);
  expect(text.length).toBeGreaterThan(200_000);
});
