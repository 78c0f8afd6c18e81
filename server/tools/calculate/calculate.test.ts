import fc from "../../../test/support/fast-check.ts";
import { describe, expect, test } from "vitest";
import { calculate } from "./calculate.ts";

const resultOf = (expression: string): string => calculate(expression).result;

test.each([
  ["0.1 + 0.2", "0.3"],
  ["1.10 * 3", "3.3"],
  ["2^10", "1024"],
  ["2 ** 10", "1024"],
  ["-2^2", "-4"],
  ["(-2)^2", "4"],
  ["2^3^2", "512"],
  ["2^-3", "0.125"],
  ["8 / 4 / 2", "1"],
  ["10 - 4 - 3", "3"],
  ["2 + 3 * 4", "14"],
  ["-(-3)", "3"],
  ["+5", "5"],
  ["1 / 7 * 7", "1"],
  ["6 ÷ 2 × 3 − 1", "8"],
  [".5 + 1.5e-1", "0.65"],
  ["0^0", "1"],
  ["sqrt(16) + SQRT(1/4)", "4.5"],
  ["abs(-3.5)", "3.5"],
  ["round(2.5) + round(-2.5)", "0"],
  ["round(2.675, 2)", "2.68"],
  ["round(1234, -2)", "1200"],
  ["floor(-1.5)", "-2"],
  ["ceil(-1.5)", "-1"],
  ["min(3, 1, 2) + max(3, 1, 2)", "4"],
  ["(-1)^99999999999999999999", "-1"],
])("%s is exactly %s", (expression, result) => {
  expect(calculate(expression)).toMatchObject({ result, exact: true });
});

test.each([
  ["sqrt(2)", Math.SQRT2],
  ["2^0.5", Math.SQRT2],
  ["pi", Math.PI],
  ["e^2", Math.E ** 2],
  ["ln(10)", Math.LN10],
  ["log(1000)", 3],
  ["log(8, 2)", 3],
  ["log(9, 3)", 2],
  ["exp(1)", Math.E],
  ["sin(30 * deg)", 0.5],
  ["cos(tau)", 1],
  ["sin(pi)", 0],
  ["tan(pi)", 0],
  ["floor(log(1000))", 3],
])("%s is about %d and is not marked as exact", (expression, value) => {
  const { result, exact } = calculate(expression);
  expect(Number(result)).toBeCloseTo(value, 12);
  expect(exact).toBe(false);
});

test("repeating decimals are rounded to 15 digits and returned with the fraction", () => {
  expect(calculate("2 / 3")).toEqual({ result: "0.666666666666667", exact: false, read: "2 / 3", fraction: "2/3" });
});

describe("percentages", () => {
  test.each([
    ["50%", "0.5", "50%"],
    ["15% of 80", "12", "15% * 80"],
    ["200 + 10%", "220", "200 + (10% of 200)"],
    ["200 - 10%", "180", "200 - (10% of 200)"],
    ["100 + 50 + 10%", "165", "100 + 50 + (10% of all before)"],
    ["200 + (10%)", "200.1", "200 + (10%)"],
    ["200 * 10%", "20", "200 * 10%"],
    ["10 % 3", "1", "10 % 3"],
    ["-7 % 3", "-1", "(-7) % 3"],
    ["10 % (3)", "1", "10 % (3)"],
    ["mod(7.5, 2)", "1.5", "mod(7.5, 2)"],
    ["10 % -3", "-2.9", "10% - 3"],
  ])("%s is %s, parsed as %s", (expression, result, read) => {
    expect(calculate(expression)).toMatchObject({ result, read });
  });
});

test.each([
  ["1,000 + 1", /1,000 has a thousands separator\. Write 1000/],
  ["1,234,567", /Write 1234567/],
  ["max(1,200)", /space after the comma/],
  ["1'000", /thousands/],
  ["1_000", /thousands/],
  ["1 000", /thousands/],
  ["1.000.000", /Write 1000000/],
  ["3,5", /comma/],
  ["2pi", /write 2\*pi/],
  ["0x10", /To multiply/],
  ["2(3)", /operator is missing/],
  ["1 2", /operator is missing/],
  ["((1)", /Expected "\)"/],
  ["1)", /extra/],
  ["", /missing before the end/],
  ["1 +", /missing before the end/],
  ["* 2", /missing before "\*" at 1/],
  ["5!", /"!" at 2 is not allowed/],
  ["x + 1", /"x" is unknown/],
  ["constructor", /unknown/],
  ["toString(1)", /no function "tostring"/],
  ["foo(1)", /Available functions: sqrt/],
  ["sqrt", /needs parentheses/],
  ["sqrt()", /needs at least one argument/],
  ["sqrt(1, 2)", /takes 1 arguments, not 2/],
  ["1 / 0", /Division by zero/],
  ["5 % 0", /division by zero/],
  ["0^-1", /division by zero/],
  ["sqrt(-1)", /not a real number/],
  ["(-8)^(1/3)", /not a real number/],
  ["ln(0)", /above zero/],
  ["log(5, 1)", /base of a logarithm/],
  ["tan(pi / 2)", /no value/],
  ["round(1, 0.5)", /places/],
  ["9^9^9", /too large/],
  ["exp(1000)", /too large/],
  ["0.5^100000", /too close to zero/],
  ["exp(-1000)", /too close to zero/],
  ["1e99999", /too large or too small/],
])("%s throws a readable error", (expression, message) => {
  expect(() => calculate(expression)).toThrow(message);
});

