import { APICallError } from "@ai-sdk/provider";
import type { ModelFailure } from "../../protocol/model.ts";
import { say, sentence, type Sentence } from "../../protocol/sentences.ts";
import { DAY_MS } from "../lib/clock.ts";
import { classifyDocument, classifyNetwork, findDocument } from "./network-failure.ts";
import { classifyStatus, type Verdict } from "./failure-status.ts";
import { cleanFailureText, readMessage } from "./provider-message.ts";
import { findWindow } from "./too-long.ts";

/**
 * Turns any error of a provider package, thrown or streamed, into a failure with a text for the user: what happened, whose
 * fault it is and what to do. Never throws; its text never contains a key.
 */
export const toFailure = (
  error: unknown,
  context: { readonly label: string; readonly secrets: readonly string[]; readonly now: number },
): ModelFailure => {
  const { label } = context;
  const api = APICallError.isInstance(error) ? error : undefined;
  const document = findDocument(error);
  const message = readMessage(document ?? api?.responseBody ?? api?.data ?? error);
  const verdict =
    document === undefined
      ? judge(error, api, message.words)
      : classifyDocument(document, findStatus(parse(document)), message.words);
  const retryAfterMs = findRetryAfter(api?.responseHeaders, message.retryDelay, context.now);
  const windowTokens = verdict.code === "too-long" ? findWindow(message.words) : undefined;
  const hasWait = verdict.code === "rate-limited" && retryAfterMs;
  const hasQuote = verdict.quotes && message.text !== "";
  return {
    code: verdict.code,
    fault: verdict.fault,
    ...say(
      verdict.explain(label),
      ...(hasWait ? [toWait(retryAfterMs)] : []),
      ...(hasQuote ? [sentence("quote", cleanFailureText(message.text, context.secrets))] : []),
    ),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(windowTokens === undefined ? {} : { windowTokens }),
  };
};

const toWait = (ms: number): Sentence => {
  const seconds = Math.max(1, Math.ceil(ms / 1000));
  if (seconds < 120) return sentence("wait-seconds", seconds);
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? sentence("wait-minutes", minutes) : sentence("wait-hours", Math.ceil(minutes / 60));
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const judge = (error: unknown, api: APICallError | undefined, words: string): Verdict => {
  if (api?.statusCode !== undefined && api.statusCode !== 200) return classifyStatus(api.statusCode, words);
  return classifyNetwork(error) ?? classifyStatus(findStatus(error), words);
};

/** An error event in a successful response often has an HTTP status, a few levels deep at most. */
const findStatus = (error: unknown, levels = 4): number => {
  if (typeof error !== "object" || error === null || levels === 0) return 0;
  for (const name of ["code", "status", "statusCode"]) {
    const value = (error as Record<string, unknown>)[name];
    const status = typeof value === "string" ? Number(value) : value;
    if (typeof status === "number" && status >= 400 && status < 600) return status;
  }
  const { error: inner, data } = error as { error?: unknown; data?: unknown };
  return findStatus(inner ?? data, levels - 1);
};

/** Reads seconds, an HTTP date or milliseconds. Invalid values are ignored; the maximum is a day. */
export const findRetryAfter = (
  headers: Record<string, string> | undefined,
  retryDelay: string | undefined,
  now: number,
): number | undefined => {
  const millis = Number(headers?.["retry-after-ms"] ?? Number.NaN);
  const header = headers?.["retry-after"]?.trim() ?? "";
  const seconds = header === "" ? Number(/^([\d.]+)s$/.exec(retryDelay ?? "")?.[1] ?? Number.NaN) : Number(header);
  const date = header === "" ? Number.NaN : Date.parse(header) - now;
  const wait = [millis, seconds * 1000, date].find((value) => Number.isFinite(value));
  return wait === undefined || wait < 0 ? undefined : Math.min(Math.round(wait), DAY_MS);
};
