/**
 * An exact fraction in lowest terms with `den` > 0, or a float once a value had to be rounded. Sums, products and quotients
 * of exact numbers stay exact up to the digit limits.
 */
type Exact = { readonly num: bigint; readonly den: bigint };
export type Num = Exact | number;

/** Exact integers have at most this many digits, fractions fewer; larger values are rounded to floats. */
const MAX_DIGITS = 5000;
const FRACTION_DIGITS = 400;
const wholeLimit = 10n ** BigInt(MAX_DIGITS);
const fractionLimit = 10n ** BigInt(FRACTION_DIGITS);

export class CalculateError extends Error {
  override readonly name = "CalculateError";
}

export const whole = (value: bigint | number): Exact => ({ num: BigInt(value), den: 1n });

export const isExact = (value: Num): value is Exact => typeof value !== "number";
const isWhole = (value: Num): value is Exact => isExact(value) && value.den === 1n;

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** Reduces the fraction to lowest terms, or rounds it to a float if it has too many digits. */
function toFraction(num: bigint, den: bigint): Num {
  if (den === 0n) throw new CalculateError("Division by zero.");
  if (den === 1n && abs(num) < wholeLimit) return { num, den };
  if (num % den === 0n && abs(num) < wholeLimit) return { num: num / den, den: 1n };
  if (abs(num) >= fractionLimit || abs(den) >= fractionLimit) return toNonzero(toFloat({ num, den }));
  const divisor = (den < 0n ? -1n : 1n) * findDivisor(abs(num), abs(den));
  return { num: num / divisor, den: den / divisor };
}

