import { readMessage } from "../provider-message.ts";
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
    watchGoogleEnd(data, watch);
    return line;
  }
  if (format !== "chat") return watchEnd(line, data, watch);
  if (data === "[DONE]") return null;
  const isUsual = data.includes('"choices"') && !unusual.test(data) && !watch.choice;
  if (isUsual && hasChoice.test(data)) watch.choice = 0;
  const given = isUsual ? undefined : parseObject(data);
  if (given === undefined) return watchEnd(line, data, watch);
  const chunk = selectChoice(given, watch);
  const selected = chunk === given ? data : JSON.stringify(chunk);
  return watchEnd(`data: ${JSON.stringify(repairChunk(chunk, watch))}`, selected, watch);
};

const watchEnd = (line: string, data: string, watch: Watch): string => {
  if (watch.finish === "none" && finished.test(data)) watch.finish = "seen";
  else if (watch.finish === "seen" && content.test(data)) watch.finish = "unreliable";
  return line;
};

/**
 * An event can have both the last content and the finish reason. It is parsed to find them, because Google sends the input
 * of a function as JSON: its fields can have the same names.
 */
const watchGoogleEnd = (data: string, watch: Watch): void => {
  if (watch.finish === "unreliable" || !(watch.finish === "seen" || googleFinish.test(data))) return;
  const event = parseObject(data);
  const candidates = event?.["candidates"];
  const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  const content = isObject(candidate) && isObject(candidate["content"]) ? candidate["content"]["parts"] : undefined;
  if (watch.finish === "seen") {
    if (Array.isArray(content) && content.some(isGoogleContent)) watch.finish = "unreliable";
    return;
  }
  const feedback = event?.["promptFeedback"];
  const reason = isObject(candidate) ? candidate["finishReason"] : undefined;
  if (typeof reason === "string" || (isObject(feedback) && typeof feedback["blockReason"] === "string"))
    watch.finish = "seen";
};

/** A last part of empty text, which some models send after their finish reason, is no content. */
const isGoogleContent = (part: unknown): boolean => isObject(part) && part["text"] !== "";

/** The package reads the first choice of each chunk. All chunks must have the same one: the one with the lowest index in the first. */
const selectChoice = (chunk: Json, watch: Watch): Json => {
  const { choices } = chunk;
  if (!Array.isArray(choices) || choices.length === 0) return chunk;
  const indexOf = (choice: unknown): number =>
    isObject(choice) && typeof choice["index"] === "number" ? choice["index"] : 0;
  watch.choice ??= Math.min(...choices.map(indexOf));
  const own = choices.filter((choice) => indexOf(choice) === watch.choice);
  return own.length === choices.length ? chunk : { ...chunk, choices: own };
};

const finished = /"finish_reason"\s*:\s*"\w|"type"\s*:\s*"response\.(?:completed|incomplete|failed)"/;
const googleFinish = /"(?:finishReason|blockReason)"\s*:\s*"/;
const content = /"(?:content|reasoning_content|reasoning|arguments)"\s*:\s*"[^"]/;
const hasChoice = /"choices"\s*:\s*\[\s*\{/;
const modelVersion = /"modelVersion"\s*:\s*"([^"\\]{1,200})"/;
const unusual =
  /"choices"\s*:\s*null|"index"\s*:\s*[1-9]|"arguments"\s*:\s*\{|"refusal"\s*:\s*"|"role"\s*:\s*"(?!assistant")|"error"\s*:|_tokens"\s*:\s*[^\d\s{n]|"usage"\s*:\s*[^\s{n]/;

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
