import { APICallError } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { findRetryAfter, toFailure } from "./failure.ts";

const key = "sk-or-v1-aaaabbbbccccdddd";
const context = { label: "OpenRouter", secrets: [key], now: Date.parse("2026-01-01T00:00:00Z") };

const api = (statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: "failed",
    url: "https://example.test/v1",
    requestBodyValues: {},
    statusCode,
    responseHeaders,
    responseBody: typeof body === "string" ? body : JSON.stringify(body),
  });
const said = (message: string, more: object = {}) => ({ error: { message, ...more } });
const judge = (error: unknown) => toFailure(error, context);

describe("fault", () => {
  test.each([
    [401, said("bad key"), "unauthorized", "settings"],
    [403, said("forbidden"), "unauthorized", "settings"],
    [403, said("flagged by moderation"), "refused", "request"],
    [402, said("pay"), "no-credit", "settings"],
    [404, said("what?"), "not-found", "settings"],
    [408, said("late"), "timed-out", "provider"],
    [413, said("big"), "too-long", "request"],
    [400, said("hm", { type: "invalid_request_error" }), "bad-request", "request"],
    [400, said("prompt is too long: 210000 tokens > 200000 maximum"), "too-long", "request"],
    [400, said("Your credit balance is too low to access the API"), "no-credit", "settings"],
    [
      400,
      said("API key not valid. Please pass a valid API key.", { status: "INVALID_ARGUMENT" }),
      "unauthorized",
      "settings",
    ],
    [400, said("The input token count (1200000) exceeds the maximum"), "too-long", "request"],
    [422, { detail: "unprocessable" }, "bad-request", "request"],
    [429, said("slow down"), "rate-limited", "provider"],
    [429, said("quota", { code: "insufficient_quota" }), "no-credit", "settings"],
    [500, said("oops"), "server-error", "provider"],
    [502, "<html><title>Bad gateway</title></html>", "server-error", "provider"],
    [503, said("busy"), "overloaded", "provider"],
    [529, said("Overloaded", { type: "overloaded_error" }), "overloaded", "provider"],
    [307, "", "not-found", "settings"],
  ] as const)("status %i with %j", (status, body, code, fault) => {
    expect(judge(api(status, body))).toMatchObject({ code, fault });
  });

  test.each([
    ["ECONNREFUSED", "unreachable", "provider"],
    ["ENOTFOUND", "unreachable", "provider"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "unreachable", "settings"],
    ["CERT_HAS_EXPIRED", "unreachable", "settings"],
    ["ECONNRESET", "cut", "provider"],
    ["UND_ERR_HEADERS_TIMEOUT", "timed-out", "provider"],
  ] as const)("%s, however deep it lies", (code, expected, fault) => {
    const cause = Object.assign(new Error("deep"), { code });
    const wrapped = new TypeError("fetch failed", { cause: new AggregateError([cause]) });
    expect(judge(wrapped)).toMatchObject({ code: expected, fault });
  });

  test.each([
    [{ message: "Overloaded", type: "overloaded_error" }, "overloaded"],
    [{ type: "error", error: { type: "rate_limit_error", message: "slow" } }, "rate-limited"],
    [{ code: 502, message: "Provider returned error" }, "server-error"],
    [{ code: "429", message: "x" }, "rate-limited"],
    ["the model crashed", "server-error"],
    [null, "server-error"],
  ])("classifies the error event %j", (error, code) => {
    expect(judge(error)).toMatchObject({ code, fault: "provider" });
  });

  test("handles an error that is its own cause", () => {
    const loop: Record<string, unknown> = { message: "round" };
    loop["error"] = { error: loop };
    loop["cause"] = loop;
    expect(judge(loop)).toMatchObject({ code: "server-error" });
  });
});

describe("text for the user", () => {
  test("says what happened, quotes the provider and says what to do", () => {
    expect(judge(api(429, said("Rate limit exceeded: free-models-per-day"))).text).toBe(
      "OpenRouter is limiting requests right now. Wait a little, or choose another model. It said: “Rate limit exceeded: free-models-per-day”",
    );
  });

  test("quotes the provider behind OpenRouter", () => {
    const body = said("Provider returned error", { metadata: { raw: JSON.stringify(said("GPU on fire")) } });
    expect(judge(api(502, body)).text).toContain("Provider returned error: GPU on fire");
  });

  test("quotes the title of a web page, not its source", () => {
    const { text } = judge(api(502, "<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head></html>"));
    expect(text).toContain("a web page: 502 Bad Gateway");
    expect(text).not.toContain("<");
  });

  test("never contains the key, whole or masked, nor control characters", () => {
    const echo = `bad\r\nkey ${key}, Bearer abcdefgh, sk-proj-****************wxyz and AIzaSyA-12345678901234567\u0007`;
    for (const error of [api(400, said(echo)), api(500, echo), { message: echo }, echo]) {
      const { text } = judge(error);
      expect(text).toContain("[key]");
      expect(text).not.toMatch(/aaaabbbb|abcdefgh|wxyz|AIzaSy|\p{Cc}/u);
    }
  });

  test("cuts a long message of the provider", () => {
    expect(judge(api(500, said("x ".repeat(1_000_000)))).text.length).toBeLessThan(500);
  });
});

describe("retry delay", () => {
  const after = (value: string) => findRetryAfter({ "retry-after": value }, undefined, context.now);

  test("reads seconds, dates and milliseconds", () => {
    expect(after("3")).toBe(3000);
    expect(after("0.5")).toBe(500);
    expect(after("Thu, 01 Jan 2026 00:00:05 GMT")).toBe(5000);
    expect(findRetryAfter({ "retry-after-ms": "1500", "retry-after": "9" }, undefined, context.now)).toBe(1500);
    expect(findRetryAfter({}, "12s", context.now)).toBe(12_000);
  });

  test("ignores invalid values and is at most a day", () => {
    for (const value of ["", "soon", "-3", "NaN", "Thu, 01 Jan 1970 00:00:00 GMT"])
      expect(after(value)).toBeUndefined();
    expect(after("99999999999")).toBe(86_400_000);
    expect(after("Wed, 21 Oct 2099 07:28:00 GMT")).toBe(86_400_000);
  });

  test("reads Google's delay from the error details", () => {
    const body = said("Quota", { status: "RESOURCE_EXHAUSTED", details: [{ "@type": "x" }, { retryDelay: "7s" }] });
    expect(judge(api(429, body))).toMatchObject({ code: "rate-limited", retryAfterMs: 7000 });
  });
});
