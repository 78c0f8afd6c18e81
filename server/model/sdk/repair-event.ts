import { readMessage } from "../failure-text.ts";
import type { Watch, WireFormat } from "./watch.ts";

type Json = Record<string, unknown>;

/**
 * Repairs one line of an event stream for the provider package. undefined drops the line; null ends the stream. Only lines
 * that look unusual are parsed.
 */
export const repairLine = (line: string, format: WireFormat, watch: Watch): string | null | undefined => {
  if (!line.startsWith("data:")) return line;
  const data = line.slice("data:".length).trim();
  if (data === "") return undefined;
  if (format === "google") {
    watch.answeredBy ??= modelVersion.exec(data)?.[1];
    return line;
  }
  if (watch.finish === "none" && finished.test(data)) watch.finish = "seen";
  else if (watch.finish === "seen" && content.test(data)) watch.finish = "unreliable";
  if (format !== "chat") return line;
  if (data === "[DONE]") return null;
  if (data.includes('"choices"') && !unusual.test(data)) return line;
  const chunk = parseObject(data);
  return chunk === undefined ? line : `data: ${JSON.stringify(repairChunk(chunk, watch))}`;
};

const finished = /"finish_reason"\s*:\s*"\w|"type"\s*:\s*"response\.(?:completed|incomplete|failed)"/;
const content = /"(?:content|reasoning_content|reasoning|arguments)"\s*:\s*"[^"]/;
const modelVersion = /"modelVersion"\s*:\s*"([^"\\]{1,200})"/;
const unusual =
  /"choices"\s*:\s*null|"arguments"\s*:\s*\{|"refusal"\s*:\s*"|"role"\s*:\s*"(?!assistant")|"error"\s*:|_tokens"\s*:\s*[^\d\s{n]|"usage"\s*:\s*[^\s{n]/;

/** A chat-completions chunk with `choices` as a list, tool arguments as text, a refusal as content, and usage in numbers. */
const repairChunk = (given: Json, watch: Watch): Json => {
  if (isError(given)) return { error: repairError(given) };
  const chunk = given["usage"] === undefined ? given : { ...given, usage: repairUsage(given["usage"]) };
  const { choices } = chunk;
  if (choices === undefined || choices === null) return "type" in chunk ? chunk : { ...chunk, choices: [] };
  if (!Array.isArray(choices)) return chunk;
  return {
    ...chunk,
    choices: choices.map((choice: unknown) => {
      const delta = isObject(choice) ? choice["delta"] : undefined;
      return isObject(choice) && isObject(delta) ? { ...choice, delta: repairDelta(delta, watch) } : choice;
    }),
  };
};

/** Nested in `error` as OpenAI sends it, or flat as vLLM and FastAPI do. */
const isError = (chunk: Json): boolean =>
  (chunk["error"] !== undefined && chunk["error"] !== null) ||
  (chunk["choices"] === undefined && (chunk["object"] === "error" || chunk["detail"] !== undefined));

/** An object with `message` as text, and all text to classify it by in `type`. */
const repairError = (chunk: Json): Json => {
  const error = isObject(chunk["error"]) ? chunk["error"] : chunk;
  const { code } = error;
  const isUsual = isObject(chunk["error"]) && typeof error["message"] === "string" && error["n_ctx"] === undefined;
  if (isUsual) return error;
  const { text, words } = readMessage(chunk);
  return { message: text, type: words, ...(typeof code === "string" || typeof code === "number" ? { code } : {}) };
};

/** Reads numbers in quotes; drops values that are not numbers. */
const repairUsage = (usage: unknown): Json | null => {
  if (!isObject(usage)) return null;
  return Object.fromEntries(
    Object.entries(usage).flatMap(([name, value]): [string, unknown][] => {
      if (name.endsWith("_details")) return [[name, repairUsage(value)]];
      if (!name.endsWith("_tokens") || typeof value === "number") return [[name, value]];
      return typeof value === "string" && /^\d{1,12}$/.test(value) ? [[name, Number(value)]] : [];
    }),
  );
};

const repairDelta = (delta: Json, watch: Watch): Json => {
  const { refusal, role: _, tool_calls: calls, ...rest } = delta;
  const repaired: Json = { ...rest, role: "assistant" };
  if (Array.isArray(calls)) repaired["tool_calls"] = calls.map(repairCall);
  if (typeof refusal === "string" && refusal !== "") {
    watch.isRefusal = true;
    const { content } = rest;
    repaired["content"] = typeof content === "string" ? content + refusal : refusal;
  }
  return repaired;
};

const repairCall = (call: unknown): unknown => {
  if (!isObject(call) || !isObject(call["function"])) return call;
  const { arguments: given } = call["function"];
  if (typeof given !== "object" || given === null) return call;
  return { ...call, function: { ...call["function"], arguments: JSON.stringify(given) } };
};

/** Turns a whole chat completion, sent instead of a stream, into events; undefined for any other document. */
export const completionToEvents = (text: string, watch: Watch): string | undefined => {
  const body = parseObject(text);
  const choices = body?.["choices"];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (body === undefined || !isObject(choice)) return undefined;
  const message = isObject(choice["message"]) ? choice["message"] : { content: choice["text"] };
  const calls = message["tool_calls"];
  const delta = Array.isArray(calls)
    ? { ...message, tool_calls: calls.map((call, index) => (isObject(call) ? { index, ...call } : call)) }
    : message;
  const chunk = { ...body, choices: [{ index: 0, delta, finish_reason: choice["finish_reason"] ?? null }] };
  watch.isDone = true;
  return `data: ${JSON.stringify(repairChunk(chunk, watch))}\n\n`;
};

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const parseObject = (text: string): Json | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
