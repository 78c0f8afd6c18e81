import { expect, test } from "vitest";
import { advise } from "./advise.ts";

const failed = (code: string) => advise({ outcome: "failed", reason: { code, text: "no" } });

test("what a key or an account is in the way of leads to where models are set up", () => {
  for (const code of ["unauthorized", "no-credit", "unavailable", "not-found"])
    expect(failed(code).offers, code).toContain("models-page");
});

test("every failure has a way on, a code that nobody knows too", () => {
  for (const code of ["overloaded", "rate-limited", "refused", "something-else"])
    expect(failed(code).offers, code).toEqual(expect.arrayContaining(["retry", "model"]));
  expect(advise({ outcome: "failed", reason: null }).offers).toContain("retry");
});

test("a limit is continued, and what was stopped is asked again", () => {
  expect(advise({ outcome: "limit", reason: null }).offers).toEqual(["continue"]);
  expect(advise({ outcome: "stopped", reason: null }).offers).toEqual(["retry"]);
  expect(advise({ outcome: "stopped", reason: null }, true).offers).toEqual(["continue", "retry"]);
  expect(advise({ outcome: "failed", reason: null }, true).offers[0]).toBe("continue");
});
