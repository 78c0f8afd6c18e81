import * as number from "./number.ts";
import { CalculateError, isExact, isNegative, isZero, toFinite, toFloat, whole, type Num } from "./number.ts";

type MathFunction = {
  readonly least: number;
  readonly most: number;
  readonly compute: (given: readonly [Num, ...Num[]]) => Num;
};

export const constants: Readonly<Record<string, Num>> = {
  pi: Math.PI,
  π: Math.PI,
  tau: 2 * Math.PI,
  e: Math.E,
  deg: Math.PI / 180,
};

const unary = (compute: (x: Num) => Num): MathFunction => ({ least: 1, most: 1, compute: ([x]) => compute(x) });
const variadic = (isBetter: (a: Num, b: Num) => boolean): MathFunction => ({
  least: 1,
  most: 1000,
  compute: ([first, ...others]) => others.reduce<Num>((best, x) => (isBetter(x, best) ? x : best), first),
});

/** Angles are in radians. */
export const functions: Readonly<Record<string, MathFunction>> = {
  sqrt: unary(number.squareRoot),
  abs: unary((x) => (isNegative(x) ? number.negate(x) : x)),
  floor: unary(number.floor),
  ceil: unary((x) => number.negate(number.floor(number.negate(x)))),
  round: { least: 1, most: 2, compute: ([x, places = whole(0)]) => number.round(x, toPlaces(places)) },
  min: variadic(number.isLess),
  max: variadic((a, b) => number.isLess(b, a)),
  mod: { least: 2, most: 2, compute: ([a, b = whole(1)]) => number.remainder(a, b) },
  ln: unary((x) => Math.log(toPositive("ln", x))),
  log: { least: 1, most: 2, compute: ([x, base]) => logarithm(x, base) },
  exp: unary((x) => number.toNonzero(Math.exp(toFloat(x)))),
  sin: unary((x) => snap(Math.sin(toFloat(x)), x)),
  cos: unary((x) => snap(Math.cos(toFloat(x)), x)),
  tan: unary(tangent),
};

function toPlaces(places: Num): number {
  const count = toFloat(places);
  if (Number.isInteger(count) && Math.abs(count) <= 100) return count;
  throw new CalculateError("round(x, places) needs a whole number of places, at most 100.");
}

function toPositive(name: string, x: Num): number {
  if (isZero(x) || isNegative(x)) throw new CalculateError(`${name} is only defined for numbers above zero.`);
  return toFinite(toFloat(x));
}

function logarithm(x: Num, base: Num | undefined): Num {
  const value = toPositive("log", x);
  const of = base === undefined ? 10 : toPositive("log", base);
  if (of === 1) throw new CalculateError("The base of a logarithm cannot be 1.");
  if (of === 10) return Math.log10(value);
  return of === 2 ? Math.log2(value) : Math.log(value) / Math.log(of);
}

/** Returns 0 for values below the rounding error of the angle, so that sin(pi) is 0. */
const snap = (value: number, angle: Num): number => (Math.abs(value) < toTolerance(angle) ? 0 : toFinite(value));
const toTolerance = (angle: Num): number => (isExact(angle) ? 0 : 2 ** -52 * Math.max(1, Math.abs(angle)));

function tangent(x: Num): Num {
  const angle = toFloat(x);
  if (Math.abs(Math.cos(angle)) < toTolerance(x)) throw new CalculateError("tan has no value at this angle.");
  return snap(Math.tan(angle), x);
}