test("rejects expressions that are nested too deep or too long, but not long sums", () => {
  for (const expression of [`${"(".repeat(500)}1${")".repeat(500)}`, `${"-".repeat(500)}1`, `1${"^1".repeat(500)}`])
    expect(() => calculate(expression)).toThrow(/nested more than 100 deep/);
  expect(() => calculate("1+".repeat(2000))).toThrow(/limit is 2000/);
  expect(resultOf(`1${"+1".repeat(900)}`)).toBe("901");
  expect(resultOf(`1${"%".repeat(30)}`)).toMatch(/^0\.0+1$/);
});

test("evaluates each nested percentage once", () => {
  expect(resultOf(`100${"+100%".repeat(300)}`)).toBe((100n * 2n ** 300n).toString());
});

type Sign = "+" | "-" | "*" | "/";
type Tree = number | { readonly sign: Sign; readonly left: Tree; readonly right: Tree };

/** Divisors are leaves, so that JavaScript's rounding errors are not amplified. */
const tree = (leaf: fc.Arbitrary<number>, ...signs: readonly Sign[]): fc.Arbitrary<Tree> =>
  fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      leaf,
      fc
        .record({ sign: fc.constantFrom(...signs), left: tie("tree"), right: tie("tree"), by: leaf })
        .map(({ by, ...node }) => (node.sign === "/" ? { ...node, right: by } : node)),
    ),
  })).tree;

const write = (node: Tree): string => {
  if (typeof node === "number") return node < 0 ? `(${node})` : `${node}`;
  return `(${write(node.left)} ${node.sign} ${write(node.right)})`;
};

const asFloat = (node: Tree): number => {
  if (typeof node === "number") return node;
  const [a, b] = [asFloat(node.left), asFloat(node.right)];
  return { "+": a + b, "-": a - b, "*": a * b, "/": a / b }[node.sign];
};

/** The magnitude without cancellation, which bounds JavaScript's rounding error. */
const weigh = (node: Tree): number => {
  if (typeof node === "number") return Math.abs(node);
  const [a, b] = [weigh(node.left), weigh(node.right)];
  return { "+": a + b, "-": a + b, "*": a * b, "/": a / b }[node.sign];
};

const asBigInt = (node: Tree): bigint => {
  if (typeof node === "number") return BigInt(node);
  const [a, b] = [asBigInt(node.left), asBigInt(node.right)];
  return node.sign === "+" ? a + b : node.sign === "-" ? a - b : a * b;
};

test("sums and products of integers equal BigInt's at any size", () => {
  let large = 0;
  fc.assert(
    fc.property(tree(fc.maxSafeInteger(), "+", "-", "*"), (node) => {
      const expected = asBigInt(node).toString();
      large += Number(expected.length > 20);
      expect(calculate(write(node))).toMatchObject({ result: expected, exact: true });
    }),
    { numRuns: 1000 },
  );
  expect(large).toBeGreaterThan(100);
});

test("expressions evaluate to JavaScript's result within its rounding error", () => {
  let cancelled = 0;
  const leaf = fc.integer({ min: -400, max: 400 }).map((n) => (n || 1) / 4);
  fc.assert(
    fc.property(tree(leaf, "+", "-", "*", "/"), (node) => {
      const [expected, weight] = [asFloat(node), weigh(node)];
      cancelled += Number(weight > 2 * Math.abs(expected));
      expect(Math.abs(Number(resultOf(write(node))) - expected)).toBeLessThanOrEqual(1e-12 * weight);
    }),
    { numRuns: 2000 },
  );
  expect(cancelled).toBeGreaterThan(100);
});

test("remainders and powers agree with JavaScript where both are exact", () => {
  const small = fc.integer({ min: -12, max: 12 });
  fc.assert(
    fc.property(small, fc.integer({ min: 1, max: 12 }), fc.nat(10), (a, b, power) => {
      expect(Number(resultOf(`(${a})^${power}`))).toBe(a ** power);
      expect(Number(resultOf(`(${a}) % (${b})`))).toBe(a % b || 0);
      expect(Number(resultOf(`(${a}) % (-${b})`))).toBe(a % -b || 0);
    }),
  );
});

test("every input returns a number or throws a CalculateError", () => {
  const piece = fc.constantFrom(..."0123456789+-*/%^()., epi".split(""), "sqrt(", "1e9", "of", "9^", "min(", "é", "\n");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      expect(answer(pieces.join(""))).toMatch(/^-?\d+(\.\d+)?(e[+-]\d+)?$|^CalculateError: /);
    }),
    { numRuns: 5000 },
  );
});

const answer = (expression: string): string => {
  try {
    return resultOf(expression);
  } catch (error) {
    return String(error);
  }
};
