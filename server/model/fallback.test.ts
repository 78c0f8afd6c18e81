import fc from "../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import type { ModelInfo } from "../../protocol/api.ts";
import type { ModelFailure } from "../../protocol/model.ts";
import { fallbackLimits, nextAttempt, rankFallbacks } from "./fallback.ts";
import type { Attempt } from "./model.ts";

const fail = (model: string, failure: Partial<ModelFailure> = {}, hadOutput = false): Attempt => ({
  model,
  hadOutput,
  failure: { code: "server-error", fault: "provider", text: "It broke.", ...failure },
});
const decide = (chain: readonly string[], attempts: readonly Attempt[], random = () => 0.5) =>
  nextAttempt({ chain, attempts, random });

describe("the next attempt", () => {
  test("is the first model, without a delay, if nothing was tried", () => {
    expect(decide(["a", "b"], [])).toEqual({ do: "call", model: "a", delayMs: 0 });
  });

  test("is the same model twice more with growing delays, then the next one", () => {
    expect(decide(["a", "b"], [fail("a")])).toEqual({ do: "call", model: "a", delayMs: 375 });
    expect(decide(["a", "b"], [fail("a"), fail("a")])).toEqual({ do: "call", model: "a", delayMs: 750 });
    expect(decide(["a", "b"], [fail("a"), fail("a"), fail("a")])).toEqual({ do: "call", model: "b", delayMs: 0 });
  });

  test("waits as long as the provider asks, or with jitter", () => {
    expect(decide(["a"], [fail("a", { retryAfterMs: 7000 })])).toMatchObject({ delayMs: 7000 });
    expect(decide(["a"], [fail("a")], () => 0)).toMatchObject({ delayMs: 250 });
    expect(decide(["a"], [fail("a")], () => 0.999999)).toMatchObject({ delayMs: 500 });
  });

  test("skips a provider that asks for a long wait", () => {
    const asked = fail("a", { code: "rate-limited", retryAfterMs: 20_001 });
    expect(decide(["a", "b"], [asked])).toEqual({ do: "call", model: "b", delayMs: 0 });
    expect(decide(["a"], [asked])).toMatchObject({ do: "give-up", reason: { code: "rate-limited" } });
  });

  test("is the same model once after output was shown, then the next one", () => {
    expect(decide(["a", "b"], [fail("a", {}, true)])).toMatchObject({ do: "call", model: "a" });
    expect(decide(["a", "b"], [fail("a", {}, true), fail("a", {}, true)])).toMatchObject({ model: "b", delayMs: 0 });
    expect(decide(["a"], [fail("a", {}, true)])).toMatchObject({ do: "call", model: "a" });
    expect(decide(["a"], [fail("a", {}, true), fail("a", {}, true)])).toMatchObject({ do: "give-up" });
  });

  test.each(["request", "settings"] as const)("uses another model or none after a fault of the %s", (fault) => {
    expect(decide(["a", "b"], [fail("a", { fault })])).toEqual({ do: "call", model: "b", delayMs: 0 });
    expect(decide(["a"], [fail("a", { fault, code: "bad-request" })])).toMatchObject({ do: "give-up" });
  });

  test("skips a provider with an open breaker, or waits a short time if there is no other", () => {
    const resting = fail("a", { code: "resting", retryAfterMs: 9000 });
    expect(decide(["a", "b"], [resting])).toMatchObject({ model: "b", delayMs: 0 });
    expect(decide(["a"], [resting])).toMatchObject({ model: "a", delayMs: 9000 });
    expect(decide(["a"], [fail("a", { code: "resting", retryAfterMs: 29_000 })])).toMatchObject({ do: "give-up" });
  });

  test("waits up to a minute if a user sees it and no other model is left", () => {
    const wait = (chain: readonly string[], attempts: readonly Attempt[]) =>
      nextAttempt({ chain, attempts, random: () => 0.5, isWaitVisible: true });
    const [resting, limited] = (["resting", "rate-limited"] as const).map((code) =>
      fail("a", { code, retryAfterMs: 45_000 }),
    ) as [Attempt, Attempt];
    for (const failed of [resting, limited]) {
      expect(wait(["a"], [failed])).toEqual({ do: "call", model: "a", delayMs: 45_000 });
      expect(wait(["a", "b"], [failed])).toEqual({ do: "call", model: "b", delayMs: 0 });
    }
    expect(wait(["a"], [limited, resting, limited])).toMatchObject({ do: "call", delayMs: 45_000 });
    expect(wait(["a"], [limited, limited, limited])).toMatchObject({ do: "give-up" });
    expect(wait(["a"], Array(fallbackLimits.restsPerStep + 1).fill(resting))).toMatchObject({ do: "give-up" });
    expect(wait(["a"], [fail("a", { code: "resting", retryAfterMs: 60_001 })])).toMatchObject({ do: "give-up" });
  });

  test("gives up with the last failure and all models that were tried", () => {
    const attempts = [fail("a"), fail("a"), fail("a"), fail("b"), fail("b", { code: "overloaded", text: "Too much." })];
    expect(decide(["a", "b", "c"], attempts)).toEqual({
      do: "give-up",
      reason: { code: "overloaded", text: "Too much. Tried 5 times (a, b)." },
    });
  });

  test("gives up on an empty chain", () => {
    expect(decide([], [])).toMatchObject({ do: "give-up", reason: { code: "not-found" } });
  });

  test("always ends within the attempts of a step, with models of the chain and bounded delays", () => {
    const codes = ["server-error", "rate-limited", "cut", "stalled", "resting", "bad-request", "unauthorized"] as const;
    const failure = fc.record({
      code: fc.constantFrom(...codes),
      fault: fc.constantFrom("provider", "request", "settings"),
      text: fc.constant("It broke."),
      retryAfterMs: fc.nat(60_000),
    });
    const outcomes = fc.array(fc.record({ failure, hadOutput: fc.boolean() }), { minLength: 12, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string(), { maxLength: 4 }),
        outcomes,
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (chain, list, r) => {
          const attempts: Attempt[] = [];
          for (const outcome of list) {
            const next = decide(chain, attempts, () => r);
            if (next.do === "give-up") return;
            expect(chain).toContain(next.model);
            expect(next.delayMs).toBeLessThanOrEqual(fallbackLimits.maxRetryAfterMs);
            attempts.push({ model: next.model, ...outcome } as Attempt);
          }
          expect.unreachable(`it never gave up after ${attempts.length} attempts`);
        },
      ),
    );
  });
});

