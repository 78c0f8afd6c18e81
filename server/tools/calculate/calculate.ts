import { constants, functions } from "./functions.ts";
import * as number from "./number.ts";
import { CalculateError, isExact, toDecimalText, whole, type Num } from "./number.ts";
import { parse, precedence, type Binary, type Expression } from "./parse.ts";

export type Calculation = {
  readonly result: string;
  /** False: rounded to 15 digits. */
  readonly exact: boolean;
  /** The expression as it was parsed. */
  readonly read: string;
  /** The exact value, if it has no finite decimal form. */
  readonly fraction?: string;
};

export const MAX_EXPRESSION_LENGTH = 2000;

/** Evaluates an arithmetic expression. Runs no code; throws `CalculateError` for invalid or undefined expressions. */
export function calculate(text: string): Calculation {
  if (text.length > MAX_EXPRESSION_LENGTH) {
    throw new CalculateError(`The expression has ${text.length} characters; the limit is ${MAX_EXPRESSION_LENGTH}.`);
  }
  const expression = parse(text);
  const value = evaluate(expression);
  const { text: result, exact } = toDecimalText(value);
  const fraction = exact ? undefined : toFractionText(value);
  return { result, exact, read: print(expression), ...(fraction ? { fraction } : {}) };
}

const SHORT = 10n ** 12n;
const toFractionText = (value: Num): string | undefined =>
  isExact(value) && value.den < SHORT && value.num < SHORT && value.num > -SHORT
    ? `${value.num}/${value.den}`
    : undefined;

const HUNDRED = whole(100);

function evaluate(expression: Expression): Num {
  switch (expression.kind) {
    case "number":
      return expression.value;
    case "name":
      return getConstant(expression.name);
    case "call":
      return call(expression.name, expression.given.map(evaluate));
    case "group":
      return evaluate(expression.of);
    case "negative":
      return number.negate(evaluate(expression.of));
    case "percent":
      return number.divide(evaluate(expression.of), HUNDRED);
    case "binary":
      return combine(expression);
  }
}

/** As on a pocket calculator, 200 + 10% is 220: a percentage after + or - refers to the left operand. */
function combine({ sign, left, right }: Extract<Expression, { kind: "binary" }>): Num {
  const [a, b] = [evaluate(left), evaluate(right)];
  return combiners[sign](a, isPercentOfLeft(sign, right) ? number.multiply(a, b) : b);
}

const isPercentOfLeft = (sign: Binary, right: Expression): boolean =>
  (sign === "+" || sign === "-") && right.kind === "percent";

const combiners: Readonly<Record<Binary, (a: Num, b: Num) => Num>> = {
  "+": number.add,
  "-": number.subtract,
  "*": number.multiply,
  "/": number.divide,
  "%": number.remainder,
  "^": number.power,
};

function getConstant(name: string): Num {
  const value = Object.hasOwn(constants, name) ? constants[name] : undefined;
  if (value !== undefined) return value;
  if (Object.hasOwn(functions, name)) throw new CalculateError(`${name} needs parentheses: ${name}(…).`);
  throw new CalculateError(`"${name}" is unknown. Available constants: ${Object.keys(constants).join(", ")}.`);
}

function call(name: string, given: readonly Num[]): Num {
  const found = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (!found) {
    const known = Object.keys(functions).join(", ");
    throw new CalculateError(`There is no function "${name}". Available functions: ${known}.`);
  }
  const { least, most, compute } = found;
  if (given.length < least || given.length > most) {
    const wanted = least === most ? `${least}` : `${least} to ${most}`;
    throw new CalculateError(`${name} takes ${wanted} arguments, not ${given.length}.`);
  }
  return compute(given as [Num, ...Num[]]);
}

/** Adds parentheses wherever two operators of different precedence meet. */
function print(expression: Expression): string {
  switch (expression.kind) {
    case "number":
      return expression.text;
    case "name":
      return expression.name;
    case "call":
      return `${expression.name}(${expression.given.map(print).join(", ")})`;
    case "group":
      return `(${print(expression.of)})`;
    case "negative":
      return `-${printWithin(expression.of, false)}`;
    case "percent":
      return `${printWithin(expression.of, false)}%`;
    case "binary": {
      const { sign, left, right } = expression;
      const isChain = left.kind === "binary" && precedence[left.sign] === precedence[sign] && sign !== "^";
      const share = left.kind === "number" ? `of ${left.text}` : "of all before";
      const read = isPercentOfLeft(sign, right) ? `(${print(right)} ${share})` : printWithin(right, false);
      return `${printWithin(left, isChain)} ${sign} ${read}`;
    }
  }
}

const printWithin = (inner: Expression, isChain: boolean): string =>
  (inner.kind === "binary" && !isChain) || inner.kind === "negative" ? `(${print(inner)})` : print(inner);
