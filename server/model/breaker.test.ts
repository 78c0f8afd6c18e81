import { expect, test } from "vitest";
import { createBreaker, joinBreakers } from "./breaker.ts";

const create = () => {
  let at = 0;
  const clock = { now: () => at, monotonic: () => at };
  const breaker = createBreaker({ clock, label: "Somebody" });
  const call = (outcome: "answered" | "fault" | "neither") => {
    const refused = breaker.admit();
    if (refused === null) breaker.settle(outcome);
    return refused?.code;
  };
  return { breaker, call, pass: (ms: number) => (at += ms) };
};

const repeat = (times: number, act: () => unknown) => Array.from({ length: times }, act);

test("opens after the fifth fault in a row and says for how long", () => {
  const { breaker, call } = create();
  expect(repeat(5, () => call("fault"))).toEqual(repeat(5, () => undefined));
  expect(breaker.admit()).toMatchObject({ code: "resting", fault: "provider", retryAfterMs: 30_000 });
});

test("an answer resets the count of faults", () => {
  const { call } = create();
  repeat(4, () => call("fault"));
  call("answered");
  repeat(4, () => call("fault"));
  expect(call("answered")).toBeUndefined();
});

test("does not count stopped calls and invalid requests", () => {
  const { call } = create();
  repeat(20, () => call("neither"));
  expect(call("answered")).toBeUndefined();
});

test("lets one trial call through after the pause; its answer closes the breaker", () => {
  const { breaker, call, pass } = create();
  repeat(5, () => call("fault"));
  pass(29_999);
  expect(call("answered")).toBe("resting");
  pass(1);
  expect(breaker.admit()).toBeNull();
  expect(call("answered")).toBe("resting");
  breaker.settle("answered");
  expect(call("answered")).toBeUndefined();
});

test("a failed trial call opens it for the whole time again", () => {
  const { call, pass } = create();
  repeat(5, () => call("fault"));
  pass(30_000);
  expect(call("fault")).toBeUndefined();
  pass(29_999);
  expect(call("answered")).toBe("resting");
});

test("after a stopped trial call the next call is the trial", () => {
  const { call, pass } = create();
  repeat(5, () => call("fault"));
  pass(30_000);
  expect(call("neither")).toBeUndefined();
  expect(call("answered")).toBeUndefined();
});

const createJoined = () => {
  const clock = { now: () => 0, monotonic: () => 0 };
  const provider = createBreaker({ clock, label: "Provider" });
  const models = ["a", "b"].map((label) => joinBreakers(provider, createBreaker({ clock, label })));
  return { a: models[0]!, b: models[1]! };
};

test("a rate-limited model does not affect other models", () => {
  const { a, b } = createJoined();
  repeat(5, () => {
    expect(a.admit()).toBeNull();
    a.settle("fault", "rate-limited");
  });
  expect(a.admit()).toMatchObject({ code: "resting", text: expect.stringMatching(/^a failed/) });
  expect(b.admit()).toBeNull();
});

test("an unreachable provider blocks all its models", () => {
  const { a, b } = createJoined();
  repeat(5, () => {
    expect(a.admit()).toBeNull();
    a.settle("fault", "unreachable");
  });
  expect(b.admit()).toMatchObject({ code: "resting", text: expect.stringMatching(/^Provider failed/) });
});

test("a call that a user asked for is tried early, one at a time, and a failure opens it again", () => {
  const { breaker, call, pass } = create();
  repeat(5, () => call("fault"));
  pass(20_000);
  expect(call("answered")).toBe("resting");
  expect(breaker.admit(true)).toBeNull();
  expect(breaker.admit(true)).toMatchObject({ code: "resting" });
  breaker.settle("fault");
  expect(breaker.admit()).toMatchObject({ retryAfterMs: 30_000 });
  expect(breaker.admit(true)).toBeNull();
  breaker.settle("answered");
  expect(call("answered")).toBeUndefined();
});