describe("fallback models", () => {
  const model = (id: string, price: number | null, more: Partial<ModelInfo> = {}): ModelInfo => ({
    id,
    name: id,
    provider: id.split("/")[0] ?? "",
    free: price === 0,
    available: true,
    unavailable: null,
    note: "",
    reasoning: false,
    windowTokens: null,
    prices: { input: price, output: price, cacheRead: null, cacheWrite: null },
    source: null,
    ...more,
  });
  const models = [
    model("r/free-1", 0),
    model("r/free-2", 0),
    model("r/cheap", 1),
    model("r/middle", 2),
    model("r/dear", 9),
    model("r/gone", 1, { available: false }),
    model("r/unknown", null),
    model("s/free", 0),
    model("offline/stone", 0),
  ];
  const find = (id: string) => models.find((one) => one.id === id);
  const rank = (id: string, wanted?: readonly string[]) =>
    rankFallbacks(
      models.find((one) => one.id === id),
      models,
      { wanted, isLocal: false, isServer: false, find },
    );

  test("are of the same provider and cost no more, most expensive first", () => {
    expect(rank("r/dear")).toEqual(["r/middle", "r/cheap"]);
    expect(rank("r/middle")).toEqual(["r/cheap"]);
    expect(rank("r/free-1")).toEqual(["r/free-2"]);
  });

  test("are none for an unknown model or an unknown price", () => {
    expect(rank("r/unknown")).toEqual([]);
    expect(rank("r/nothing")).toEqual([]);
  });

  test("an OpenAI-compatible server has no fallbacks unless the operator lists them", () => {
    const own = [model("compatible/a", 0), model("compatible/b", 0)];
    const options = { isLocal: true, isServer: true, find: (id: string) => own.find((one) => one.id === id) };
    expect(rankFallbacks(own[0], own, { ...options, wanted: undefined })).toEqual([]);
    expect(rankFallbacks(own[0], own, { ...options, wanted: ["compatible/b"] })).toEqual(["compatible/b"]);
  });

  test("follow the operator's list, without the model itself and unknown ones", () => {
    expect(rank("r/dear", ["offline/stone", "r/gone", "r/dear", "s/free", "nobody", "r/cheap", "s/free"])).toEqual([
      "offline/stone",
      "s/free",
      "r/cheap",
    ]);
    expect(rank("r/dear", [])).toEqual([]);
  });

  test("stay on the same server for a local model, despite the operator's list", () => {
    const local = models.find((one) => one.id === "r/free-1");
    const wanted = ["s/free", "r/dear", "offline/stone", "r/free-2"];
    const options = { wanted, isServer: true, find };
    expect(rankFallbacks(local, models, { ...options, isLocal: true })).toEqual(["offline/stone", "r/free-2"]);
    expect(rankFallbacks(local, models, { ...options, isLocal: false })).toEqual([
      "s/free",
      "offline/stone",
      "r/free-2",
    ]);
  });

  test("never put a paid model after a free one, despite the operator's list", () => {
    for (const free of models.filter((one) => one.free)) {
      for (const wanted of [undefined, models.map((one) => one.id)]) {
        const chain = rankFallbacks(free, models, { wanted, isLocal: false, isServer: false, find });
        expect(chain.filter((id) => models.find((one) => one.id === id)?.free !== true)).toEqual([]);
      }
    }
    expect(rank("r/free-1", ["r/dear", "s/free"])).toEqual(["s/free"]);
  });
});