function findDivisor(one: bigint, other: bigint): bigint {
  let [a, b] = [one, other];
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** Correct to about 17 digits for numerators and denominators of any length. */
export function toFloat(value: Num): number {
  if (!isExact(value)) return value;
  const { num, den } = value;
  const shift = countBits(abs(num)) - countBits(abs(den)) - 64;
  const scaled = shift > 0 ? num / (den << BigInt(shift)) : (num << BigInt(-shift)) / den;
  // Two factors, because one alone may be outside the range of a float.
  const half = Math.trunc(shift / 2);
  return Number(scaled) * 2 ** half * 2 ** (shift - half);
}

export function toFinite(value: number): number {
  if (Number.isNaN(value)) throw new CalculateError("The result is not a real number.");
  if (Math.abs(value) === Infinity) throw new CalculateError("The result is too large to be computed.");
  return value === 0 ? 0 : value;
}

/** Checks a result that cannot be zero: a zero means underflow, which is an error. */
export function toNonzero(value: number): number {
  if (value === 0) throw new CalculateError("The result is too close to zero to be computed.");
  return toFinite(value);
}

type Rule = { readonly exact: (a: Exact, b: Exact) => Num; readonly float: (a: number, b: number) => number };

const combine = (a: Num, b: Num, { exact, float }: Rule): Num =>
  isExact(a) && isExact(b) ? exact(a, b) : toFinite(float(toFloat(a), toFloat(b)));

export const add = (a: Num, b: Num): Num =>
  combine(a, b, {
    exact: (x, y) => toFraction(x.num * y.den + y.num * x.den, x.den * y.den),
    float: (x, y) => x + y,
  });

export const negate = (a: Num): Num => (isExact(a) ? { num: -a.num, den: a.den } : toFinite(-a));

export const subtract = (a: Num, b: Num): Num => add(a, negate(b));

export const multiply = (a: Num, b: Num): Num =>
  combine(a, b, {
    exact: (x, y) => toFraction(x.num * y.num, x.den * y.den),
    float: (x, y) => (x === 0 || y === 0 ? 0 : toNonzero(x * y)),
  });

export function divide(a: Num, b: Num): Num {
  if (isZero(b)) throw new CalculateError("Division by zero.");
  return combine(a, b, {
    exact: (x, y) => toFraction(x.num * y.den, x.den * y.num),
    float: (x, y) => (x === 0 ? 0 : toNonzero(x / y)),
  });
}

/** With the sign of the dividend, as in most programming languages. */
export function remainder(a: Num, b: Num): Num {
  if (isZero(b)) throw new CalculateError("Remainder of division by zero.");
  return combine(a, b, {
    exact: (x, y) => toFraction((x.num * y.den) % (y.num * x.den), x.den * y.den),
    float: (x, y) => x % y,
  });
}

export const isZero = (a: Num): boolean => (isExact(a) ? a.num === 0n : a === 0);
export const isNegative = (a: Num): boolean => (isExact(a) ? a.num < 0n : a < 0);
export const isLess = (a: Num, b: Num): boolean =>
  isExact(a) && isExact(b) ? a.num * b.den < b.num * a.den : toFloat(a) < toFloat(b);

export function power(a: Num, b: Num): Num {
  if (isZero(a) && isNegative(b)) throw new CalculateError("Zero to a negative power is a division by zero.");
  if (isExact(a) && isWhole(b)) {
    const raised = raise(a, b.num);
    if (raised) return raised;
  }
  if (isExact(a) && isExact(b) && b.num === 1n && b.den === 2n && a.num >= 0n) return squareRoot(a);
  if (isNegative(a) && !isWholeValue(b))
    throw new CalculateError("A negative number raised to a fractional power is not a real number.");
  return isZero(a) ? whole(0) : toNonzero(toFloat(a) ** toFloat(b));
}

const isWholeValue = (value: Num): boolean => (isExact(value) ? value.den === 1n : Number.isInteger(value));

const MAX_BITS = BigInt(Math.ceil(MAX_DIGITS * Math.log2(10)));

/** Returns undefined if the exact result would be too long. The exponent itself may have thousands of digits. */
function raise({ num, den }: Exact, exponent: bigint): Num | undefined {
  const times = abs(exponent);
  const longest = abs(num) > den ? abs(num) : den;
  if (times === 0n) return whole(1);
  if (longest <= 1n) return whole(times % 2n === 0n ? num * num : num);
  if (BigInt(countBits(longest) - 1) * times > MAX_BITS) return undefined;
  const [top, bottom] = [num ** times, den ** times];
  return exponent < 0n ? toFraction(bottom, top) : toFraction(top, bottom);
}

const countBits = (value: bigint): number => value.toString(2).length;

export function squareRoot(a: Num): Num {
  if (isNegative(a)) throw new CalculateError("The square root of a negative number is not a real number.");
  if (!isExact(a)) return Math.sqrt(a);
  const [num, den] = [integerRoot(a.num), integerRoot(a.den)];
  if (num * num === a.num && den * den === a.den) return { num, den };
  const root = Math.sqrt(toFloat(a));
  return Number.isFinite(root) ? root : toFinite(toFloat({ num, den }));
}

/** The integer part of the square root, by Newton's method. */
function integerRoot(value: bigint): bigint {
  if (value < 2n) return value;
  let root = 1n << BigInt(Math.ceil(countBits(value) / 2));
  for (;;) {
    const next = (root + value / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

/** Rounds down. For a float this uses its 15 displayed digits, not its binary value. */
export function floor(a: Num): Num {
  if (!isExact(a)) return Math.floor(Number(toDigits(a)));
  const part = a.num / a.den;
  return whole(a.num < 0n && part * a.den !== a.num ? part - 1n : part);
}

/** Rounds to this many decimal places, halves away from zero. */
export function round(a: Num, places: number): Num {
  if (!isExact(a)) {
    const shown = parseDecimal(toDigits(a));
    return isExact(shown) ? toFloat(round(shown, places)) : a;
  }
  const scale: Exact = places >= 0 ? whole(10n ** BigInt(places)) : { num: 1n, den: 10n ** BigInt(-places) };
  const [num, den] = [a.num * scale.num, a.den * scale.den];
  const away = (2n * abs(num) + den) / (2n * den);
  return divide(whole(num < 0n ? -away : away), scale);
}

const FLOAT_DIGITS = 15;

/** A float with 15 significant digits, the precision that floats guarantee. */
const toDigits = (value: number): string => Number(value.toPrecision(FLOAT_DIGITS)).toString();

/** Parses a decimal exactly: `12`, `0.5`, `1.5e-3`. */
export function parseDecimal(text: string): Num {
  const [mantissa = "", exponent = "0"] = text.toLowerCase().split("e");
  const [before = "", fractionDigits = ""] = mantissa.split(".");
  const digits = BigInt(`${before}${fractionDigits}`);
  const places = fractionDigits.length - Number(exponent);
  if (Math.abs(places) > MAX_DIGITS)
    throw new CalculateError(`${text.slice(0, 30)} is too large or too small to be computed.`);
  return places > 0 ? toFraction(digits, 10n ** BigInt(places)) : toFraction(digits * 10n ** BigInt(-places), 1n);
}

/** Formats a number in decimal. `exact`: no digits were dropped. */
export function toDecimalText(value: Num): { readonly text: string; readonly exact: boolean } {
  if (!isExact(value)) return { text: toDigits(value), exact: false };
  if (value.den === 1n) return { text: value.num.toString(), exact: true };
  const places = countPlaces(value.den);
  if (places === undefined) return { text: toDigits(toFloat(value)), exact: false };
  const digits = ((abs(value.num) * 10n ** BigInt(places)) / value.den).toString().padStart(places + 1, "0");
  return {
    text: `${value.num < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`,
    exact: true,
  };
}

const MAX_PLACES = 60;

/** How many decimal places a fraction needs; undefined if they never end or are too many. */
function countPlaces(den: bigint): number | undefined {
  let [rest, twos, fives] = [den, 0, 0];
  for (; rest % 2n === 0n && twos <= MAX_PLACES; twos += 1) rest /= 2n;
  for (; rest % 5n === 0n && fives <= MAX_PLACES; fives += 1) rest /= 5n;
  return rest === 1n ? Math.max(twos, fives) : undefined;
}
