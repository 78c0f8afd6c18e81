import { expect, test } from "vitest";
import { advise } from "./end-actions.ts";

const failed = (code: string) => advise({ outcome: "failed", reason: { code, text: "no" } });

test("offers the model settings when a key or an account is the problem", () => {
  for (const code of ["unauthorized", "no-credit", "unavailable", "not-found"])
    expect(failed(code).offers, code).toContain("models-page");
});

test("offers actions for every failure, including unknown codes", () => {
  for (const code of ["overloaded", "rate-limited", "refused", "something-else"])
    expect(failed(code).offers, code).toEqual(expect.arrayContaining(["retry", "model"]));
  expect(advise({ outcome: "failed", reason: null }).offers).toContain("retry");
});

test("offers Continue after a limit and Retry after a stop", () => {
  expect(advise({ outcome: "limit", reason: null }).offers).toEqual(["continue"]);
  expect(advise({ outcome: "stopped", reason: null }).offers).toEqual(["retry"]);
  expect(advise({ outcome: "stopped", reason: null }, true).offers).toEqual(["continue", "retry"]);
  expect(advise({ outcome: "failed", reason: null }, true).offers[0]).toBe("continue");
});

test("adds no advice to a sentence of the server that has some", () => {
  const adviceOn = (code: string, name: string) =>
    advise({ outcome: "failed", reason: { code, text: "no", sentences: [{ name, values: [] }] } }).text;
  expect(adviceOn("unauthorized", "unauthorized")).toBe("");
  expect(adviceOn("not-found", "model-missing")).toBe("");
  expect(adviceOn("no-tools", "no-tools")).toBe("Choose a model that supports tools.");
  expect(failed("unauthorized").text).toContain("Check the API key");
});
