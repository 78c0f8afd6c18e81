import fc from "../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { limits, planClosed, planNow, planWhole, type RangeStart } from "./plan-ranges.ts";

const talk = (...tokens: readonly number[]): readonly RangeStart[] =>
  tokens.map((size, at) => ({
    id: `m${at + 1}`,
    branch: "b",
    depth: at + 1,
    role: at % 2 === 0 ? "user" : "assistant",
    tokens: size,
  }));
const spans = (ranges: readonly (readonly RangeStart[])[]) =>
  ranges.map((range) => [range[0]?.depth, range.at(-1)?.depth]);
const even = (messages: number, tokens: number) => talk(...Array.from({ length: messages }, () => tokens));

describe("the policy `summary`", () => {
  test.each([
    [9, 100, false],
    [10, 100, true],
    [4, 500, true],
    [4, 499, false],
    [3, 5000, false],
  ])("of %i messages of %i tokens: due is %j", (messages, tokens, due) => {
    expect(planWhole(even(messages, tokens))).toHaveLength(due ? 1 : 0);
  });
});

describe("planClosed", () => {
  test("leaves two full turns and 1,500 tokens, and waits until there is enough", () => {
    expect(spans(planClosed(even(12, 250)))).toEqual([]);
    expect(spans(planClosed(even(14, 250)))).toEqual([[1, 8]]);
    expect(spans(planClosed(even(10, 1000)))).toEqual([[1, 4]]);
  });

  test("for any messages: whole turns in order, no gap, never the tail, at least four messages each", () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 6000 }), { maxLength: 80 });
    fc.assert(
      fc.property(sizes, (tokens) => {
        const said = talk(...tokens);
        const ranges = planClosed(said);
        expect(ranges.flat()).toEqual(said.slice(0, ranges.flat().length));
        for (const range of ranges) {
          expect(range[0]?.role).toBe("user");
          expect(range.length).toBeGreaterThanOrEqual(limits.leastMessages);
        }
        const left = said.slice(ranges.flat().length);
        if (ranges.length === 0) return;
        expect(left.reduce((sum, one) => sum + one.tokens, 0)).toBeGreaterThanOrEqual(limits.tailTokens);
        expect(left.filter(({ role }) => role === "user").length).toBeGreaterThanOrEqual(limits.tailTurns);
      }),
    );
  });
});

describe("planNow", () => {
  test("covers everything, in several ranges if it is long, and nothing below four messages", () => {
    expect(planNow(even(3, 9000))).toEqual([]);
    expect(spans(planNow(even(4, 10)))).toEqual([[1, 4]]);
    expect(planNow(even(100, 200)).flat()).toHaveLength(100);
    expect(planNow(even(100, 200)).length).toBeGreaterThan(3);
    expect(planNow(even(5000, 400)).length).toBeLessThanOrEqual(51);
  });
});
